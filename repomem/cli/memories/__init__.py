"""Bodies of the commands that write and maintain memories."""
