"""Grouping and archiving memories."""
