"""Rewritten commits: what a rebase, amend, squash or cherry-pick made of the commits of memories."""
