"""Memories, their anchors and their status."""
