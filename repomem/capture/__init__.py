"""Extracts memories from agent transcripts: the statements of a session to save."""
