"""Every command: its name, options and help. Bodies load when a command runs."""
