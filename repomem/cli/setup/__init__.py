"""Bodies of the commands that install, configure, inspect and remove repomem."""
