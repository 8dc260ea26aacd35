"""The use cases that every door calls."""
