"""One module a change of the schema."""
