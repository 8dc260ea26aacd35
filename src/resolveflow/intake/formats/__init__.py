"""One module per family of crash formats, each with `SIGNS` and `scan(lines)`.

A family is tried only where one of its `SIGNS` is in the text. `scan` goes over the lines once,
with patterns that look at one line at a time, so that the time is linear in the text.
"""
