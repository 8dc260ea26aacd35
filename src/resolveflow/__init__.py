"""ResolveFlow: from a bug report to one approved, byte-exact answer."""
