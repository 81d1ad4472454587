"""Words, tokens, names and escaping: what is done with text everywhere."""
