"""Renders commits as lines of a brief: their changes, reasons and current state."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from repomem.adapters.languages.definition_lines import is_source_code
from repomem.adapters.languages.file_roles import is_test
from repomem.brief.items import Rendering
from repomem.brief.reasons import SHORT, reason_in
from repomem.brief.short_paths import shortest_paths
from repomem.core.grouping import grouped_by, runs_of, shared_start
from repomem.core.text.counts import listed
from repomem.core.text.escape import code, one_line, quoted, quoted_title, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.tokens import count_tokens
from repomem.core.text.words import stems_of
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import FILES_KEPT, Edit, Episode, short_hash
from repomem.core.types.line_history import LaterEdit, LineLocation, RevertedChange, RevertKind, SimilarEdits

SUBJECT_LENGTH = 120
REASON_LENGTH = 160
REMOVER_LENGTH = 60  # of the subject of a commit that removed a fix
CHANGE_TOKENS = 60  # of the lines that a small commit changed
AROUND_CHANGE = 16  # characters of a long line shown before and after what changed in it
NAMED = 3  # symbols or files of a commit
FILES_OF_PRECEDENT = 8
_HASH = lazy_pattern(r"\b(?=\d*[a-f])[0-9a-f]{8,}\b")
RUNS_OF_AUTHOR = 3  # the longest runs of lines that a commit wrote; the excerpts show the others


def commit_rendering(
    episode: Episode,
    score: float,
    state: str,
    *,
    kind: str = "episode",
    written: str = "",
    namesakes: Iterable[str] = (),
) -> Rendering:
    """A commit: hash, date, subject, pull request, what it changed, and how much of it is still in the code.

    What it changed is given as the shown lines that it wrote (see `written_text`), or else as symbols or files;
    `namesakes` are the paths from which a short one must be told apart.
    """
    text = ": ".join(filter(None, (written or _touched(episode, namesakes), state)))
    return _commit(episode, text, kind, score)


def precedent_rendering(episode: Episode, paths: Sequence[str], namesakes: Iterable[str]) -> Rendering:
    """A commit with nearly the subject of the task, and the files that it changed."""
    names = _short_names(paths, FILES_OF_PRECEDENT, namesakes)
    changed = listed(names, FILES_OF_PRECEDENT, code)
    return _commit(episode, f"a similar subject; it changed {changed}", "episode")


def reasoned_renderings(plain: Rendering, body: str, length: int = SHORT) -> tuple[Rendering, ...]:
    """The line of a commit with the reason that its body gives, of at most `length` characters, and without it.

    A body that only repeats the subject, as that of a squashed pull request may, gives no reason.
    """
    reason = reason_in(body, length, plain.item.title)
    if stems_of(reason) <= stems_of(plain.item.title):
        return (plain,)
    why = f"why {plain.item.id}" if _HASH.search(plain.item.text) else "why"  # the line names a later commit too
    text = f"{plain.item.text}; {why}: {reason}" if plain.item.text else f"{why}: {reason}"
    with_reason = f"{plain.markdown}; {why}: {quoted(reason)}"
    return replace(plain, markdown=with_reason, item=replace(plain.item, text=text)), plain


def with_change(plain: Rendering, edits: Sequence[Edit]) -> Rendering:
    """The line of a commit with what it changed: lines before and after, or added lines; unchanged if that is long."""
    shorter = [_differing_part(*each) for each in edits], [(before and None, after) for before, after in edits]
    texts = map(_change_text, (edits, *shorter))
    text = next((each for each in texts if count_tokens(each) <= CHANGE_TOKENS), "")
    if not text:
        return plain
    joined = f"{plain.item.text}; it {text}" if plain.item.text else text
    start = "; it " if plain.item.text else ": "
    return replace(plain, markdown=f"{plain.markdown}{start}{text}", item=replace(plain.item, text=joined))


def _change_text(edits: Sequence[Edit]) -> str:
    edits = list(dict.fromkeys(edits))  # an edit made in several places is listed once
    parts = {
        "changed": [f"{code(before)} → {code(after)}" for before, after in edits if before],
        "changed lines to": [code(after) for before, after in edits if before is None],
        "added": [code(after) for before, after in edits if before == ""],
    }
    return "; ".join(f"{verb} {', '.join(lines)}" for verb, lines in parts.items() if lines)


def _differing_part(before: str | None, after: str) -> Edit:
    """The part in which a line and its replacement differ, with a little of what is around it."""
    if not before:
        return before, after
    start = max(shared_start(before, after) - AROUND_CHANGE, 0)
    shared = shared_start(before[:start:-1], after[:start:-1])
    rest = max(shared - AROUND_CHANGE, 0)
    ends = "…" * bool(start), "…" * bool(rest)
    return (
        f"{ends[0]}{before[start : len(before) - rest]}{ends[1]}",
        f"{ends[0]}{after[start : len(after) - rest]}{ends[1]}",
    )


def author_rendering(
    episode: Episode,
    lines: Mapping[str, Sequence[int]],
    paths: Iterable[str],
    *,
    is_revert: bool = False,
    again: str = "",
) -> Rendering:
    """A commit that wrote lines shown in the brief, or restored them by a revert, with the numbers of these lines.

    `paths` are all paths that a short path could mean; `again` is the commit that restored what a revert removed.
    """
    back = f"; the reverted change landed again in {short_hash(again)}" if again else ""
    text = written_text(lines, paths, "restored" if is_revert else "wrote")
    return _commit(episode, f"{text}{back}", "episode")


def written_text(lines: Mapping[str, Sequence[int]], paths: Iterable[str], verb: str = "wrote") -> str:
    """Which of the lines in the brief a commit wrote: the longest runs, by file, and whether there are more.

    How many more is not shown, because copies make the number uncertain.
    """
    runs = [(path, run) for path, numbers in lines.items() for run in runs_of(numbers)]
    longest = sorted(runs, key=lambda one: len(one[1]), reverse=True)[:RUNS_OF_AUTHOR]
    shown = {path: [at for name, run in longest if name == path for at in run] for path, _ in longest}
    names = shortest_paths(shown, paths)
    spans = [code(f"{visible_path(names[path])}:{line_ranges(run)}") for path, run in shown.items()]
    return f"{verb} {', '.join(spans)}{' and more' if len(runs) > len(longest) else ''}"


def siblings_rendering(
    episode: Episode, siblings: SimilarEdits, spots: Sequence[LineLocation], later: Sequence[LaterEdit]
) -> Rendering:
    """A commit that changed several lines alike: how, where they are, and which were changed again."""
    added = code(siblings.added)
    how = f"replaced {code(siblings.removed)} with {added}" if siblings.removed else f"added {added}"
    number = f"all {len(spots)}" if len(spots) > 2 else "both"
    state = "; ".join(_changed_again(spots, later)) if later else f"{number} still in the code"
    return _commit(episode, f"{how} at {_lines(spots)}: {state}", "episode")


def _lines(spots: Sequence[LineLocation]) -> str:
    """Line numbers of several files, each path once."""
    by_path = grouped_by(spots, lambda spot: spot.path).items()
    return "; ".join(f"{code(visible_path(path))} {', '.join(str(at) for _, at in own)}" for path, own in by_path)


def _changed_again(spots: Sequence[LineLocation], later: Sequence[LaterEdit]) -> Iterator[str]:
    """A note that some lines are still in the code, and which commit changed the others."""
    yield f"{'these are' if len(spots) > 1 else 'it is'} still in the code"
    for by in dict.fromkeys(each.by for each in later):
        mine = [each for each in later if each.by == by]
        where = _lines([each.spot for each in mine if each.spot])
        which = where if where and all(each.spot for each in mine) else f"{len(mine)} more"
        yield f"{which} changed by {short_hash(by)}" if by else f"{which} changed or moved since"


def line_ranges(numbers: Iterable[int]) -> str:
    """Line numbers with runs as ranges: 3-5, 9."""
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs_of(numbers))


def _commit(episode: Episode, text: str, kind: str, score: float = 0.0) -> Rendering:
    item = replace(_item(episode, kind, episode.title, text), score=round(score, 4))
    number = f" (#{episode.pull_request})" if episode.pull_request else ""
    end = f": {text}" if text else ""
    return Rendering(f"- {item.id} {item.date} {quoted_title(item.title)}{number}{end}", item)


def _item(episode: Episode, kind: str, subject: str, text: str) -> BriefItem:
    return BriefItem(
        kind=kind,
        id=short_hash(episode.commit),
        title=one_line(subject, SUBJECT_LENGTH),
        text=text,
        commit=episode.commit,
        date=episode.date,
        source="commit",
        author=one_line(episode.author, 60),
    )


def revert_text(change: RevertedChange, after: Episode) -> str:
    """Which commit reverted an earlier one, and the reason that it gives; or the subject of one that removed a fix."""
    by = f"{short_hash(change.by)} {after.date}"
    if change.how is RevertKind.FIX_GONE:
        subject = quoted_title(one_line(after.title, REMOVER_LENGTH))
        return f"{by} {subject} removed this fix's lines in {_symbols(change)} (verify that the fix still holds)"
    why = f" because {quoted(one_line(change.reason, REASON_LENGTH))}" if change.reason else ""
    return f"reverted by {by}{why}" if change.how is RevertKind.REVERTED else f"tried, removed by {by}{why}"


def reverted_rendering(change: RevertedChange, before: Episode, after: Episode) -> Rendering:
    """A commit that `after` reverted, or whose fix it removed."""
    is_fix = change.how is RevertKind.FIX_GONE
    text = revert_text(change, after)
    text = text if is_fix else f"{_symbols(change)}: {text}"
    item = _item(before, "episode" if is_fix else "tried", before.subject, text)
    item = replace(item, path=visible_path(change.path), status=change.how.value, status_commit=change.by)
    return Rendering(f"- {'fixed in ' if is_fix else ''}{item.id} {item.date} {quoted_title(item.title)}: {text}", item)


def _symbols(change: RevertedChange) -> str:
    """Where the lines were: at most two symbols, or the file."""
    names = dict.fromkeys(one_line(symbol.rpartition(":")[2], 60) for symbol in change.symbols)
    return ", ".join(map(code, list(names)[:2])) or code(visible_path(change.path))


def _touched(episode: Episode, namesakes: Iterable[str]) -> str:
    """The first three symbols that a commit changed, or else its first three files and the number of further ones.

    The number of symbols is unknown: lines alone do not show which object's attribute was changed.
    """
    names = list(dict.fromkeys(one_line(symbol.rpartition(":")[2], 60) for symbol in _symbols_shown(episode)))
    is_uncounted = bool(names)
    if not names:
        names = _short_names(list(dict.fromkeys(file.path for file in episode.files)), NAMED, namesakes)
        is_uncounted = len(episode.files) >= FILES_KEPT
    if not is_uncounted:
        return listed(names, NAMED, code)
    return ", ".join(map(code, names[:NAMED])) + " and more" * (len(names) > NAMED)


def _short_names(paths: Sequence[str], most: int, namesakes: Iterable[str]) -> list[str]:
    """The paths, of which `most` will be shown as short as they can be told apart."""
    return [*map(visible_path, shortest_paths(paths[:most], [*paths, *namesakes]).values()), *paths[most:]]


def _symbols_shown(episode: Episode) -> list[str]:
    """The symbols, those of tests last; none if only those of tests are known, though sources changed too."""
    tested = [symbol for symbol in episode.symbols if is_test(symbol.rpartition(":")[0])]
    others = [symbol for symbol in episode.symbols if symbol not in tested]
    has_sources = any(is_source_code(file.path) for file in episode.files)
    return [] if has_sources and not others else [*others, *tested]
