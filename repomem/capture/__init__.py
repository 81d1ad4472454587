"""Agent transcripts to memories: which statements of a session are worth keeping."""
