"""Ranks files, definitions and memories for a question. Pure."""
