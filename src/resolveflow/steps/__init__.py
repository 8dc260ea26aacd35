"""The stages of a case, one function a file: from values to a value."""
