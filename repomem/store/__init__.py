"""LanceDB tables: derived, deletable."""

from repomem.store.spared import spare_client

spare_client()  # before any module here imports LanceDB
