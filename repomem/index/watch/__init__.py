"""The watcher: turns file events into index runs."""
