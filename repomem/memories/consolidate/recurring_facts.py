"""What commits and sessions show again and again: three kinds of facts, each with the support that it rests on.

Files that change together, an error and the change after which its command passed, and a command that passes. Nothing
is guessed from words: a fact is counted, or read from notes that machines wrote in one of the two forms below.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

from repomem.core.distilled import Distilled, Sort
from repomem.core.records import Event, Record
from repomem.core.types import Episode
from repomem.ranking.co_change import MOST_FILES, files_by_commit

FEWEST_COMMITS = 5  # that changed both files; four may be chance
LEAST_SHARE = 0.6  # of the commits that changed either
FEWEST_SESSIONS = 3  # in which a command passed, or touched a file
MOST_BETWEEN = 5  # commits between a failure and a pass: behind more of them nobody knows which it was
KEPT = {Sort.TOGETHER: 200, Sort.CURE: 50, Sort.PASSES: 50}
HASH_START = 7  # digits by which a message may name a commit
LONGEST = 200  # characters of a command or an error line
TRIED = "tried: "  # before what a session tried and gave up, in the note of it

_RAN = re.compile(r"ran: (?P<command>.+?) -> exit (?P<code>\d{1,5})(?:: (?P<error>.+))?")
_TOUCHED = re.compile(r"touched: (?P<path>.+)")


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run in a session: `ran: make test -> exit 1: ImportError: no module named x`."""

    command: str
    code: int
    error: str = ""  # the line that says what went wrong

    @property
    def text(self) -> str:
        """The note's text, to be redacted before it is kept."""
        said = f"ran: {_folded(self.command).replace(' -> exit ', ' → exit ')} -> exit {self.code}"
        return f"{said}: {_folded(self.error)}" if self.error.strip() else said


def ran_in(text: str) -> Ran | None:
    """The command that a note tells of; None where it is another note."""
    found = _RAN.fullmatch(text)
    return Ran(found["command"], int(found["code"]), found["error"] or "") if found else None


def touched_text(path: str) -> str:
    """The note of a file that was written in a session."""
    return f"touched: {path}"


def touched_in(text: str) -> str:
    """The file that a note tells of; empty where it is another note."""
    found = _TOUCHED.fullmatch(text)
    return found["path"] if found else ""


def together(episodes: Sequence[Episode], live: AbstractSet[str]) -> list[Distilled]:
    """Pairs of live files that change together, the most frequent first; `episodes` are newest first.

    The share is of the commits that changed either. Reverted commits and their reverts show nothing.
    """
    undone = undone_in(episodes)
    commits: Counter[str] = Counter()
    both: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each, files in files_by_commit(episodes, live):
        if each.commit in undone:
            continue
        commits.update(files)
        for pair in combinations(sorted(files), 2):
            both[pair].append(each.commit)
    newest = episodes[0].commit if episodes else ""
    found = [
        Distilled(Sort.TOGETHER, pair, tuple(support), (), len(support), either, newest)
        for pair, support in both.items()
        if len(support) >= FEWEST_COMMITS
        and len(support) >= LEAST_SHARE * (either := commits[pair[0]] + commits[pair[1]] - len(support))
    ]
    return sorted(found, key=lambda each: (-each.count, each.of, each.paths))[: KEPT[Sort.TOGETHER]]


def undone_in(episodes: Iterable[Episode]) -> set[str]:
    """The commits that others revert, and those others."""
    known = list(episodes)
    by_start = {each.commit[:HASH_START]: each.commit for each in known}
    by_subject = {each.subject: each.commit for each in reversed(known)}  # of two the newer one
    undone: set[str] = set()
    for each in known:
        if each.reverts:
            target = by_start.get(each.reverts[:HASH_START]) or by_subject.get(each.reverts, "")
            undone |= {each.commit, target}
    return undone - {""}


def cures(records: Iterable[Record], episodes: Mapping[str, Episode]) -> list[Distilled]:
    """Errors with the change after which the same command passed in the same session, the newest first.

    `episodes` has the commits of this history. Without a commit or a touched file in between it proves nothing.
    """
    undone = undone_in(episodes.values())
    found: list[Distilled] = []
    for notes in notes_by_session(records).values():
        found += (each for each in _cured(notes, episodes) if undone.isdisjoint(each.commits))
    return sorted(found, key=lambda each: each.records[1], reverse=True)[: KEPT[Sort.CURE]]


