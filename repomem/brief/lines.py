"""Renders code, commits and facts as lines of a brief. Everything that comes from a repository is escaped here."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import dedent

from repomem.brief.items import Rendering
from repomem.brief.reasons import reason_in
from repomem.core.escape import fence_for, inert, one_line, quoted, visible, visible_path
from repomem.core.types.brief import BriefItem, Fact
from repomem.core.types.commits import Episode, short_hash
from repomem.core.types.indexed import Hit, IndexedFile, Symbol
from repomem.core.types.line_history import LaterEdit, LineLocation, RevertedChange, RevertKind, SimilarEdits

SIGNATURE_LENGTH = 72  # of the first place
SIGNATURE_CUT = 56  # of the others: a line says which definition it is
NAME_LENGTH = 60
CALLERS = 3  # of a definition, named
SUBJECT_LENGTH = 120
REASON_LENGTH = 160


def code(text: str) -> str:
    """A code span that its content cannot leave."""
    safe = visible(text).replace("\n", " ")
    ticks = fence_for(safe, shortest=1)
    return f"{ticks} {safe} {ticks}" if "`" in safe else f"`{safe}`"


def place_id(path: str, start_line: int, end_line: int) -> str:
    """The id of a span of code: `path:12-40`, or `path:12`."""
    span = f"{start_line}-{end_line}" if end_line > start_line else str(start_line)
    return f"{visible_path(path)}:{span}"


def fact_rendering(fact: Fact) -> Rendering:
    """A fact of the repository, with the lines it was read from."""
    where = place_id(fact.path, fact.start_line, fact.end_line)
    text = one_line(fact.text, 200)
    said = f"[quoted] {quoted(text)}" if fact.slot == "quoted" else f"{fact.slot}: {_inline(text)}"
    item = BriefItem(kind="profile", id=where, title=fact.slot, text=text, source="file")
    return Rendering(f"- {said} {code(where)}", item)


def _inline(text: str) -> str:
    """A fact's text, which cannot pass for our own markup."""
    return inert(text.replace("<", "&lt;") if text.startswith(("<", "#", ">")) else text)


def place_renderings(hit: Hit, site: Symbol | None, *, is_first: bool) -> list[Rendering]:
    """A place in the code: with its signature, and as a line range alone."""
    start, end = (site.start_line, site.end_line) if site else (hit.chunk.start_line, hit.chunk.end_line)
    symbol = visible(site.qualified if site else hit.chunk.symbol)
    signature = one_line(
        _qualified(site.signature if site else hit.chunk.signature, symbol),
        SIGNATURE_LENGTH if is_first else SIGNATURE_CUT,
    )
    where = place_id(hit.file.path, start, end)
    item = BriefItem(
        kind="code",
        id=where,
        title=signature or symbol,
        path=visible_path(hit.file.path),
        symbol=symbol,
        start_line=start,
        end_line=end,
        source="file",
        score=round(hit.score, 4),
        why=hit.why,
    )
    short = f"{code(where)} {code(signature)}" if signature else code(where)
    docstring = one_line(hit.chunk.docstring, 80) if symbol == visible(hit.chunk.symbol) else ""
    middle = f"{short}: {quoted(docstring)}" if docstring else short
    return list(dict.fromkeys([Rendering(middle, item), Rendering(short, item), Rendering(code(where), item)]))


def excerpt_rendering(hit: Hit, first_line: int, lines: Sequence[str], within: str) -> Rendering:
    """Some lines of a file, below its place: their numbers, the definition they are in, and the code itself."""
    last = first_line + len(lines) - 1
    text = visible(dedent("\n".join(lines)))
    fence = fence_for(text)
    item = BriefItem(
        kind="code",
        id=place_id(hit.file.path, first_line, last),
        text=text,
        path=visible_path(hit.file.path),
        symbol=visible(within),
        start_line=first_line,
        end_line=last,
        source="file",
        score=round(hit.score, 4),
    )
    owner = f" in {code(one_line(within, NAME_LENGTH))}" if within else ""
    return Rendering(f"   {code(_short_id(item))}{owner}:\n{fence}\n{text}\n{fence}", item)


def _short_id(item: BriefItem) -> str:
    """The span of an item with the name of its file alone: its place above has the path."""
    return item.id.rpartition("/")[2]


