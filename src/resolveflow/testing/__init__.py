"""Fakes, stand-ins and promise suites for every port."""
