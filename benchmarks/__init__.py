"""Measurements on pinned public repositories; `python -m benchmarks` says which. Raw results lie in `results`."""
