"""Bodies of `repomem sync`, `repomem store` and `repomem check`."""
