"""Commands that agent hosts call (hooks and the MCP server), and `repomem agents`."""
