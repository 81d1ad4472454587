"""Candidate items of a brief, by kind."""
