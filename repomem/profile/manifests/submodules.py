"""The command that fetches git submodules, where the README, a guide or CI says that they are needed."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.manifest import MAX_FACT_CHARS

_SAYS_SO = lazy_pattern(  # a command, an option of `git clone`, or one of GitHub's checkout action
    r"(?P<command>git submodule update(?: --?[\w-]+)*)|git clone .*--recurs(?:e-submodules|ive)\b"
    r"|^\s*submodules:\s*['\"]?(?P<checkout>true|recursive)\b",
    re.MULTILINE,
)
_PLACES = (r"[^/]*readme[^/]*", r"(?:\.github/|docs/)?contributing\.\w+", r"\.github/workflows/.*")


def with_submodules(facts: Iterable[Fact], files: Mapping[str, str], paths: Collection[str]) -> Iterator[Fact]:
    """The facts, with the builds after the command that fetches the submodules."""
    fetch = _fetching(files) if ".gitmodules" in paths else ""
    for fact in facts:
        text = f"{fetch} && {fact.text}"
        is_needed = fetch and fact.slot == "build" and "submodule" not in fact.text and len(text) <= MAX_FACT_CHARS
        yield replace(fact, text=text) if is_needed else fact


def _fetching(files: Mapping[str, str]) -> str:
    """The command as the first file gives it; empty if none does."""
    for place in _PLACES:
        for path in sorted(path for path in files if re.fullmatch(rf"(?i:{place})", path)):
            if said := _SAYS_SO.search(files[path]):
                recursively = "" if said["checkout"] == "true" else " --recursive"
                return said["command"] or f"git submodule update --init{recursively}"
    return ""
