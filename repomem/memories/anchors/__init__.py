"""Anchors: the code of a memory, found, tracked through history and compared."""
