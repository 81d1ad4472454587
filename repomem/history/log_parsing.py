"""Git log records to episodes: kind of change, pull request, reverted commits, changed symbols."""

import re
from collections.abc import Iterable

from repomem.adapters.languages.definition_lines import changed_names
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import SYMBOLS_KEPT, Episode, Hunk, LogRecord

BULK_FILES = 50  # a commit with more is a rename, a reformat or an import: its files are unrelated

KIND = lazy_pattern(
    r"(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([^()]*\))?!?:\s", re.IGNORECASE
)
PULL_REQUEST_IN_SUBJECT = (
    lazy_pattern(r"Merge pull request #(\d+)\b"),
    lazy_pattern(r"\([#!](\d+)\)\s*$", re.MULTILINE),  # elsewhere in a line it is another one
    lazy_pattern(r"^(?:Merge )?!(\d+)\b"),
)
MERGE_REQUEST_IN_BODY = lazy_pattern(r"^See merge request \S*!(\d+)\s*$", re.MULTILINE)
LARGEST_NUMBER = 2**31  # of a pull request
TRAILER = lazy_pattern(r"([A-Za-z][A-Za-z0-9-]*)\s?: (\S.*)")
CHERRY_PICK = lazy_pattern(r"\(cherry picked from commit ([0-9a-f]+)\)")
REVERTED_COMMIT = lazy_pattern(r"^This reverts (?:commits? )?([0-9a-f]{7,64})\b", re.MULTILINE)
REVERTED_COMMITS = lazy_pattern(
    r"^(?:This|Also) reverts? (?:commits? )?((?:[0-9a-f]{7,64}\b(?:,? and |, )?)+)", re.MULTILINE
)
_HASH = lazy_pattern(r"[0-9a-f]{7,64}\b")
REVERTED_MERGE = lazy_pattern(
    r"^This reverts commit ([0-9a-f]{40,64}), reversing\s+changes\s+made\s+to\s+([0-9a-f]{40,64})\b", re.MULTILINE
)
PARTIAL_REVERT = lazy_pattern(r"\bpart(?:ial|ially|ly) revert", re.IGNORECASE)
REVERTED_SUBJECT = lazy_pattern(r'Revert "(.*)"')
REVERTED_IN_SUBJECT = lazy_pattern(  # "Back out 1234abcd", "Revert changeset 1234abcd"
    r"(?:[\w()/-]+: )?(?:revert|back(?:ed)? ?out)s? (?:(?:of|commit|changeset|change|revision) )*"
    r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)([0-9a-f]{7,64})\b",
    re.IGNORECASE,
)


def episode_of(record: LogRecord, symbols: Iterable[str] = ()) -> Episode:
    """One commit as an episode: its first paragraph is the subject, the rest without trailers the body."""
    message = record.message.replace("\r\n", "\n").strip()
    lines, _, rest = message.partition("\n\n")
    subject = " ".join(lines.split())
    body, trailers = _without_trailers(rest.strip())
    kind = KIND.match(subject)
    return Episode(
        commit=record.commit,
        parents=record.parents,
        author=record.author,
        date=record.date,
        time=record.time,
        subject=subject,
        body=body,
        files=record.files,
        kind=kind[1].lower() if kind else "",
        pull_request=_pull_request(lines, rest),
        trailers=trailers,
        reverts=_reverts(subject, rest),
        is_bulk=len(record.files) > BULK_FILES,
        symbols=tuple(symbols),
    )


def reverted_range(episode: Episode) -> tuple[str, str] | None:
    """The merge that a message reverts, and the commit that it was merged into; None if it reverts no merge."""
    found = REVERTED_MERGE.search(episode.body) if episode.reverts else None
    return (found[1], found[2]) if found else None


def also_reverted(episode: Episode) -> list[str]:
    """The hashes, perhaps abbreviated, of further commits that the message of a revert names."""
    lists = REVERTED_COMMITS.findall(episode.body) if episode.reverts else []
    return [name for named in lists for name in _HASH.findall(named) if name != episode.reverts]


def symbols_of(hunks: Iterable[Hunk]) -> dict[str, tuple[str, ...]]:
    """The definitions that each commit changed, as "path:name" in the order of the patch; read from lines alone."""
    found: dict[str, dict[str, None]] = {}
    for hunk in hunks:
        symbols = found.setdefault(hunk.commit, {})
        if _is_layout(hunk):
            continue
        for name in changed_names(hunk.path, hunk.heading, _changed(hunk)):
            if len(symbols) < SYMBOLS_KEPT:
                symbols[f"{hunk.path}:{name}"] = None
    return {commit: tuple(symbols) for commit, symbols in found.items() if symbols}


def _is_layout(hunk: Hunk) -> bool:
    """Whether it changes only white space within or between its lines."""
    before, after = ("".join("".join(lines).split()) for lines in (hunk.removed_lines, hunk.added))
    return before == after


def _changed(hunk: Hunk) -> list[str]:
    """The lines of a hunk without the first and last ones that differ only in white space."""
    removed, added = list(hunk.removed_lines), list(hunk.added)
    for end in (0, -1):
        while removed and added and removed[end].split() == added[end].split():
            del removed[end], added[end]
    return [*removed, *added]


def _pull_request(subject: str, body: str) -> int | None:
    subject = REVERTED_SUBJECT.sub("", subject)  # its numbers are those of the reverted commit
    numbers = [found[1] for pattern in PULL_REQUEST_IN_SUBJECT if (found := pattern.search(subject))]
    numbers += MERGE_REQUEST_IN_BODY.findall(body)
    return next((int(number) for number in numbers if len(number) < 10 and int(number) < LARGEST_NUMBER), None)


def _reverts(subject: str, body: str) -> str:
    """The hash of the reverted commit in the message, else the quoted subject; empty if it reverts none as a whole."""
    if PARTIAL_REVERT.search(f"{subject}\n{body}"):
        return ""
    if commit := REVERTED_COMMIT.search(body) or REVERTED_IN_SUBJECT.match(subject):
        return commit[1]
    quoted = REVERTED_SUBJECT.match(subject)
    return quoted[1] if quoted else ""


def _without_trailers(body: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The body and the trailers: the last paragraph, if each of its lines is or continues a trailer."""
    text, _, last = body.rpartition("\n\n")
    trailers: list[tuple[str, str]] = []
    for line in last.splitlines():
        if found := TRAILER.fullmatch(line.rstrip()):
            trailers.append((found[1], found[2]))
        elif picked := CHERRY_PICK.fullmatch(line.rstrip()):
            trailers.append(("Cherry-picked-from", picked[1]))
        elif trailers and line[:1].isspace():
            name, value = trailers[-1]
            trailers[-1] = (name, f"{value} {line.strip()}")
        else:
            return body, ()
    return text.rstrip(), tuple(trailers)
