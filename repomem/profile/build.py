"""Builds the profile from files and history when the repository is indexed.

Every line is quoted from a location or counted, and counts show their denominator.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, zip_longest

from repomem.adapters.git.log import authors_of
from repomem.brief.lines import place_id
from repomem.core.errors import GitError
from repomem.core.grouping import grouped_by
from repomem.core.text.counts import counted
from repomem.core.text.escape import code, one_line, quoted, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import ONE_TEST, Fact
from repomem.core.types.code import Role
from repomem.core.types.commits import Episode, short_hash
from repomem.core.types.indexed import IndexedFile
from repomem.history.episodes import episodes_with_state
from repomem.profile.authors import YEAR, commits_of_people, is_bot
from repomem.profile.facts import text_at
from repomem.profile.habits import FEWEST, habits, is_code
from repomem.profile.manifests.manifest import Manifest
from repomem.profile.profile import needs
from repomem.profile.profile_lines import CAPS, HISTORY, ONE_TEST_LABEL, WORK_TREE, Slot, SlotLine, Voice, capped
from repomem.profile.readme_and_owners import opening, owner_facts, owners_path, readme_path
from repomem.workspace.snapshot import Snapshot

NEWEST = 500  # episodes counted: older habits may be outdated
OF_NO_FOLDER = frozenset(["other", "json", "toml", "xml", "yaml"])  # data does not show a folder's purpose
SHARE_OF_SOURCES = 0.6  # of the source files; a folder with more is split into its subfolders
SHARE_AT_ROOT = 0.1  # of the source files; with more at the root, the root is listed too
FOLDERS = 8
LARGEST_FOLDERS = 2  # of tests, documents or data, listed before folders with fewer files
# They say little about the code, however many files.
DEMO = lazy_pattern(r"(?i)(?:^|/)(?:demos?|examples?|samples?|[^/]+\.docc)$")
FOLDERS_OF_A_LINE = 3
REVERTS = 6  # reverts checked
OF_AUTHORS = 100  # non-merge commits whose authors are counted: maintainers change
TOP_AUTHORS = 3


@dataclass(frozen=True, slots=True)
class ProfileInputs:
    facts: Sequence[Fact]  # of the manifests and guides
    opening: Fact | None = None  # the README's first sentence
    owners: Sequence[Fact] = ()  # of CODEOWNERS or a list of maintainers
    paths: Sequence[str] = ()  # every live file
    files: Sequence[IndexedFile] = ()  # files with chunks
    episodes: Sequence[Episode] = ()  # newest first
    reverted: Sequence[tuple[Episode, Episode]] = ()  # a commit whose lines are all gone, and its revert
    addresses: Mapping[str, str] = field(default_factory=dict)  # of the authors, by commit


def profile_inputs(snapshot: Snapshot, facts: Sequence[Fact], paths: Sequence[str]) -> ProfileInputs:
    """Collect the data for the profile of a worktree; `paths` are its live files."""
    episodes = [row.episode for row in snapshot.newest_episodes(NEWEST)]
    readme = _manifest(snapshot, readme_path(paths))
    named = _manifest(snapshot, owners_path(paths))
    owners = owner_facts(named) if named else []
    return ProfileInputs(
        facts,
        opening(readme) if readme else None,
        owners,
        paths,
        snapshot.files,
        episodes,
        tuple(_reverted(snapshot, episodes)),
        {} if owners else _addresses(snapshot, episodes),
    )


def made_profile(inputs: ProfileInputs) -> list[SlotLine]:
    """Build the lines of every slot, within the caps."""
    own = [episode for episode in inputs.episodes if not episode.is_merge]  # a merge's files are not listed
    return capped(
        [
            *_about(inputs),
            *_stated(inputs.facts),
            *_layout(inputs.files),
            *_conventions(inputs, own),
            *_owners(inputs, own),
            *_pitfalls(inputs.reverted),
        ]
    )


def _addresses(snapshot: Snapshot, episodes: Iterable[Episode]) -> dict[str, str]:
    """The address of each commit's author; none in a clone that lacks one of the commits."""
    try:
        authors = authors_of(snapshot.workspace.repository, [one.commit for one in episodes])
    except GitError:
        return {}
    return {commit: address for commit, (_, address) in authors.items()}


