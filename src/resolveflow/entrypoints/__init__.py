"""The doors: each knows the service, none knows another."""
