"""Reading a source tree: definitions, search, frames to files, localization."""
