"""A package, so that its conftest stands beside that of all tests instead of in its place."""
