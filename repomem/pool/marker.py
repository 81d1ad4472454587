"""Whether shared storage may be written to: `repomem store init` leaves a mark where conditional writes work.

LanceDB commits by creating a file on the condition that none of that name exists. Storage that ignores the condition
silently loses rows, so it is tested before the mark is set.
"""

import asyncio
import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from repomem.core.errors import ConfigError, StoreError
from repomem.core.packages import install_hint
from repomem.pool.network import RETRIES, RETRY_TIME

if TYPE_CHECKING:
    from obstore.store import ObjectStore

FORMAT: Final = 1  # of the pool: places, names and columns of tables
MARK: Final = "repomem.json"
MOST_MARK: Final = 4096  # bytes
TIDY_SECONDS: Final = 2  # for storage that may have stopped answering


async def is_set_up(uri: str) -> bool:
    """Whether there is a pool. StoreError if it is one of another format."""
    found = _format_in(await _read(objects(uri), MARK))
    if found not in (None, FORMAT):
        raise StoreError(
            f"the shared storage there has format {found}; this repomem supports {FORMAT}", "upgrade repomem"
        )
    return found is not None


async def set_mark(uri: str) -> None:
    await _put(objects(uri), MARK, json.dumps({"format": FORMAT}).encode() + b"\n")


async def keeps_conditions(uri: str) -> bool:
    """Whether storage honours the condition that a written file must not exist yet. It leaves nothing behind."""
    store, name = objects(uri), f"repomem-probe-{secrets.token_hex(8)}"
    from obstore import delete_async
    from obstore.exceptions import BaseError

    try:
        if not await _put(store, name, b"first"):
            raise StoreError("the storage reports that a new, random file name already exists", "try another bucket")
        is_refused = not await _put(store, name, b"second")
        return is_refused and await _read(store, name) == b"first"
    finally:
        with suppress(BaseError, TimeoutError):  # what went wrong before is what counts
            await asyncio.wait_for(delete_async(store, name), TIDY_SECONDS)


async def claimed(uri: str, name: str) -> bool:
    """Create a file; returns whether there was none. Of concurrent callers exactly one gets True."""
    return await _put(objects(uri), name, b"")


async def unclaimed(uri: str, name: str) -> None:
    """Delete that file, if it exists."""
    from obstore import delete_async
    from obstore.exceptions import NotFoundError

    with suppress(NotFoundError, FileNotFoundError):
        await delete_async(objects(uri), name)


def objects(uri: str) -> "ObjectStore":
    """The object store of an address; credentials come from the environment. ConfigError without the extra."""
    try:
        from obstore.store import from_url
    except ImportError as error:
        raise ConfigError(f"{uri} needs obstore, which is not installed", install_hint("pool")) from error
    return from_url(uri, retry_config={"max_retries": RETRIES, "retry_timeout": RETRY_TIME})


async def sizes_in(uri: str, folder: str) -> dict[str, int]:
    """Bytes of each table in a folder."""
    from obstore import list as listed

    sizes: dict[str, int] = {}
    async for page in listed(objects(uri), prefix=folder):
        for each in page:
            table = each["path"].partition("/")[2].partition(".lance/")[0]
            sizes[table] = sizes.get(table, 0) + each["size"]
    return sizes


async def _put(store: "ObjectStore", name: str, data: bytes) -> bool:
    """Write a file unless there is one; whether it was written."""
    from obstore import put_async
    from obstore.exceptions import AlreadyExistsError

    try:
        await put_async(store, name, data, mode="create")
    except AlreadyExistsError:
        return False
    return True


async def _read(store: "ObjectStore", name: str) -> bytes | None:
    from obstore import get_async
    from obstore.exceptions import NotFoundError

    try:
        found = await get_async(store, name)
    except (NotFoundError, FileNotFoundError):
        return None
    if found.meta["size"] > MOST_MARK:
        raise StoreError(f"{name} was not written by repomem", "choose another folder of the bucket")
    return bytes(await found.bytes_async())


def _format_in(mark: bytes | None) -> int | None:
    if mark is None:
        return None
    try:
        told: Any = json.loads(mark)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or type(told.get("format")) is not int:
        raise StoreError(f"{MARK} there was not written by repomem", "choose another folder of the bucket")
    return int(told["format"])
