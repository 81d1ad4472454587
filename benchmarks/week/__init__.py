"""Does a later session know what an earlier one decided: a week of ten sessions in three hosts."""

from benchmarks.week.report import main

__all__ = ["main"]
