"""Bytes to chunks, symbols and words; log to episodes. Pure."""
