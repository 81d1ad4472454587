"""Lines of patches: which are the same line, altered, copied, moved or lost, and which commits wrote them."""
