"""The address of the server. Client and server compute it in the same way, so only compatible processes connect."""

import os
import stat
import sys
import zlib
from contextlib import suppress

LONGEST_ADDRESS = 100  # bytes; the system's limit is 108


def address() -> str | None:
    """The path of this user's socket for this interpreter and installation; None if there cannot be one.

    Its folder must not depend on variables that hosts withhold from their servers, such as XDG_RUNTIME_DIR.
    """
    if sys.platform != "linux" or not hasattr(os, "fork"):
        return None
    user = os.geteuid()
    folder = next((each for each in (f"/run/user/{user}", _shared(user)) if _is_private(each, user)), "")
    path = f"{folder}/repomem-{zlib.crc32(_identity()):08x}.sock"
    return path if folder and len(path) < LONGEST_ADDRESS else None


def make_folder() -> None:
    """Make the folder for systems without one of the user's; does nothing if it exists or the system is not Linux."""
    if sys.platform != "linux" or not hasattr(os, "fork"):
        return
    with suppress(OSError):
        os.mkdir(_shared(os.geteuid()), 0o700)  # noqa: PTH102  # a client loads no pathlib


def _shared(user: int) -> str:
    return f"/tmp/repomem-{user}"  # noqa: S108  # only this user may enter it


def _identity() -> bytes:
    """The properties that a command and the server must share before the server may run it."""
    interpreter = (sys.prefix, sys.version, sys.getfilesystemencoding(), sys._xoptions)
    flags = (sys.flags.utf8_mode, sys.flags.optimize, sys.flags.dev_mode)
    variables = sorted(each for each in os.environ.items() if each[0] == "HOME" or each[0].startswith("PYTHON"))
    return repr((__file__, interpreter, flags, variables)).encode("utf-8", "surrogatepass")


def _is_private(folder: str, user: int) -> bool:
    """Whether it is a folder that only this user can enter."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077
