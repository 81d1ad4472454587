"""Memories shared between clones through a git remote."""
