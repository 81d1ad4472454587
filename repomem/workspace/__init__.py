"""One repository, opened: configuration, stores, snapshot, identity."""
