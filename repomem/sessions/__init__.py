"""Agent sessions: start, notes, end, summary."""
