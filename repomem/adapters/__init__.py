"""Adapters to external programs, libraries and formats, one folder each; they convert errors to RepomemError."""
