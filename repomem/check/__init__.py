"""Checks a change against memories and history."""
