"""Processes and threads: workers, background processes, locks, and who owns a process."""
