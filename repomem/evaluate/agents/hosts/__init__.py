"""Agent hosts that run without a terminal: the command line of each, and a reader of its output stream."""
