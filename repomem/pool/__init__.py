"""Shared storage, optional (the extra `pool`): outlines and vectors that clones of a repository share."""
