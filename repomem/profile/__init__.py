"""Facts from a repository: commands, conventions, owners, decisions."""
