"""LanceDB tables: derived, deletable."""

from repomem.adapters.lance.light_import import spare_client

spare_client()  # before any module here imports LanceDB
