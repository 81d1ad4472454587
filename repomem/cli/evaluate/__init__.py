"""Bodies and reports of `repomem eval`."""
