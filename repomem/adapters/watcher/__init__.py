"""File events of the operating system."""
