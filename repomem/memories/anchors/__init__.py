"""The code that a memory is about: found, tracked through history, compared."""
