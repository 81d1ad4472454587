"""The commits that a text names: by their hash, or by the subject that it wants to revert."""

from collections.abc import Sequence

from repomem.adapters.git.log import commits_beyond, log, resolve
from repomem.core.errors import RepomemError
from repomem.core.lazy_pattern import lazy_pattern
from repomem.core.types.commits import SHORTEST_HASH, Episode
from repomem.history.change_history import ChangeHistory
from repomem.history.log_parsing import REVERTED_SUBJECT
from repomem.history.stated_reverts import commits_named

MOST = 2  # of one text

_NUMBER = lazy_pattern(r"\(?#\d+\)?")
_HASH = lazy_pattern(rf"\b(?=[0-9]*[a-f])[0-9a-f]{{{SHORTEST_HASH},64}}\b")  # a plain number is not a hash


def named_commits(history: ChangeHistory, text: str) -> Sequence[Episode]:
    """The commits of this history that a text names, in its order.

    A commit on another branch is replaced by the one here with its subject, and a merge that the text wants to revert
    by the newest commits that it brought.
    """
    hashes = list(dict.fromkeys(_HASH.findall(text)))[:MOST]
    known = commits_named(history, hashes) if hashes else {}
    found = [known.get(name) or _with_subject_of(history, name) for name in hashes]
    found += _to_revert(history, text)
    episodes = history.snapshot.episodes_by_commit(filter(None, found)) if any(found) else {}
    return [episodes[commit] for commit in dict.fromkeys(found) if commit in episodes]


def _with_subject_of(history: ChangeHistory, name: str) -> str:
    """The newest commit here with the subject of a commit that only another branch has; empty without one."""
    repository = history.snapshot.workspace.repository
    try:
        record = next(log(repository, [resolve(repository, name)]), None)
    except RepomemError:
        return ""
    subject = record.message.partition("\n")[0] if record else ""
    return next((one.commit for one in history.commits.values() if subject and one.subject == subject), "")


def _to_revert(history: ChangeHistory, text: str) -> list[str]:
    """The newest commit with the subject that a text wants to revert, or what that merge brought."""
    quoted = REVERTED_SUBJECT.match(text.strip().partition("\n")[0])
    wanted = _words(quoted[1]) if quoted else []
    found = next((one for one in history.commits.values() if wanted and _words(one.subject) == wanted), None)
    if found is None:
        return []
    if len(found.parents) < 2:
        return [found.commit]
    return commits_beyond(history.snapshot.workspace.repository, found.commit, found.parents[0], MOST)


def _words(subject: str) -> list[str]:
    """The words of a subject without numbers of pull requests, which may be missing."""
    return [word for word in subject.split() if not _NUMBER.fullmatch(word)]
