"""How a repository's size is felt: index, store, recall, search and memory, at sizes that few repositories have."""

from benchmarks.scale.report import main

__all__ = ["main"]
