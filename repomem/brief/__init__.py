"""Candidate items to text within a token budget. Pure."""
