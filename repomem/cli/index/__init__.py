"""Bodies of `repomem index` and `repomem watch`."""
