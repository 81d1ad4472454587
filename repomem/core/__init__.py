"""Shared by all packages: types, errors, ports, configuration, words, tokens, redaction, workers."""
