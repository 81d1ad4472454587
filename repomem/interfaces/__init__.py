"""People and agents: the command line, the console, and what hosts call."""
