"""Writes worktree and history to the stores."""