def _manifest(snapshot: Snapshot, path: str) -> Manifest | None:
    text = text_at(snapshot, path) if path else None
    return None if text is None else Manifest(path, text.replace("\r\n", "\n"))


def _reverted(snapshot: Snapshot, episodes: Sequence[Episode]) -> Iterator[tuple[Episode, Episode]]:
    """The newest reverted commits whose lines are all gone, each with its revert."""
    reverts = [one for one in episodes if one.reverts and one.time >= episodes[0].time - YEAR][:REVERTS]
    pairs = [(target, revert) for revert in reverts if (target := _target(revert, episodes))]
    states = episodes_with_state(snapshot, list(dict.fromkeys(chain.from_iterable(pairs)))) if pairs else []
    gone = {one.episode.commit for one in states if one.kind == "tried"}
    yield from (pair for pair in pairs if pair[0].commit in gone)


def _target(revert: Episode, episodes: Iterable[Episode]) -> Episode | None:
    """The commit that a revert names; None if that is a revert itself, or unknown."""
    named = revert.reverts
    targets = (one for one in episodes if one.commit.startswith(named) or one.subject == named)
    return next((one for one in targets if not one.reverts and one.time <= revert.time), None)


def _line(slot: Slot, fact: Fact, text: str = "", voice: Voice = Voice.DERIVED) -> SlotLine:
    return SlotLine(slot, text or fact.text, place_id(fact.path, fact.start_line, fact.end_line), voice)


def _about(inputs: ProfileInputs) -> Iterator[SlotLine]:
    """The name and description, on one line if one file has both."""
    first = {fact.slot: fact for fact in reversed(inputs.facts)}
    name, about = first.get("name"), first.get("about", inputs.opening)
    if name and about and inputs.opening and "/" in about.path and about.path != name.path:
        about = inputs.opening  # another manifest describes a part
    if name and about and name.path == about.path:
        lines = (name.start_line, name.end_line, about.start_line, about.end_line)
        both = Fact("about", "", name.path, min(lines), max(lines))
        yield _line(Slot.ABOUT, both, f"{one_line(name.text, 80)}, {quoted(one_line(about.text, 160))}")
        return
    if name:
        yield _line(Slot.ABOUT, name, one_line(name.text, 80))
    if about:
        yield _line(Slot.ABOUT, about, voice=Voice.QUOTED)


def _stated(facts: Iterable[Fact]) -> Iterator[SlotLine]:
    """The build, test, lint and format commands, entry points and required runtimes that manifests declare."""
    for fact in facts:
        if fact.slot in (Slot.BUILD, Slot.TEST, Slot.LINT, Slot.FORMAT, Slot.ENTRY):
            yield _line(Slot(fact.slot), fact)
        elif fact.slot == ONE_TEST:
            yield _line(Slot.TEST, fact, f"{ONE_TEST_LABEL}{fact.text}")
    yield from (_line(Slot.BUILD, fact, needs(fact)) for fact in facts if fact.slot == "runtime")


def _layout(files: Sequence[IndexedFile]) -> Iterator[SlotLine]:
    """The largest folders, a few per line, and the number of the others."""
    pieces, count = _folders(files)
    for kept in range(len(pieces), 0, -1):
        more = [f"and {counted(count - kept, 'more folder')}"] if kept < count else []
        lines = _packed([*pieces[:kept], *more])
        if len(lines) <= CAPS[Slot.LAYOUT].lines:
            yield from (SlotLine(Slot.LAYOUT, line, WORK_TREE) for line in lines)
            return


def _packed(pieces: Iterable[str]) -> list[str]:
    """The pieces as lines of the slot."""
    lines: list[list[str]] = []
    for piece in pieces:
        is_full = not lines or len(lines[-1]) == FOLDERS_OF_A_LINE
        if is_full or len("; ".join([*lines[-1], piece])) > CAPS[Slot.LAYOUT].characters:
            lines.append([])
        lines[-1].append(piece)
    return ["; ".join(line) for line in lines]


