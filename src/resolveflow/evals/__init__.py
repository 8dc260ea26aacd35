"""Measuring: how well the parts that guess do on real reports."""
