"""Finds statements that no pattern finds, by a linear classifier over the words of a sentence and its place."""
