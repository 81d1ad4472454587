"""Shared storage: parsed files and vectors that clones of one repository share."""
