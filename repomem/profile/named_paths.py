"""The files and folders that a quoted sentence names in code, which may have left the repository since."""

import posixpath
from collections.abc import Iterator

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.profile.manifests.manifest import Manifest
from repomem.profile.manifests.working_folder import GENERATED

_CODE = lazy_pattern(r"`+([^`\n]+?)`+")
_MAKES_IN = lazy_pattern(r"\bmake\b[^|;&]*?\s(?:-C|--directory)[ =]?(\w[\w./-]*)")
_ENTERS = lazy_pattern(r"\bcd\s+(\w[\w./-]*)")
_PATH = lazy_pattern(r"[\w.-]+/(?:[\w.-]+/)*(?:[\w-][\w.-]*\.[a-z]\w*)?")  # a folder, or a file with an extension
_EXAMPLE = lazy_pattern(r"\d|(?i:(?:^|/)(?:your|my|foo|some|new|example)[^/]*/?$)")  # `changelog/1234.fix.md`


def names_absent_file(sentence: str, manifest: Manifest) -> bool:
    """Whether a sentence of a guide names, in code, a file or folder that is not in the repository.

    Files that a build makes are not in git, and names in examples are nowhere: neither counts.
    """
    folders = ("", posixpath.dirname(manifest.path))
    return bool(manifest.paths) and any(
        not any(_is_there(posixpath.normpath(posixpath.join(folder, name)), manifest) for folder in folders)
        for code in _CODE.findall(sentence)
        for name in _named(code, manifest)
    )


def _named(code: str, manifest: Manifest) -> Iterator[str]:
    """The paths in a piece of code: the folders that it enters, or itself if its first folder is in the repository."""
    yield from (f"{folder}/Makefile" for folder in _MAKES_IN.findall(code))
    yield from _ENTERS.findall(code)
    name = code.removeprefix("./")
    is_ours = any(path.startswith(f"{name.partition('/')[0]}/") for path in manifest.paths)
    if is_ours and _PATH.fullmatch(name) and not _EXAMPLE.search(name):
        yield name


def _is_there(path: str, manifest: Manifest) -> bool:
    is_made = any(map(GENERATED.fullmatch, path.split("/")))
    is_makefile = path.endswith("/Makefile")
    return is_made or any(
        each == path or each.startswith(f"{path}/") or (is_makefile and each.casefold().startswith(path.casefold()))
        for each in manifest.paths
    )
