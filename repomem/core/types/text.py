"""Redacted text, marked by its type."""

from typing import NewType

CleanText = NewType("CleanText", str)
"""Redacted text: the only text that may be stored or leave this machine."""
NOTHING = CleanText("")
