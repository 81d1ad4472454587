"""What every stage shares: types, errors, ports, configuration, words, tokens, redaction and the worker loop."""
