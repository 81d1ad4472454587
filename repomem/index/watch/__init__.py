"""The watcher: file events to index runs."""
