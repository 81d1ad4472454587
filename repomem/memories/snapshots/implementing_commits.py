"""Decisions that a later commit implements: for a decision recorded just before its work, that commit is not drift.

The first commit that changes the code of a decision implements it if the file then has a word or number of the
decision that it lacked, and most of its words, or of those before its reason, are in the commit's message or new
lines. A commit that removes one, or reverts something, does not. Of 880 subjects of earlier commits to a file, read as
decisions, the next commit to it seemed to implement 4; their own commit, 199.
"""

from collections.abc import Iterable, Mapping

from repomem.core.digests import short_digest
from repomem.core.records import Anchor, Memory, MemoryContent, MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import distinctive_stems, stems_of
from repomem.memories.anchors.locate import cache_anchors
from repomem.memories.status import Locations, Status
from repomem.workspace.workspace import Workspace

IMPLEMENTED_IN = "implemented in"  # cache key, with the commit and a digest of the text, of "yes" or "no"
SHARE = 0.6  # of the words of a decision
FEWEST_WORDS = 3
MOST_LINES = 1_000_000  # around a change: the whole file
COMMON_WORDS = stems_of("and are for from get has into its now only set that the then this use uses used with will")
_REJECTED = lazy_pattern(
    r"(?i)(?:\b(?:not|never|no|no longer|instead of|rather than|without|over|than|avoid|drop|stop|from)|n't)\b[^,;.:]*"
)
_REASON = lazy_pattern(r"(?is)(?:[:;]\s|,?\s(?:because|since|so that)\b).*")
_UNDOES = lazy_pattern(r"(?i)\b(revert|undo|remov|drop|stop|deprecat|no longer)")
_NUMBER = lazy_pattern(r"(?<![\w.])\d+(?:[._]\d+)*")


def implementing_commits(
    workspace: Workspace, memories: Mapping[str, Memory], locations: Locations, known: Iterable[str]
) -> dict[str, str]:
    """Maps decisions to the commit that implements them, except the `known` ones; answers are cached."""
    found: dict[str, str] = {}
    for name, located in locations.items():
        said = memories[name].said
        drifted = next((one for one in located if one.status is Status.DRIFTED and one.commit), None)
        is_open = said.kind is MemoryKind.DECISION and name not in known
        if drifted and is_open and _is_implemented(workspace, said, drifted.commit, drifted.anchor):
            found[name] = drifted.commit
    return found


def _is_implemented(workspace: Workspace, said: MemoryContent, commit: str, anchor: Anchor) -> bool:
    key = f"{IMPLEMENTED_IN} {commit} {short_digest(said.text)}"
    answer = workspace.catalog.memory_cache.get(anchor, key)
    if not answer:
        message, patch = _change(workspace, commit, [each.path for each in said.anchors])
        answer = "yes" if implements(said, message, patch) else "no"
        cache_anchors(workspace, [(anchor, key, answer)])
    return answer == "yes"


def implements(said: MemoryContent, message: str, patch: str) -> bool:
    """Whether a commit with this message and patch, which shows whole files, implements a decision."""
    lines = [line for line in patch.splitlines() if not line.startswith(("+++", "---"))]
    added, removed, unchanged = (_words("\n".join(line[1:] for line in lines if line[:1] == sign)) for sign in "+- ")
    rejected = _words(" ".join(said.rejected))
    wanted, stated = (_words(_REJECTED.sub("", text)) - rejected for text in (said.text, _REASON.sub("", said.text)))
    new, gone, about = added - removed - unchanged, removed - added, _words(message)
    undone = set(_UNDOES.findall(message.lower())) - set(_UNDOES.findall(said.text.lower()))
    is_contrary = bool(wanted & gone or undone)
    return not is_contrary and any(_is_mostly_in(words, new, about) for words in (wanted, stated))


def _is_mostly_in(words: frozenset[str], new: frozenset[str], about: frozenset[str]) -> bool:
    """Whether some of the words are new in the file, and most of them there or in the message."""
    return bool(words & new) and len(words & (new | about)) >= max(FEWEST_WORDS, SHARE * len(words))


def _words(text: str) -> frozenset[str]:
    return distinctive_stems(text, COMMON_WORDS) | frozenset(_NUMBER.findall(text))


def _change(workspace: Workspace, commit: str, paths: Iterable[str]) -> tuple[str, str]:
    """A commit's message, and its patch of files with all their lines; no patch of a merge."""
    if workspace.repository.is_partial:
        return "", ""
    options = ("--no-color", "--no-ext-diff", "--no-textconv", f"--unified={MOST_LINES}", "--format=%B%x00")
    text = workspace.repository.read("show", *options, commit, "--", *paths).decode("utf-8", "replace")
    message, _, patch = text.partition("\0")
    return message, patch
