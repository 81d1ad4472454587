"""What every package shares: types, errors, ports, configuration, words, tokens, redaction, workers."""
