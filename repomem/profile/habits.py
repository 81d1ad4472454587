"""What the commits of people usually do, counted: how subjects begin, whether the change log and tests are edited."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from repomem.adapters.languages.file_roles import CHANGELOG, is_settings, role_of
from repomem.adapters.languages.grammar import language_of
from repomem.core.text.escape import code, one_line, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Role
from repomem.core.types.commits import Episode
from repomem.core.types.indexed import IndexedFile
from repomem.profile.authors import is_bot

OF_SUBJECTS = 200  # episodes whose subjects are counted: subject style changes faster
FEWEST = 20  # commits; a share of fewer means little
HABIT = 0.5  # share of the subjects that makes a convention
PART_CHANGED = "the part they change"
ONE_FORM = 0.6  # share of such subjects that begin alike; they have one form ("Problem: …"), and name no part
RULE = 0.8  # share of the messages that makes a trailer a convention
TESTED = 0.5  # share of the commits; a smaller count would read as leave to skip the tests
EDITED = 1 / 3  # share of the commits; with less, a count of the change log would read as leave to skip it
EXAMPLES = 3  # subject prefixes shown
DATA = frozenset(["", "json", "make", "markdown", "toml", "xml", "yaml"])  # at nearly every root

ISSUE_KEY = lazy_pattern(r"\[?([A-Z][A-Z0-9]+-)\d+\b")
PART = lazy_pattern(r"([\w./*,-]{1,30}(?:\([^()]{1,30}\))?:)\s")

Change = Mapping[str, Role | None]  # the files of a commit, with their roles in the code


def habits(own: Sequence[Episode], files: Iterable[IndexedFile], paths: Collection[str]) -> Iterator[str]:
    """A sentence on each habit; `own` are the commits without merges, newest first, and `paths` the live files."""
    people = [one for one in own if not is_bot(one.author)]
    changes = _changes_of_sources(people, files, paths)
    newest = people[:OF_SUBJECTS]
    counted = "; bots left out" if len(people) < len(own) else ""
    for text in (_subjects(newest), _changelog(changes, paths), _tests(changes), _signed(newest)):
        if text:
            yield f"{text}{counted}"


def is_code(file: IndexedFile) -> bool:
    """Whether a file is source code in its own right."""
    return file.role is Role.SOURCE and file.language not in DATA and ".docc/" not in file.path


def _subjects(episodes: Sequence[Episode]) -> str:
    """The usual prefix of commit subjects; empty without one."""
    heads = {
        "a conventional type": [f"{episode.kind}:" for episode in episodes if episode.kind],
        "an issue key": [key[1] for episode in episodes if (key := ISSUE_KEY.match(episode.subject))],
        PART_CHANGED: [part[1] for one in episodes if not one.kind and (part := PART.match(one.subject))],
    }
    for what, words in heads.items():
        if len(episodes) >= FEWEST and len(words) >= HABIT * len(episodes):
            most = _most(words, EXAMPLES)
            often = [code(one_line(word, 40)) for word, _ in most]
            if what == PART_CHANGED and most[0][1] > ONE_FORM * len(words):
                return f"{most[0][1]} of {len(episodes)} recent commit subjects begin with {often[0]}"
            return f"{len(words)} of {len(episodes)} recent commit subjects begin with {what}: {', '.join(often)}"
    return ""


def _changelog(changes: Sequence[Change], paths: Iterable[str]) -> str:
    """How many commits that change source edit the change log; empty if few do."""
    names = {path: name[1] for path in paths if (name := CHANGELOG.fullmatch(path))}
    if not names or len(changes) < FEWEST:
        return ""
    edits = [{names[path] for path in change if path in names} for change in changes]
    [(best, _)] = _most([*names.values(), *chain.from_iterable(edits)], 1)
    count = sum(best in edited for edited in edits)
    if count < EDITED * len(changes) or not any(best in edited for edited in edits[:FEWEST]):
        return ""  # few do, or none does any more
    path = min((path for path, name in names.items() if name == best), key=lambda path: (path.count("/"), path))
    return f"{count} of the last {len(changes)} commits that change source edit {code(visible_path(path))}"


def _tests(changes: Sequence[Change]) -> str:
    count = sum(Role.TEST in change.values() for change in changes)
    if len(changes) < FEWEST or count < TESTED * len(changes):
        return ""
    return f"{count} of the last {len(changes)} commits that change source also change tests"


def _signed(newest: Sequence[Episode]) -> str:
    count = sum(any(name.lower() == "signed-off-by" for name, _ in episode.trailers) for episode in newest)
    if len(newest) < FEWEST or count < RULE * len(newest):
        return ""
    return f"{count} of the last {len(newest)} non-merge commits carry a `Signed-off-by` line"


def _changes_of_sources(own: Iterable[Episode], files: Iterable[IndexedFile], paths: Iterable[str]) -> list[Change]:
    """The files of each commit (newest first) that changes a source, by their last names, with their roles in code."""
    roles = dict.fromkeys(paths, None) | {file.path: _role_in_code(file) for file in files}
    renamed: dict[str, str] = {}  # an old name to the current one
    changes = []
    for episode in own:
        changed = {renamed.get(file.path, file.path) for file in episode.files}
        roles |= {path: _role_by_name(path) for path in changed - roles.keys()}  # deleted since
        changes.append({path: roles[path] for path in changed})
        renamed |= {file.old_path: renamed.get(file.path, file.path) for file in episode.files if file.status == "R"}
    return [change for change in changes if Role.SOURCE in change.values()]


def _role_in_code(file: IndexedFile) -> Role | None:
    is_own = is_code(file) and not is_settings(file.path)
    return file.role if is_own or (file.role is not Role.SOURCE and file.language not in DATA) else None


def _role_by_name(path: str) -> Role | None:
    return None if language_of(path) in DATA or is_settings(path) else role_of(path, "", {})


def _most(words: Iterable[str], limit: int) -> list[tuple[str, int]]:
    """The most frequent words with their counts; ties in alphabetical order."""
    return sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))[:limit]
