"""Reads the settings once, loads backends by name and binds the graph."""
