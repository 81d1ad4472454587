"""Finds statements that no pattern matches, by a linear classifier over a sentence's words and position."""
