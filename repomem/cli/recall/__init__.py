"""Bodies of the commands that answer questions."""
