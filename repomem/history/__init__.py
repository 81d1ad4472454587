"""Commits as evidence: episodes, line survival, reverts, and sites that changed alike."""
