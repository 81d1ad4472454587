"""Finding the memories that are relevant to a task: by words, vectors and code."""
