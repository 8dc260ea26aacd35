"""From raw text to typed evidence: crash formats, environments, kinds of report, missing facts."""
