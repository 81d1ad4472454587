"""Commits as evidence: matching episodes, reverted changes, lost fixes and similar edits."""
