"""Pure values and errors: no input, no output, no clock."""
