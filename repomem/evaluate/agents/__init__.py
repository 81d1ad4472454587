"""`repomem eval --agent`: does an agent do better with repomem? Pairs of runs on tasks of the history."""
