"""Models: text to vectors, and text to text through litellm."""
