"""Connections to LanceDB in shared storage. Credentials come from the environment, as LanceDB reads them."""

import os
from datetime import timedelta
from typing import TYPE_CHECKING, Final

os.environ.setdefault("LANCEDB_LOG", "error")  # a warning of LanceDB on stderr is noise to an agent

import lancedb

if TYPE_CHECKING:
    from lancedb.db import AsyncConnection

NAMES_AT_ONCE: Final = 1_000
RETRIES: Final = 2  # of a request, instead of ten: callers have a deadline
RETRY_TIME: Final = timedelta(seconds=5)
CACHE_BYTES: Final = 32 << 20  # LanceDB's own defaults are GiB


async def connected(uri: str, folder: str) -> "AsyncConnection":
    """The database in a folder of an object store."""
    session = lancedb.Session(index_cache_size_bytes=CACHE_BYTES, metadata_cache_size_bytes=CACHE_BYTES)
    options = {"client_max_retries": str(RETRIES), "client_retry_timeout": str(RETRY_TIME.seconds)}
    place = f"{uri.rstrip('/')}/{folder}"
    return await lancedb.connect_async(place, session=session, storage_options=options)


async def names_of(database: "AsyncConnection") -> list[str]:
    """The names of all tables."""
    names: list[str] = []
    token = None
    while True:
        page = await database.list_tables(page_token=token, limit=NAMES_AT_ONCE)
        names += page.tables
        token = page.page_token
        if not token:
            return names
