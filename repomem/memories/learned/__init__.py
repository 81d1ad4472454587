"""Facts learnt from agent sessions: commands that work here, and fixes of errors. Derived from session notes."""
