"""Extracts statements from a session's sentences: decisions, rules, findings, open work. Pure."""
