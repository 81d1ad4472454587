"""Shared storage, optional (`pip install 'repomem[pool]'`): outlines and vectors that clones of a repository share."""
