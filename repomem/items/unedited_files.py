"""The map's line on files not edited by hand: vendored and generated ones, by folder if a whole folder is."""

from collections import Counter
from collections.abc import Iterator, Mapping

from repomem.adapters.languages.file_roles import is_in_test_folder
from repomem.core.text.counts import listed
from repomem.core.text.escape import code, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Role
from repomem.workspace.snapshot import Snapshot

NAMED = 4  # folders and files of each role
SHARE_OF_FOLDER = {Role.VENDORED: 0.8, Role.GENERATED: 1.0}  # a vendored library may have notes next to it
LOCK_FILE = lazy_pattern(r"(?i)(?:.*[.-])?lock(?:\.\w+)?|.*\.lockb?|go\.sum|npm-shrinkwrap\.json")  # known by name


def unedited_text(snapshot: Snapshot) -> str:
    """The vendored and the generated folders and files; empty without any.

    Test data is left out: it is often declared vendored for the sake of statistics, although people edit it.
    """
    versions = snapshot.tree.versions.items()
    roles = {path: one.role for path, one in versions if one.role is not Role.VENDORED or not is_in_test_folder(path)}
    return "; ".join(filter(None, (_of_role(roles, role) for role in SHARE_OF_FOLDER)))


def _of_role(roles: Mapping[str, Role], role: Role) -> str:
    """The folders and files of one role, those with most files first."""
    files: Counter[str] = Counter()
    share = SHARE_OF_FOLDER[role]
    mine = [path for path, of_file in roles.items() if of_file is role]
    if not mine:
        return ""
    inside: Counter[str] = Counter(folder for path in roles for folder in _folders(path))
    of_role: Counter[str] = Counter(folder for path in mine for folder in _folders(path))
    for path in mine:
        wholes = (folder for folder in _folders(path) if of_role[folder] >= share * inside[folder] > share)
        whole = next(wholes, "")
        if of_role[whole] < inside[whole]:  # mixed: use the inner folder that has only them
            whole = next((each for each in _folders(path) if of_role[whole] == of_role[each] == inside[each]), whole)
        if whole or not LOCK_FILE.fullmatch(path.rpartition("/")[2]):
            files[whole or path] += 1
    most = sorted(files, key=lambda path: (-files[path], path.count("/"), path))
    return f"{role}: {listed(most, NAMED, lambda path: code(visible_path(path)))}" if most else ""


def _folders(path: str) -> Iterator[str]:
    """The folders above a path, the outermost first, each with a slash at its end."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[: at + 1]) + "/" for at in range(len(parts)))
