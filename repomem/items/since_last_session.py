"""Candidate items for what others changed since the user's last session: commits by theme, memories, open branches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.git.branches import OpenBranch
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.memories import memory_renderings, status_note
from repomem.core.grouping import grouped_by
from repomem.core.text.counts import counted, listed
from repomem.core.text.escape import code, one_line, quoted, visible, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import Episode, short_hash
from repomem.items.memory_item import item_of
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import MemoryState

SUBJECTS = 3  # of a theme, named
SUBJECT_LENGTH = 80  # characters
NAMES = 4  # of authors, files or functions
NAME_LENGTH = 60
_SCOPE = lazy_pattern(r"[a-z]+\(([^()]{1,40})\)!?:\s")  # of a conventional commit: `fix(parser): …`
_AREA = lazy_pattern(r"([a-z][\w./-]{1,30}):\s")  # `parser: accept …`


@dataclass(frozen=True, slots=True)
class BranchWork:
    """The functions of the user that another branch changes, as "path:name"."""

    branch: OpenBranch
    functions: Mapping[str, tuple[int, int]]  # to its first and last changed line on the branch


@dataclass(frozen=True, slots=True)
class ChangesByOthers:
    """What others changed in the user's code."""

    commits: tuple[Episode, ...] = ()  # newest first
    drifted: tuple[MemoryState, ...] = ()  # by one of these commits
    decisions: tuple[MemoryState, ...] = ()  # that a sync brought
    branches: tuple[BranchWork, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.commits or self.drifted or self.decisions or self.branches)


def items_since(known: MemorySnapshot, found: ChangesByOthers) -> Iterator[CandidateItem]:
    """The candidate items."""
    for row, states in ((order.SINCE_DRIFTED, found.drifted), (order.SINCE_DECISION, found.decisions)):
        for at, one in enumerate(states):
            yield CandidateItem(*row.nth(at), tuple(_memory(known, one)), sources=frozenset([one.memory.id]))
    for at, (theme, commits) in enumerate(themes_of(found.commits)):
        yield CandidateItem(*order.SINCE_COMMITS.nth(at), tuple(_commits(theme, commits)))
    for at, work in enumerate(found.branches):
        yield CandidateItem(*order.SINCE_BRANCH.nth(at), (_branch(work),))


def themes_of(commits: Sequence[Episode]) -> list[tuple[str, list[Episode]]]:
    """The commits by theme, the theme with most commits first, then by name; each in the given order."""
    return sorted(grouped_by(commits, theme_of).items(), key=lambda each: (-len(each[1]), each[0]))


def theme_of(commit: Episode) -> str:
    """The scope or area that the subject names, else the folder of most of its files, else its kind."""
    if scope := _SCOPE.match(commit.subject):
        return scope[1]
    if (area := _AREA.match(commit.subject)) and not commit.kind:
        return area[1]
    folders = [file.path.rpartition("/")[0] for file in commit.files]
    folder = min(set(folders), key=lambda name: (-folders.count(name), name), default="")
    return visible_path(folder) if folder else commit.kind or "top folder"


def _commits(theme: str, commits: Sequence[Episode]) -> Iterator[Rendering]:
    """One line: the number, the authors, the newest subjects, the files; shorter ones without the files."""
    first = commits[0]
    authors = listed(list(dict.fromkeys(one_line(visible(each.author), NAME_LENGTH) for each in commits)), NAMES)
    head = f"- {one_line(visible(theme), NAME_LENGTH)}: {counted(len(commits), 'commit')} by {authors}"
    paths = list(dict.fromkeys(file.path for each in commits for file in each.files))
    files = listed(paths, NAMES, lambda path: code(visible_path(path)))
    item = BriefItem(
        kind="episode",
        id=short_hash(first.commit),
        title=theme,
        commit=first.commit,
        date=first.date,
        source="commit",
        author=one_line(first.author, NAME_LENGTH),
    )
    for count in (SUBJECTS, 1):
        shown = [f"{short_hash(each.commit)} {quoted(one_line(each.subject, SUBJECT_LENGTH))}" for each in commits]
        text = listed(shown, count)
        whole = replace(item, text=text)
        yield Rendering(f"{head}: {text} · in {files}", whole)
        yield Rendering(f"{head}: {text}", whole)


def _memory(known: MemorySnapshot, one: MemoryState) -> list[Rendering]:
    memory = one.memory
    item = item_of(known, one)
    by = f" by {short_hash(one.commit)}" if one.commit else ""
    note = status_note(one.status.value, one.commit, one.why) or (f"its code was removed{by}" if by else "")
    return memory_renderings(memory, item, label=item.kind, note=note)


def _branch(work: BranchWork) -> Rendering:
    branch = work.branch
    name = one_line(visible(branch.name), NAME_LENGTH)
    who = one_line(visible(branch.author), NAME_LENGTH)
    places = []
    for function, (first, last) in work.functions.items():
        path, _, symbol = function.rpartition(":")
        span = f"{first}-{last}" if last > first else str(first)
        places.append(f"{code(visible(symbol))} at {code(f'{visible_path(path)}:{span}')}")
    text = f"changes {listed(places, NAMES)}"
    item = BriefItem(
        kind="branch",
        id=short_hash(branch.commit),
        title=name,
        text=text,
        commit=branch.commit,
        date=branch.date,
        source="commit",
        author=who,
        visible_on=name,
    )
    return Rendering(f"- branch {code(name)} {text} · {who} {branch.date}", item)
