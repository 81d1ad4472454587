"""The brief without a question: the map of the repository. Made when it is indexed, printed at once."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from repomem.brief.items import TITLES, Draft, Form, Offer, Section
from repomem.brief.lines import code, episode_form, fact_form
from repomem.brief.render import brief_of
from repomem.core.escape import one_line, visible_path
from repomem.core.types import Brief, BriefItem, Episode, Fact, Gate, IndexedFile, Role
from repomem.core.words import whole
from repomem.history.episodes import episodes_with_state
from repomem.items.decisions import mined_offers
from repomem.items.facts import facts_of, of_kinds, warning_offers
from repomem.items.memories import Task, memory_offers
from repomem.items.sessions import session_offers
from repomem.memories.snapshot import memories_in
from repomem.profile.corrections import corrections_in
from repomem.profile.profile import lines_of, needs
from repomem.profile.slots import Slot, SlotLine, Voice
from repomem.workspace.cached_brief import brief_text, keep_brief, twin_brief
from repomem.workspace.identity import state_of
from repomem.workspace.ledger import stamp_here
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import Workspace

NEWEST = 2_000  # episodes that the map reads
YEAR = timedelta(days=365)
FOLDERS = 8
CENTRAL = 7  # files named as those where things are
NAMES = 5  # definitions named of each
BUSY = 6  # files named as changed most
REVERTS = 3
LATEST = 4
TITLES_OF_MAP = {**TITLES, Section.WHERE: "## Where things are", Section.HAPPENED: "## Lately, and taken back"}
SAID = 9.0  # by a person: before all that was read
HELD_FACTS = {"runtime": 10.0, "ci": 10.8}  # that are no slots of their own
HELD = {  # slots of the profile among what holds; the files' own words, then the rest, after where things are
    Slot.BUILD: 10.2,
    Slot.TEST: 10.2,
    Slot.LINT: 10.2,
    Slot.PITFALLS: 10.9,
    Slot.CONVENTIONS: 30.0,
    Slot.OWNERS: 30.0,
}
PLAIN_LANGUAGES = frozenset(
    ["", "markdown", "json", "yaml", "toml", "html", "css", "make"]
)  # define nothing to be named
NAMED_KINDS = frozenset(["class", "interface", "struct", "enum", "trait", "module", "type", "function"])
COMMON_STEMS = frozenset(
    [
        "index",
        "main",
        "init",
        "mod",
        "lib",
        "utils",
        "util",
        "common",
        "base",
        "core",
        "test",
        "tests",
        "types",
        "setup",
    ]
)


@dataclass(frozen=True, slots=True)
class Lately:
    """The newest episodes, and how often each live file was changed in the year before the head."""

    episodes: Sequence[Episode]  # newest first
    changes: Mapping[str, int]
    since: str  # YYYY-MM-DD
    commits: int  # in that year, without merges


def map_brief(
    snapshot: Snapshot, budget: int, warnings: Sequence[str] = (), kinds: frozenset[str] = frozenset()
) -> Brief:
    """What this repository is, what holds in it, where things are, and what happened lately; `kinds` as in `Ask`."""
    lately = _lately(snapshot)
    known = memories_in(snapshot)
    state = state_of(snapshot.workspace, snapshot.worktree)
    lines = lines_of(snapshot.worktree, corrections_in(known.records))
    memories = memory_offers(snapshot.workspace, known, Task(None))
    offers = [
        *warning_offers(warnings),
        *memories.offers,
        *mined_offers(snapshot, Task(None)),
        *session_offers(snapshot.workspace, known, state.head, state.branch),
        *_shape(snapshot, lately, lines),
        *_held(facts_of(snapshot), lines),
        *_entries(lines),
        *_central(snapshot, lately),
        *_busy(lately),
        *_happened(snapshot, lately),
    ]
    closing = (f"{memories.absent}." if memories.absent else "", _uncommitted(snapshot))
    draft = Draft(_title(state.name, lines), tuple(of_kinds(offers, kinds)), closing, TITLES_OF_MAP)
    return brief_of(draft, state, "", budget, Gate("use", "the map of the repository"))


def cache_map(workspace: Workspace) -> None:
    """Make the map of the published state and keep it in the catalog, or take over that of an identical work tree."""
    stamp = stamp_here(workspace)
    now = snapshot(workspace)
    if now is not None:
        text = twin_brief(workspace)
        keep_brief(workspace, text or brief_text(map_brief(now, workspace.loaded.config.recall.budget), stamp))


def _title(name: str, lines: Sequence[SlotLine]) -> str:
    about = [line for line in lines if line.slot is Slot.ABOUT]
    called = [] if about and about[0].voice is not Voice.QUOTED else [one_line(name, 80)]
    return f"## Map: {', '.join([*called, *(line.said for line in about)])}"


def _lately(snapshot: Snapshot) -> Lately:
    episodes = [row.episode for row in snapshot.newest_episodes(NEWEST)]
    if not episodes:
        return Lately((), {}, "", 0)
    start = datetime.fromtimestamp(episodes[0].time, UTC) - YEAR  # "now" is the head's date: the map has no clock
    recent = [e for e in episodes if e.time >= start.timestamp() and not e.is_merge]
    live = {file.path for file in snapshot.files}
    changes = Counter(f.path for e in recent if not e.is_bulk for f in e.files if f.path in live)
    return Lately(episodes, changes, start.strftime("%Y-%m-%d"), len(recent))


def _offer(section: Section, rank: float, text: str) -> Offer:
    return Offer(section, rank, (Form(f"- {text}", BriefItem(kind="map", text=text)),))


def _shape(snapshot: Snapshot, lately: Lately, lines: Sequence[SlotLine]) -> Iterator[Offer]:
    """How long, how large, and which folders."""
    if lately.episodes:
        count = f"{len(snapshot.history.episodes):,} commits"
        more = f", {lately.commits:,} without merges since {lately.since}" if lately.commits else ""
        yield _offer(Section.HEAD, 1, f"{count}{more}; last {lately.episodes[0].date}")
    layout = [line for line in lines if line.slot is Slot.LAYOUT]
    said = [line for line in layout if line.voice is Voice.PERSON]
    yield from (Offer(Section.HEAD, 2, (_form(line),)) for line in said)
    folders = "; ".join(line.text for line in layout if line not in said)
    if folders:
        yield _offer(Section.HEAD, 2, folders)


def _held(facts: Sequence[Fact], lines: Sequence[SlotLine]) -> Iterator[Offer]:
    """What holds here; what was looked for and not found is said, never guessed."""
    for at, fact in enumerate(fact for fact in facts if fact.slot in HELD_FACTS):
        yield Offer(Section.HOLDS, HELD_FACTS[fact.slot] + at / 100, (fact_form(fact),))
    told = {needs(fact) for fact in facts}  # by the lines above
    held = [line for line in lines if _is_held(line) and line.text not in told]
    for at, line in enumerate(held):
        yield Offer(Section.HOLDS, _rank_of(line) + at / 100, (_form(line),))
    missing = [slot for slot in ("build", "test") if all(line.slot != slot for line in held)]
    if missing:
        yield _offer(Section.HOLDS, 11, f"{' and '.join(missing)} command: not found in manifests, task files or CI")


def _is_held(line: SlotLine) -> bool:
    """Whether a line stands among what holds; what was reverted stands among what happened."""
    return line.slot in HELD and (line.slot is not Slot.PITFALLS or line.voice is Voice.PERSON)


def _rank_of(line: SlotLine) -> float:
    return SAID if line.voice is Voice.PERSON else HELD[line.slot]


def _form(line: SlotLine) -> Form:
    """A line of the profile."""
    is_quoted = line.voice is Voice.QUOTED
    title = "quoted" if is_quoted else line.slot.value
    source = "person" if line.voice is Voice.PERSON else "file" if ":" in line.id else "commit"
    item = BriefItem(kind="profile", id=line.id, title=title, text=line.text, source=source)
    said = f"[quoted] {line.said}" if is_quoted else f"{title}: {line.said}"
    return Form(f"- {said} {code(line.id) if line.id else f'({line.source})'}", item)


def _entries(lines: Sequence[SlotLine]) -> Iterator[Offer]:
    for at, line in enumerate(line for line in lines if line.slot is Slot.ENTRY):
        yield Offer(Section.WHERE, 15 + at / 100, (_form(line),))


def _central(snapshot: Snapshot, lately: Lately) -> Iterator[Offer]:
    """Source files that others mention by name and that change, with their main definitions."""
    sources = [file for file in snapshot.files if file.role is Role.SOURCE and file.language not in PLAIN_LANGUAGES]
    stems = {file.version: whole(file.path.rpartition("/")[2].partition(".")[0]) for file in sources}
    mentions = snapshot.view.file_words.frequencies(sorted(set(stems.values())))

    def weight(file: IndexedFile) -> float:
        named = 0 if stems[file.version] in COMMON_STEMS else mentions[stems[file.version]]
        return math.log1p(named) + 2 * math.log1p(lately.changes.get(file.path, 0)) + math.log1p(file.chunks)

    best = sorted(sources, key=lambda file: (-weight(file), file.path))[:CENTRAL]
    names = _names(snapshot, best)
    for at, file in enumerate(best):
        path = visible_path(file.path)
        defined = ", ".join(map(code, names.get(file.version, ())))
        item = BriefItem(kind="map", id=path, path=path, text=defined, source="file")
        line = f"- {code(path)}" + (f": {defined}" if defined else "")
        yield Offer(Section.WHERE, 20 + at, (Form(line, item),))


def _names(snapshot: Snapshot, files: Sequence[IndexedFile]) -> dict[int, list[str]]:
    """The main classes and functions of each file."""
    found: dict[int, dict[str, int]] = {}
    for chunk in snapshot.workspace.store.chunks([file.version for file in files]):
        for site in chunk.sites:
            if site.kind in NAMED_KINDS:
                found.setdefault(chunk.version, {})[site.qualified] = site.end_line - site.start_line
    return {version: _main(lengths) for version, lengths in found.items()}


def _main(lengths: Mapping[str, int]) -> list[str]:
    """The longest names that are no mere frame around others, such as a module around its classes."""
    frames = {name.rpartition(".")[0] for name in lengths}
    inner = {name: length for name, length in lengths.items() if name not in frames}
    public = [name for name in inner if not name.rpartition(".")[2].startswith("_")]
    return sorted(sorted(public or inner, key=lambda name: (-inner[name], name))[:NAMES])


def _busy(lately: Lately) -> Iterator[Offer]:
    often = [(path, count) for path, count in lately.changes.items() if count > 1]
    most = sorted(often, key=lambda item: (-item[1], item[0]))[:BUSY]
    if most:
        named = ", ".join(f"{code(visible_path(path))} {count}" for path, count in most)
        yield _offer(Section.WHERE, 28, f"Changed most since {lately.since}: {named}")


def _happened(snapshot: Snapshot, lately: Lately) -> Iterator[Offer]:
    """The newest reverts with what became of them, then the newest commits."""
    reverts = [e for e in lately.episodes if e.reverts][:REVERTS]
    newest = [e for e in lately.episodes if not e.is_merge and not e.reverts][:LATEST]
    for at, one in enumerate(episodes_with_state(snapshot, [*reverts, *newest])):
        form = episode_form(one.episode, 0.0, one.state, kind=one.kind)
        yield Offer(Section.HAPPENED, (24.0 if one.episode.reverts else 25.0) + at / 10, (form,))


def _uncommitted(snapshot: Snapshot) -> str:
    paths = snapshot.dirty_paths
    if not paths:
        return "No uncommitted work."
    shown = ", ".join(code(visible_path(path)) for path in paths[:5])
    return f"Uncommitted: {shown}{f' and {len(paths) - 5} more' if len(paths) > 5 else ''}."
