"""Redacted text, marked by its type."""

from typing import NewType

CleanText = NewType("CleanText", str)
"""Text from which secrets have been taken: the only text that may become durable or leave this machine."""
NOTHING = CleanText("")
