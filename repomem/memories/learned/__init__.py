"""What agent sessions learnt by doing: commands that work here, and what mends an error. Read from session notes."""
