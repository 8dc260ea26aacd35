"""Prompts as markdown files, and `render` to fill them in."""