def _qualified(signature: str, symbol: str) -> str:
    """A signature whose name is qualified by its class or module, unless it names that already."""
    owner, _, name = symbol.rpartition(".")
    if not owner or not name.isidentifier() or owner.rpartition(".")[2] in signature:
        return signature
    return re.sub(rf"\b{re.escape(name)}\b", lambda _: symbol, signature, count=1)


def definition_rendering(hit: Hit, site: Symbol) -> Rendering:
    """A further definition of a file: its name and lines."""
    symbol = one_line(site.qualified, NAME_LENGTH)
    where = place_id(hit.file.path, site.start_line, site.end_line)
    item = BriefItem(
        kind="code",
        id=where,
        title=symbol,
        path=visible_path(hit.file.path),
        symbol=visible(site.qualified),
        start_line=site.start_line,
        end_line=site.end_line,
        source="file",
        score=round(hit.score, 4),
    )
    return Rendering(f"{code(symbol)} {code(_short_id(item))}", item)


def caller_renderings(hit: Hit, site: Symbol, callers: Sequence[tuple[str, str, int]]) -> list[Rendering]:
    """The callers of a definition, as (path, enclosing definition, line): three and how many more, or one.

    A caller with several calls is listed once, with its first line.
    """
    where = place_id(hit.file.path, site.start_line, site.end_line)
    firsts: dict[tuple[str, str], int] = {}
    for path, within, line in callers:
        firsts.setdefault((path, within), line)
    forms = []
    for most in (CALLERS, 1):
        shown = [_caller(hit.file.path, *place, line) for place, line in list(firsts.items())[:most]]
        more = len(firsts) - len(shown)
        text = ", ".join(shown) + (f" and {more} more" if more else "")
        item = BriefItem(
            kind="code",
            id=where,
            title="called by",
            text=text,
            path=visible_path(hit.file.path),
            symbol=visible(site.qualified),
            start_line=site.start_line,
            end_line=site.end_line,
            source="file",
        )
        forms.append(Rendering(f"   called by {text}", item))
    return list(dict.fromkeys(forms))


def _caller(called: str, path: str, within: str, line: int) -> str:
    """A caller's line, with its path in another file, or the file's name in the same folder."""
    folder = path.rpartition("/")[0]
    short = path.rpartition("/")[2] if folder == called.rpartition("/")[0] else path
    where = str(line) if path == called else f"{visible_path(short)}:{line}"
    return f"{code(one_line(within, NAME_LENGTH))} {where}" if within else where


def file_rendering(file: IndexedFile, score: float, why: tuple[str, ...]) -> Rendering:
    """A file by its path alone."""
    path = visible_path(file.path)
    item = BriefItem(kind="file", id=path, path=path, source="file", score=round(score, 4), why=why)
    return Rendering(code(path), item)


def co_change_rendering(path: str, commits: int, others: Sequence[tuple[str, int]]) -> Rendering:
    """The files that change with one, each with how many of its commits they share."""
    folder = "".join(path.rpartition("/")[:2])
    counts = [
        f"{code(visible_path(other.removeprefix(folder) if '/' not in other.removeprefix(folder) else other))}"
        f" in {count}{f' of {commits} commits' if at == 0 else ''}"
        for at, (other, count) in enumerate(others)
    ]
    text = ", ".join(counts)
    item = BriefItem(kind="file", id=visible_path(path), path=visible_path(path), text=text, source="commit")
    return Rendering(f"Changed together with {code(visible_path(path.removeprefix(folder)))}: {text}", item)


def commit_rendering(episode: Episode, score: float, state: str, *, kind: str = "episode") -> Rendering:
    """A commit: hash, date, subject, pull request, what it touched, and how much of it is still in the code."""
    text = ": ".join(filter(None, (_touched(episode), state)))
    return _commit(episode, text, kind, score)


def reasoned_renderings(plain: Rendering, body: str) -> tuple[Rendering, ...]:
    """The line of a commit with the reason that its body gives, and without it."""
    reason = reason_in(body)
    if not reason:
        return (plain,)
    text = f"{plain.item.text}; why: {reason}" if plain.item.text else f"why: {reason}"
    return Rendering(f"{plain.markdown}; why: {quoted(reason)}", replace(plain.item, text=text)), plain


