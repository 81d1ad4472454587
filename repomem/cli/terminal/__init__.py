"""Streams, errors and exit codes, progress, interrupts, crash reports."""
