"""What belongs to the user rather than to one repository: folders, tokens, own memories, the writer id."""
