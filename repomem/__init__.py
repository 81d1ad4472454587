"""repomem: the memory that a coding agent lacks."""

__version__ = "0.1.0"
