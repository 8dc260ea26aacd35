"""Investigation: explorers write one markdown report, `structure` turns it into a diagnosis."""
