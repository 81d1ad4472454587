"""Names, options and help of every command: one module for each group of `repomem --help`.

What a command does is in its body, in `cli/ROOM/COMMAND.py`, which is imported when the command runs.
"""
