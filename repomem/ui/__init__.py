"""A local page: the memories to look at and to decide about, what briefs show, the repository, and its health."""
