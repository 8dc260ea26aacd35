"""The tool server: four read-only tools over a pinned tree, for any agent that speaks MCP."""
