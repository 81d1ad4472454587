"""Renders candidate items within a token budget. Pure."""
