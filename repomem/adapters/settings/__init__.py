"""Other programs' settings files and git hooks: edited in place and restored to the byte."""
