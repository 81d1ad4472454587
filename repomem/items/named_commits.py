"""The commits that a text names: by their hash, their subject, code in it, or the subject that it wants to revert."""

from collections.abc import Sequence
from itertools import islice

from repomem.adapters.git.log import commits_beyond, log, resolve
from repomem.core.errors import RepomemError
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import SHORTEST_HASH, Episode
from repomem.history.change_history import ChangeHistory
from repomem.history.lines.patch_lines import compact
from repomem.history.log_parsing import REVERTED_SUBJECT
from repomem.history.stated_reverts import commits_named

MOST = 2  # of one text
SHORTEST_CODE = 8  # characters of a code span in a subject; `a = 1` is in many texts

_NUMBER = lazy_pattern(r"\(?#\d+\)?")
_CODE = lazy_pattern(r"`([^`]+)`")
_OPERATOR = lazy_pattern(r"[\w)\]]\s+\S|[=!<>|&+*?]")  # else it is a name, a path or a call, which has words
_HASH = lazy_pattern(rf"\b(?=[0-9]*[a-f])[0-9a-f]{{{SHORTEST_HASH},64}}\b")  # a plain number is not a hash


def named_commits(history: ChangeHistory, text: str) -> Sequence[Episode]:
    """The commits of this history that a text names, in its order.

    A commit on another branch is replaced by the one here with its subject, and a merge that the text wants to revert
    by the newest commits that it brought. The newest commit whose subject is the first line of the text, or has code
    that the text has, is named too: words do not find code such as `_ = !0`.
    """
    hashes = list(dict.fromkeys(_HASH.findall(text)))[:MOST]
    known = commits_named(history, hashes) if hashes else {}
    found = [known.get(name) or _with_subject_of(history, name) for name in hashes]
    found += _to_revert(history, text)
    found += _with_words_of(history, text) or _with_code_of(history, text)
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


def _with_words_of(history: ChangeHistory, text: str) -> list[str]:
    """The newest commit whose subject is the first line of a text."""
    wanted = _words(text.strip().partition("\n")[0])
    same = (one.commit for one in history.commits.values() if len(wanted) > 1 and _words(one.subject) == wanted)
    return list(islice(same, 1))


def _with_code_of(history: ChangeHistory, text: str) -> list[str]:
    """The newest commit whose subject has a code span, more than a name, that is in a text."""
    code = compact(text)
    for one in history.commits.values():
        for span in _CODE.findall(one.subject) if "`" in one.subject else ():
            if len(span) >= SHORTEST_CODE and _OPERATOR.search(span) and compact(span) in code:
                return [one.commit]
    return []


def _words(subject: str) -> list[str]:
    """The words of a subject without numbers of pull requests, which may be missing."""
    return [word for word in subject.split() if not _NUMBER.fullmatch(word)]
