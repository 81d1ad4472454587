"""Transcripts of agent hosts, read into one sequence of steps."""
