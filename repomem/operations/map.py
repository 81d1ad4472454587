"""The brief without a question: the map of the repository. Made when it is indexed, printed at once."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from repomem.brief.lines import code, episode_form, fact_form
from repomem.brief.offers import TITLES, Draft, Form, Offer, Section
from repomem.brief.render import brief_of
from repomem.core.escape import one_line, quoted, visible_path
from repomem.core.types import Brief, BriefItem, Episode, Fact, Gate, IndexedFile, Role
from repomem.core.words import whole
from repomem.operations.episodes import with_state
from repomem.operations.identity import state_of
from repomem.operations.reading import Snapshot
from repomem.operations.recall import facts_of, warning_offers

NEWEST = 2_000  # episodes that the map reads
YEAR = timedelta(days=365)
FOLDERS = 8
CENTRAL = 7  # files named as those where things are
NAMES = 5  # definitions named of each
BUSY = 6  # files named as changed most
REVERTS = 3
LATEST = 4
TITLES_OF_MAP = {**TITLES, Section.WHERE: "## Where things are", Section.HAPPENED: "## Lately, and taken back"}
PLAIN_LANGUAGES = frozenset(["", "markdown", "json", "yaml", "toml", "html", "css"])  # define nothing to be named
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


def map_brief(snapshot: Snapshot, budget: int, warnings: Sequence[str] = ()) -> Brief:
    """What this repository is, what holds in it, where things are, and what happened lately."""
    lately = _lately(snapshot)
    facts = facts_of(snapshot)
    offers = [
        *warning_offers(warnings),
        *_shape(snapshot, lately),
        *_held(facts),
        *_entries(facts),
        *_central(snapshot, lately),
        *_busy(lately),
        *_happened(snapshot, lately),
    ]
    state = state_of(snapshot.workspace, snapshot.worktree)
    closing = ("No rule, decision or open thread is recorded.", _uncommitted(snapshot))
    draft = Draft(_title(state.name, facts), tuple(offers), closing, TITLES_OF_MAP)
    return brief_of(draft, state, "", budget, Gate("use", "the map of the repository"))


def _title(name: str, facts: Sequence[Fact]) -> str:
    by_slot = {fact.slot: fact for fact in reversed(facts)}
    called = one_line(by_slot["name"].text, 80) if "name" in by_slot else one_line(name, 80)
    about = by_slot.get("about")
    return f"## Map: {called}" + (f", {quoted(one_line(about.text, 160))}" if about else "")


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


def _shape(snapshot: Snapshot, lately: Lately) -> Iterator[Offer]:
    """How long, how large, and which folders."""
    if lately.episodes:
        count = f"{len(snapshot.history.episodes):,} commits"
        more = f", {lately.commits:,} without merges since {lately.since}" if lately.commits else ""
        yield _offer(Section.HEAD, 1, f"{count}{more}; last {lately.episodes[0].date}")
    folders = _folders(snapshot.files)
    if folders:
        yield _offer(Section.HEAD, 2, "; ".join(f"{code(folder)} {said}" for folder, said in folders))


def _folders(files: Sequence[IndexedFile]) -> list[tuple[str, str]]:
    """The folders that hold most, one level down where a single one holds nearly all of the sources."""
    groups: dict[str, list[IndexedFile]] = {}
    sources = sum(file.role is Role.SOURCE for file in files)
    for file in files:
        parts = file.path.split("/")
        groups.setdefault(parts[0] if len(parts) > 1 else "", []).append(file)
    for name, inside in list(groups.items()):
        if name and sum(file.role is Role.SOURCE for file in inside) > 0.6 * sources:
            del groups[name]
            for file in inside:
                below = "/".join(file.path.split("/")[: 2 if file.path.count("/") > 1 else 1])
                groups.setdefault(below, []).append(file)
    ordered = sorted(((n, g) for n, g in groups.items() if n), key=lambda item: (-len(item[1]), item[0]))
    return [(visible_path(name) + "/", _said(group)) for name, group in ordered[:FOLDERS]]


def _said(files: Sequence[IndexedFile]) -> str:
    languages = Counter(file.language or "other" for file in files).most_common()
    language = min((name for name, count in languages if count == languages[0][1]))
    kind = "" if language == "other" else f", mostly {language}" if len(languages) > 1 else f" {language}"
    return f"{len(files)} file{'' if len(files) == 1 else 's'}{kind}"


def _held(facts: Sequence[Fact]) -> Iterator[Offer]:
    """What holds here; what was looked for and not found is said, never guessed."""
    for at, fact in enumerate(facts):
        if fact.slot in ("runtime", "build", "test", "lint", "ci"):
            yield Offer(Section.HOLDS, 10 + at / 100, (fact_form(fact),))
        elif fact.slot == "quoted":
            yield Offer(Section.HOLDS, 30 + at / 100, (fact_form(fact),))
    missing = [slot for slot in ("build", "test") if all(fact.slot != slot for fact in facts)]
    if missing:
        yield _offer(Section.HOLDS, 11, f"{' and '.join(missing)} command: not found in manifests, task files or CI")


def _entries(facts: Sequence[Fact]) -> Iterator[Offer]:
    for at, fact in enumerate(fact for fact in facts if fact.slot == "entry"):
        yield Offer(Section.WHERE, 15 + at / 100, (fact_form(fact),))


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
    for at, one in enumerate(with_state(snapshot, [*reverts, *newest])):
        form = episode_form(one.episode, 0.0, one.state, kind=one.kind)
        yield Offer(Section.HAPPENED, (24.0 if one.episode.reverts else 25.0) + at / 10, (form,))


def _uncommitted(snapshot: Snapshot) -> str:
    paths = snapshot.dirty_paths
    if not paths:
        return "No uncommitted work."
    shown = ", ".join(code(visible_path(path)) for path in paths[:5])
    return f"Uncommitted: {shown}{f' and {len(paths) - 5} more' if len(paths) > 5 else ''}."
