"""Memory tasks: does what session 1 recorded help in session 2, and what do stale and irrelevant memories do?"""

from benchmarks.agents.report import main

__all__ = ["main"]
