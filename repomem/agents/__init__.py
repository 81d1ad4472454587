"""repomem's entries in agent hosts, and the code that their hooks run."""
