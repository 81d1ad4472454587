"""LanceDB tables: derived from git, so they can be deleted."""

from repomem.adapters.lance.light_import import import_lancedb

import_lancedb()  # before any module here imports LanceDB
