"""The outside world, read: git and the work tree."""
