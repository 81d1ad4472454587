"""Definitions of the functions that a piece of code calls, found with `git grep`, without opening the index."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from repomem.adapters.git.grep import lines_with_words
from repomem.adapters.languages.file_roles import role_of
from repomem.core.records import Anchor
from repomem.core.symbol_names import last_part
from repomem.core.types.code import FUNCTIONS, Role
from repomem.memories.anchors.find_anchors import EVERYDAY
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import stored_bytes
from repomem.memories.anchors.locate import anchor_on
from repomem.workspace.workspace import Workspace

MOST_NAMES = 8  # of a function's calls that are looked up
MOST_FILES = 8  # with a likely definition: more of them, and the names identify nothing
_CALL = re.compile(r"(?<![\w$.])((?:[A-Za-z_$][\w$]*(?:\.|::|->))*[A-Za-z_$][\w$]*)\s*(?:<[\w, ]*>)?\(")
_JOINT = re.compile(r"\.|::|->")
# A name after a keyword or type, a method of Go, a method of JavaScript: what parses otherwise is left out later.
_LIKELY = (
    r"^(?!\s*(?:return|await|yield|throw|raise|if|elif|else|while|until|unless|case|when|not|and|or|in|new|delete)\b)"
    r"[^=.()]*[A-Za-z_>*&][ \t*&]+({0})[ \t]*[(<=:]"
    r"|func[ \t]*\([^)]*\)[ \t]*({0})[ \t]*[(\[]"
    r"|^[ \t]+({0})[ \t]*\([^;]*\{{[ \t]*$"
)


def names_called(body: str, symbol: str) -> list[str]:
    """The last names of a function's calls, in order, without itself and built-ins."""
    own = last_part(symbol)
    calls = (_JOINT.split(name) for name in _CALL.findall(body))
    return list(dict.fromkeys(names[-1] for names in calls if names[-1] not in {own, *EVERYDAY}))


def code_called(workspace: Workspace, prints: Fingerprints, path: str, names: Sequence[str]) -> Iterator[Anchor]:
    """Anchors on the definitions of names that the file of the call, or else one other source, defines once."""
    wanted = names[:MOST_NAMES]
    defines = re.compile(_LIKELY.format("|".join(map(re.escape, wanted))))
    lines = lines_with_words(workspace.repository, "HEAD", wanted, PurePosixPath(path).suffix)
    rows = (line.split(":", 2) for line in lines if line.count(":") > 1)
    paths = dict.fromkeys([path, *(file for file, _, text in rows if defines.search(text))])
    sources = [each for each in paths if role_of(each, "", {}) is Role.SOURCE]
    if not wanted or len(sources) > MOST_FILES:
        return
    blobs = {each: found[0] for each in sources if (found := stored_bytes(workspace, each))}
    prints.learn((blob, each) for each, blob in blobs.items())
    for name in wanted:
        defined = [
            anchor_on(each, blob, one)
            for each, blob in blobs.items()
            for one in prints.of(blob)
            if one.kind in FUNCTIONS and last_part(one.qualified) == name
        ]
        nearest = [each for each in defined if each.path == path] or defined
        if len(nearest) == 1:
            yield from nearest
