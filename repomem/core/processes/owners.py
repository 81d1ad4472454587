"""Who owns a file and may write to it. Windows has no user ids or modes: access lists of the folders decide there."""

import os
import stat

HAS_OWNERS = hasattr(os, "getuid")
ROOT = 0


def user() -> int:
    """The id of this process's user; 0 on Windows."""
    return os.getuid() if HAS_OWNERS else 0


def is_own(found: os.stat_result) -> bool:
    """Whether the file is this user's."""
    return not HAS_OWNERS or found.st_uid == user()


def is_own_or_root(found: os.stat_result) -> bool:
    """Whether the file is this user's or root's, who may change every file anyway."""
    return is_own(found) or found.st_uid == ROOT


def is_writable_by_all(found: os.stat_result) -> bool:
    """Whether every user may write to it. Windows reports a mode that means nothing."""
    return HAS_OWNERS and bool(found.st_mode & stat.S_IWOTH)
