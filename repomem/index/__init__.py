"""Writes work tree and history to the stores."""
