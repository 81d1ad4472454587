"""repomem's entries in agent hosts, and what their hooks run."""
