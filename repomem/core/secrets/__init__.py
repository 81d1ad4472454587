"""Secrets in text: the rules that find them, and redaction."""
