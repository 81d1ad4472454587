"""Question and evidence to ranked files, definitions and memories. Pure."""