def passes(records: Sequence[Record]) -> list[Distilled]:
    """Commands that passed in several sessions, with the files that these touched: the most frequent first."""
    sessions = notes_by_session(records)
    passed: dict[str, dict[str, str]] = defaultdict(dict)  # command to session to its last note
    for session, notes in sessions.items():
        for note in notes:
            ran = ran_in(note.text)
            if ran and ran.code == 0:
                passed[ran.command][session] = note.id
    files = _files_of_sessions(records)
    found = [_passed(notes, files) for notes in passed.values() if len(notes) >= FEWEST_SESSIONS]
    return sorted(found, key=lambda each: (-each.count, each.records))[: KEPT[Sort.PASSES]]


def notes_by_session(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The notes of each session that is known by an id, oldest first; those that were forgotten are left out."""
    known = list(records)
    forgotten = {target for record in known if record.event is Event.FORGET for target in record.targets}
    found: dict[str, list[Record]] = defaultdict(list)
    for record in known:
        session = record.origin.session
        if record.event is Event.SESSION_NOTE and session and not forgotten & {record.id, session}:
            found[session].append(record)
    return found


def _cured(notes: Sequence[Record], episodes: Mapping[str, Episode]) -> Iterator[Distilled]:
    """What one session shows: of each command its last failure before it passed."""
    failed: dict[str, int] = {}
    for at, note in enumerate(notes):
        ran = ran_in(note.text)
        if ran is None:
            continue
        if ran.code:
            failed.pop(ran.command, None)
            if ran.error:
                failed[ran.command] = at
        elif ran.command in failed:
            start = failed.pop(ran.command)
            yield from _cure(notes[start : at + 1], episodes)


def _cure(notes: Sequence[Record], episodes: Mapping[str, Episode]) -> Iterator[Distilled]:
    """The change between a failure, the first of the notes, and a pass, the last."""
    first, *between, last = notes
    commits = _commits_between(first.origin.head, last.origin.head, episodes)
    if commits is None:
        return
    touched = {note.id: path for note in between if (path := touched_in(note.text))}
    changed = [file.path for commit in commits for file in episodes[commit].files]
    paths = tuple(dict.fromkeys((*changed, *touched.values())))
    if paths and len(paths) <= MOST_FILES:
        yield Distilled(Sort.CURE, paths, commits, (first.id, last.id, *touched), len(commits))


def _commits_between(old: str, new: str, episodes: Mapping[str, Episode]) -> tuple[str, ...] | None:
    """What leads from one commit to another, newest first; None where the way is too long or another."""
    found: list[str] = []
    while new != old:
        episode = episodes.get(new)
        if episode is None or episode.is_merge or not episode.parents or len(found) == MOST_BETWEEN:
            return None
        found.append(new)
        new = episode.parents[0]
    return tuple(found)


def _passed(notes: Mapping[str, str], files: Mapping[str, AbstractSet[str]]) -> Distilled:
    touched = Counter(path for session in notes for path in files.get(session, ()))
    paths = tuple(sorted(path for path, count in touched.items() if count >= FEWEST_SESSIONS))
    return Distilled(Sort.PASSES, paths, (), tuple(sorted(notes.values(), reverse=True)), len(notes))


def _files_of_sessions(records: Iterable[Record]) -> dict[str, set[str]]:
    """The files that each session touched, by its notes and by what was written at its end."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        if record.event is Event.SESSION_END:
            found[record.origin.session].update(record.files)
        elif record.event is Event.SESSION_NOTE and (path := touched_in(record.text)):
            found[record.origin.session].add(path)
    return found


def _folded(text: str) -> str:
    return " ".join(text.split())[:LONGEST]


def supported(distilled: Iterable[Distilled], commits: set[str], records: set[str]) -> Iterator[Distilled]:
    """Those of which every commit still counts and every note is still there."""
    for each in distilled:
        if commits.issuperset(each.commits) and records.issuperset(each.records):
            yield each
