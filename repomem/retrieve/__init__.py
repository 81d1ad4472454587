"""Question to ordered hits: gather, score, fuse, rank. Pure but for the ports."""
