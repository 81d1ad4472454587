"""Answers: brief, map, search, show, log, why."""
