"""Names, options and help of every command: one module for each group of `repomem --help`.

The body of a command is in `cli/FOLDER/COMMAND.py`, which is imported when the command runs.
"""
