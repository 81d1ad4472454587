"""Options, formats, the terminal and the MCP server. No logic."""
