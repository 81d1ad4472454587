"""Sentences of a session to statements: decisions, rules, findings, open ends. Pure."""