def author_rendering(episode: Episode, lines: Mapping[str, Sequence[int]]) -> Rendering:
    """A commit that wrote lines that the brief shows, and which."""
    spans = [f"{visible_path(path.rpartition('/')[2])}:{line_ranges(numbers)}" for path, numbers in lines.items()]
    return _commit(episode, f"wrote {', '.join(map(code, spans))}", "episode")


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
    by_path: dict[str, list[str]] = {}
    for spot in spots:
        by_path.setdefault(spot.path, []).append(str(spot.line))
    return "; ".join(f"{code(visible_path(path))} {', '.join(numbers)}" for path, numbers in by_path.items())


def _changed_again(spots: Sequence[LineLocation], later: Sequence[LaterEdit]) -> Iterator[str]:
    """That some lines are still in the code, and which commit changed the others."""
    yield f"{'these are' if len(spots) > 1 else 'it is'} still in the code"
    for by in dict.fromkeys(each.by for each in later):
        mine = [each for each in later if each.by == by]
        where = _lines([each.spot for each in mine if each.spot])
        which = where if where and all(each.spot for each in mine) else f"{len(mine)} more"
        yield f"{which} changed by {short_hash(by)}" if by else f"{which} changed since"


def line_ranges(numbers: Iterable[int]) -> str:
    """Line numbers with runs as ranges: 3-5, 9."""
    runs: list[tuple[int, int]] = []
    for at in sorted(set(numbers)):
        if runs and at == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], at)
        else:
            runs.append((at, at))
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in runs)


def _commit(episode: Episode, text: str, kind: str, score: float = 0.0) -> Rendering:
    short = short_hash(episode.commit)
    number = f" (#{episode.pull_request})" if episode.pull_request else ""
    subject = one_line(episode.subject, SUBJECT_LENGTH)
    if episode.pull_request:
        subject = subject.removesuffix(f"(#{episode.pull_request})").rstrip()
    item = BriefItem(
        kind=kind,
        id=short,
        title=subject,
        text=text,
        commit=episode.commit,
        date=episode.date,
        source="commit",
        author=one_line(episode.author, 60),
        score=round(score, 4),
    )
    end = f": {text}" if text else ""
    return Rendering(f"- {short} {episode.date} {quoted(subject)}{number}{end}", item)


def revert_text(change: RevertedChange, date: str) -> str:
    """Which commit, of that date, reverted an earlier one, and the reason that it gives."""
    by = f"{short_hash(change.by)} {date}"
    if change.how is RevertKind.FIX_GONE:
        return f"{by} removed this fix's lines in {_symbols(change)}: verify that the fix still holds"
    why = f"because {quoted(one_line(change.reason, REASON_LENGTH))}" if change.reason else "(no reason given)"
    return f"reverted by {by} {why}" if change.how is RevertKind.REVERTED else f"tried, removed by {by} {why}"


def reverted_rendering(change: RevertedChange, before: Episode, after: Episode) -> Rendering:
    """A commit that `after` reverted, or whose fix it removed."""
    is_fix = change.how is RevertKind.FIX_GONE
    short = short_hash(before.commit)
    subject = one_line(before.subject, SUBJECT_LENGTH)
    text = revert_text(change, after.date)
    text = text if is_fix else f"{_symbols(change)}: {text}"
    item = BriefItem(
        kind="episode" if is_fix else "tried",
        id=short,
        title=subject,
        text=text,
        path=visible_path(change.path),
        commit=before.commit,
        date=before.date,
        status=change.how.value,
        status_commit=change.by,
        source="commit",
        author=one_line(before.author, 60),
    )
    return Rendering(f"- {'fixed in ' if is_fix else ''}{short} {before.date} {quoted(subject)}: {text}", item)


def _symbols(change: RevertedChange) -> str:
    """Where the lines were: at most two symbols, or the file."""
    names = dict.fromkeys(one_line(symbol.rpartition(":")[2], 60) for symbol in change.symbols)
    return ", ".join(map(code, list(names)[:2])) or code(visible_path(change.path))


def _touched(episode: Episode) -> str:
    """The symbols that a commit changed, else its files: three, and how many more."""
    names = [one_line(symbol.rpartition(":")[2], 60) for symbol in episode.symbols]
    names = names or [visible_path(file.path.rpartition("/")[2]) for file in episode.files]
    shown = ", ".join(code(name) for name in dict.fromkeys(names[:3]))
    more = len(dict.fromkeys(names)) - 3
    return f"{shown} and {more} more" if more > 0 else shown
