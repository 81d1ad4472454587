"""Grouping, archiving and distilling memories."""
