"""Are memories found, are they current, and is none lost: over a generated repository with generated memories."""

from benchmarks.memory.report import main

__all__ = ["main"]