def _folders(files: Sequence[IndexedFile]) -> tuple[list[str], int]:
    """The folders with most source files, described, and how many there are; one with nearly all files is split."""
    own = (file for file in files if not (file.path.startswith(".") and "/" in file.path))  # the others set up tools
    groups = grouped_by(own, lambda file: file.path.split("/")[0] if "/" in file.path else ".")
    sources = {name: sum(map(is_code, inside)) for name, inside in groups.items()}
    count = sum(sources.values())
    if sources.get(".", 0) <= SHARE_AT_ROOT * count:
        groups.pop(".", None)
    for name, inside in list(groups.items()):
        if name != "." and sources[name] > SHARE_OF_SOURCES * count:
            del groups[name]
            groups |= grouped_by(inside, lambda file: "/".join(file.path.split("/")[:-1][:2]))
    ordered = sorted(groups.items(), key=lambda item: (-sum(map(is_code, item[1])), -len(item[1]), item[0]))
    others = [item for item in ordered[FOLDERS:] if not DEMO.search(item[0])]
    others = sorted(others, key=lambda item: (-len(item[1]), item[0]))[:LARGEST_FOLDERS]
    large = [each for each in others if len(each[1]) > len(ordered[FOLDERS - 1][1])]
    listed = [*ordered[: FOLDERS - len(large)], *large]
    names = {name: "top folder" if name == "." else code(f"{visible_path(name)}/") for name, _ in listed}
    parted = {name for name in names if any(other.startswith(f"{name}/") for other in names)}
    names |= {name: f"{names[name]} itself" for name in parted}
    return [f"{names[name]} {_description(group)}" for name, group in listed], len(ordered)


def _description(files: Sequence[IndexedFile]) -> str:
    languages = _languages(files).most_common()
    language = min((name for name, count in languages if count == languages[0][1]))
    roles = {file.role for file in files}
    if roles in ({Role.VENDORED}, {Role.GENERATED}):
        return f"{counted(len(files), 'file')}, {roles.pop()}"
    is_most = 2 * languages[0][1] > len(files) and language not in OF_NO_FOLDER
    if is_most and len(languages) == 1:
        return counted(len(files), f"{language} file")
    return counted(len(files), "file") + (f", mostly {language}" if is_most else "")


def _languages(files: Sequence[IndexedFile]) -> Counter[str]:
    """The files of each language. `.h` files next to C sources are C, whatever their grammar; alone, headers."""
    counts = Counter(file.language or "other" for file in files)
    if all(file.path.endswith(".h") for file in files if file.language == "cpp"):
        counts["c" if counts["c"] else "header"] += counts.pop("cpp", 0)
    return +counts


def _conventions(inputs: ProfileInputs, own: Sequence[Episode]) -> Iterator[SlotLine]:
    """Quotations from guides, alternating with counts from history, so that neither crowds out the other."""
    quotations = [_line(Slot.CONVENTIONS, fact, voice=Voice.QUOTED) for fact in inputs.facts if fact.slot == "quoted"]
    counted = [SlotLine(Slot.CONVENTIONS, text, HISTORY) for text in habits(own, inputs.files, inputs.paths)]
    for pair in zip_longest(quotations, counted):
        yield from filter(None, pair)


def _owners(inputs: ProfileInputs, own: Sequence[Episode]) -> Iterator[SlotLine]:
    """The owners that a file names, or the most frequent recent authors who still committed in the last year."""
    yield from (_line(Slot.OWNERS, rule) for rule in inputs.owners)
    if inputs.owners or len(own) < FEWEST:
        return
    newest = own[:OF_AUTHORS]
    if people := commits_of_people(newest, inputs.addresses, TOP_AUTHORS):
        times = [one.time for one in newest]
        start = datetime.fromtimestamp(max(times) - YEAR, UTC)
        notes = ["bots left out"] if any(is_bot(one.author) for one in newest) else []
        notes += [f"only authors with a commit since {start:%Y-%m-%d}"] if min(times) < start.timestamp() else []
        which = f" ({'; '.join(notes)})" if notes else ""
        named = ", ".join(f"{name} {count}{' commits' * (at == 0)}" for at, (name, count) in enumerate(people))
        text = f"top authors of the last {len(newest)} non-merge commits: {named}{which}"
        yield SlotLine(Slot.OWNERS, text, HISTORY)


def _pitfalls(reverted: Iterable[tuple[Episode, Episode]]) -> Iterator[SlotLine]:
    """A line for each reverted commit."""
    for target, revert in reverted:
        subject = quoted(one_line(target.subject, 90))
        text = f"reverted on {revert.date}, its code is gone: {subject}"
        yield SlotLine(Slot.PITFALLS, text, short_hash(revert.commit))
