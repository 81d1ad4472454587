"""What a repository says about itself: commands, conventions, owners, decisions."""
