"""An open repository: configuration, stores, snapshot, identity."""
