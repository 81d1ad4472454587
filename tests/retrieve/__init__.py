"""A package, so that its scenes are imported by a name of their own."""
