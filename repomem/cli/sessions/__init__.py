"""Bodies of `repomem session`."""
