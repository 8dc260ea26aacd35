"""Prints a small stock list. Crashes with tabulate 0.9.0 as soon as a price is unknown."""

from tabulate import tabulate

STOCK = [
    ["alpha", 12],
    ["beta", None],
]

print(tabulate(STOCK, headers=["item", "price"], maxcolwidths=[5, 5]))
