"""What a memory's life is: how records become memories, what its anchors say, where it is visible. Pure."""
