"""Everything that touches the outside world, one port implementation a module."""
