"""The order of the steps and the durable pause."""
