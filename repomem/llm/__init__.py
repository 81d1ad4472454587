"""Text to text, by a model that the user names."""
