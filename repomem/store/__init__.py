"""LanceDB tables: derived, deletable."""
