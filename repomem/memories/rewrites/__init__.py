"""Rewritten commits: the results of a rebase, amend, squash or cherry-pick of memories' commits."""
