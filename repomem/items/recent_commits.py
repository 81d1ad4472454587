"""The map's history: what is being worked on now, and changes that were reverted and have not landed again."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from repomem.brief import order
from repomem.brief.commit_lines import commit_rendering, reasoned_renderings, reverted_rendering
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.message_prose import without_template
from repomem.brief.reasons import reason_in
from repomem.core.errors import GitError
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import stems_of
from repomem.core.types.commits import Episode
from repomem.core.types.line_history import RevertedChange, RevertKind
from repomem.history.change_history import ChangeHistory, change_history_of
from repomem.history.commit_survival import survival_of, with_patch
from repomem.history.episodes import episodes_with_state
from repomem.history.landed_again import landed_again
from repomem.history.messages import is_stated_revert, reason_of
from repomem.history.patches import patch_cache_of
from repomem.history.stated_reverts import stated_reverts
from repomem.profile.authors import is_bot
from repomem.profile.binding_sentences import SENTENCE_END
from repomem.workspace.snapshot import Snapshot

REVERTS = 3
REVERTS_READ = 12  # newest
REVERT_AGE = timedelta(days=3 * 365).total_seconds()  # an older one no longer warns
UNEXPLAINED_AGE = timedelta(days=365).total_seconds()  # of a revert without a reason
LATEST = 3
LATEST_READ = 60  # newest ones searched for informative subjects
FEWEST_WORDS = 2  # content words in such a subject
ALIKE = 0.6  # share of a subject's words in another one: both then belong to the same work

_SAYS_REVERT = lazy_pattern(r"(?i)revert|\bback(?:ing|ed)? ?out\b|\bundo|\broll(?:ing|ed)? ?back\b")
_KINDS_OF_WORK = frozenset(["", "feat", "feature", "fix", "bugfix", "hotfix", "perf", "refactor", "security"])
_NO_WORK = lazy_pattern(
    r"(?i)\b(?:typos?|spelling|grammar|whitespace|javadoc|docstrings?|docs?|documentation|readme|changelog|lint\w*"
    r"|rubocop|checkstyle|clippy|mypy|flake8|eslint|prettier|isort|cosmetics?|copyright|licen[sc]e|bump\w*|ci|workflows?|deps"
    r"|pre-commit|flaky|clean-?\s?ups?|nits?)\b"
    r"|\b(?:update|upgrade)s? (?:\w+ ){0,2}dependenc(?:y|ies)\b"
    r"|^(?:re-?)?format(?:ting)?\b|^(?:prepare |cut )?(?:release|version)\b|\bv?\d+\.\d+\.\d+\b"
    r"|\b(?:add|fix|update|improve|xml|code)\w* (?:\w+ )?comments?\b|^comments?\b"
)
_CODE = lazy_pattern(r"`[^`]+`")
_MERGES = lazy_pattern(r"(?i)merged? (?:pull|branch|remote|commit)\b")
_PART = lazy_pattern(r"\n\s*\n|\n(?=\s*(?:[-+*•]|\d+[.)])\s)")
_MARK = lazy_pattern(r"\s*(?:[-+*•]|\d+[.)])\s+")
_SAYS_CHANGE = lazy_pattern(  # other sentences of a body may describe the fault that was fixed
    r"(?i)(?:feat|feature|fix|bugfix|hotfix|perf|refactor|security)(?:\([^()]*\))?!?: "
    r"|(?:add|allow|apply|avoid|block|change|check|deny|disable|disallow|enable|enforce|ensure|escape|extend|fix|forbid"
    r"|handle|ignore|implement|improve|introduce|keep|limit|make|move|prevent|refactor|refuse|reject|remove|rename"
    r"|replace|require|restrict|sanitize|stop|strip|support|use|validate|verify)\b"
)
_NO_CONTENT = stems_of(
    "fix fixes fixed update change changes improve improvement refactor refactoring add remove use make move rename"
    " minor small some more misc wip tweak code issue bug error problem test tests review feedback polish patch commit"
    " pull request pr file files stuff thing things from fork into with and for the of in to on by a an it is not as"
)


@dataclass(frozen=True, slots=True)
class _Revert:
    """A stated revert, and what it reverted if this history has it."""

    after: Episode
    before: Episode | None
    reason: str


def recent_items(snapshot: Snapshot, paths: AbstractSet[str], episodes: Sequence[Episode]) -> Iterator[CandidateItem]:
    """The newest reverts of code that still hold, then current work on it; episodes are newest first."""
    own = [one for one in episodes if not one.is_merge]
    on_code = [one for one in own if not paths.isdisjoint(file.path for file in one.files)]
    reverts = _lasting_reverts(snapshot, [one for one in on_code if one.reverts and _SAYS_REVERT.search(one.subject)])
    for at, revert in enumerate(islice(reverts, REVERTS)):
        yield CandidateItem(*order.MAP_REVERT.nth(at), _revert_renderings(snapshot, revert, paths))
    latest = islice(_current_work(snapshot, paths, on_code or own), LATEST)
    for at, one in enumerate(sorted(latest, key=lambda each: each.date, reverse=True)):  # as the lines show
        rendering = _plain_rendering(snapshot, _in_paths(one, paths))
        yield CandidateItem(*order.MAP_COMMIT.nth(at), (rendering,))


def _plain_rendering(snapshot: Snapshot, episode: Episode) -> Rendering:
    return commit_rendering(episode, 0.0, "", namesakes=snapshot.tree.namesakes(file.path for file in episode.files))


def _in_paths(episode: Episode, paths: AbstractSet[str]) -> Episode:
    """The commit with only its changes to these paths (not tests and the like), if it changed any of them."""
    files = tuple(file for file in episode.files if file.path in paths)
    symbols = tuple(symbol for symbol in episode.symbols if symbol.rpartition(":")[0] in paths)
    return replace(episode, files=files, symbols=symbols) if files else episode


def _lasting_reverts(snapshot: Snapshot, reverts: Sequence[Episode]) -> Iterator[_Revert]:
    """The reverts, newest first, whose change has not come back; older ones only if they give a reason."""
    read = reverts[:REVERTS_READ]
    if not read:
        return
    history = change_history_of(snapshot)
    stated = stated_reverts(history, read)
    targets = snapshot.episodes_by_commit([stated.targets[one.commit] for one in read if one.commit in stated.targets])
    newest = snapshot.newest_episodes(1)[0].episode.time
    for one in read:
        before = targets.get(stated.targets.get(one.commit, ""))
        reason = _reason(one)
        age = REVERT_AGE if reason else UNEXPLAINED_AGE if _informative_title(before or one) else -1
        is_old = one.time < newest - age
        if not is_old and one.commit not in stated.by and not (before and _is_back(history, before, one)):
            yield _Revert(one, before, reason)


def _is_back(history: ChangeHistory, before: Episode, revert: Episode) -> bool:
    """Whether the reverted change landed again, by its message or its lines, or was a revert itself."""
    if is_stated_revert(before.subject) or landed_again(history, before.commit, revert.commit):
        return True
    lines = survival_of(history.snapshot, [before]).get(before.commit)
    return lines is not None and 2 * lines.remaining > lines.added


def _reason(revert: Episode) -> str:
    """The reason that the message gives; a squashed commit may only repeat that it reverts."""
    whole = reason_in(revert.body)
    return reason_of(revert.body) or ("" if is_stated_revert(whole) else whole)


def _revert_renderings(snapshot: Snapshot, revert: _Revert, paths: AbstractSet[str]) -> tuple[Rendering, ...]:
    after = _in_paths(revert.after, paths)
    if revert.before is None:
        return reasoned_renderings(_plain_rendering(snapshot, after), after.body)
    before = _in_paths(revert.before, paths)
    path = next((file.path for file in (*before.files, *after.files)), "")
    change = RevertedChange(
        RevertKind.REVERTED, before.commit, after.commit, path, before.symbols, len(before.symbols), revert.reason
    )
    return (reverted_rendering(change, before, after),)


def _current_work(snapshot: Snapshot, paths: AbstractSet[str], episodes: Sequence[Episode]) -> Iterator[Episode]:
    """The newest informative commits by people whose changes are still in the code, one per piece of work."""
    newest = [each for each in episodes if not each.reverts and not is_bot(each.author)][:LATEST_READ]
    titled = [(one, title) for one in newest if (title := _informative_title(one))]
    patch_cache_of(snapshot).begin(with_patch(one for one, _ in titled[: 2 * LATEST]))  # by one process for all
    chosen: list[frozenset[str]] = []
    for one, title in titled:
        words = _content(title)
        if any(len(words & other) >= ALIKE * min(len(words), len(other)) for other in chosen):
            continue
        (state,) = episodes_with_state(snapshot, [one])
        if state.remains and state.kind != "tried" and not _only_moves_lines(snapshot, paths, one):
            chosen.append(words)
            yield replace(one, subject=title)


def _only_moves_lines(snapshot: Snapshot, paths: AbstractSet[str], episode: Episode) -> bool:
    """Whether a commit adds back to these paths the lines that it removes, for example by sorting members."""
    try:
        hunks = [hunk for hunk in patch_cache_of(snapshot).hunks(with_patch([episode])) if hunk.path in paths]
    except GitError:
        return False
    removed = Counter(line.strip() for hunk in hunks for line in hunk.removed_lines)
    return bool(removed) and removed == Counter(line.strip() for hunk in hunks for line in hunk.added)


def _informative_title(episode: Episode) -> str:
    """The subject if it says what the commit did to the code, else such a sentence of its body; else empty."""
    if episode.kind not in _KINDS_OF_WORK or _NO_WORK.search(episode.title):
        return ""
    says_something = _has_content(episode.title) and not _MERGES.match(episode.title)
    title = episode.title if says_something else next(_changes_stated(episode.body), "")
    return "" if _NO_WORK.search(title) else title


def _changes_stated(body: str) -> Iterator[str]:
    """The first sentence of each paragraph and list item that says what was changed."""
    for part in _PART.split(without_template(body)):
        text = _MARK.sub("", " ".join(part.split()))
        sentence = SENTENCE_END.split(text, maxsplit=1)[0]
        if _SAYS_CHANGE.match(sentence) and _has_content(sentence):
            yield sentence


def _has_content(title: str) -> bool:
    return len(_content(title)) >= FEWEST_WORDS or _CODE.search(title) is not None


def _content(title: str) -> frozenset[str]:
    """The words of a title that say something, and the code in it, whatever its words are."""
    return frozenset(word for word in stems_of(title) - _NO_CONTENT if not word.isdigit()) | {*_CODE.findall(title)}
