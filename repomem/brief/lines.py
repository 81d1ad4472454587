"""Items to the lines that show them. Everything that comes from a repository is escaped here."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from repomem.brief.items import Form
from repomem.core.escape import fence_for, inert, one_line, quoted, visible, visible_path
from repomem.core.types import (
    SHORT_HASH,
    BriefItem,
    Episode,
    Fact,
    Hit,
    IndexedFile,
    Later,
    Siblings,
    Site,
    Spot,
    Undoing,
    Undone,
)

SIGNATURE_LENGTH = 110  # of the first place
SIGNATURE_CUT = 72  # of the others: a line says which definition it is
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


def fact_form(fact: Fact) -> Form:
    """A fact of the repository, with the place where it was read."""
    where = place_id(fact.path, fact.start_line, fact.end_line)
    text = one_line(fact.text, 200)
    said = f"[quoted] {quoted(text)}" if fact.slot == "quoted" else f"{fact.slot}: {_inline(text)}"
    item = BriefItem(kind="profile", id=where, title=fact.slot, text=text, source="file")
    return Form(f"- {said} {code(where)}", item)


def _inline(text: str) -> str:
    """A fact's text, where it cannot pass for markup of ours."""
    return inert(text.replace("<", "&lt;") if text.startswith(("<", "#", ">")) else text)


def place_forms(hit: Hit, site: Site | None, snippet: Sequence[str], first_line: int, *, is_first: bool) -> list[Form]:
    """A place in the code: with some of its lines, with its signature, and as a span alone."""
    start, end = (site.start_line, site.end_line) if site else (hit.chunk.start_line, hit.chunk.end_line)
    symbol = visible(site.qualified if site else hit.chunk.symbol)
    signature = one_line(
        _owned(site.signature if site else hit.chunk.signature, symbol), SIGNATURE_LENGTH if is_first else SIGNATURE_CUT
    )
    where = place_id(hit.file.path, start, end)
    why = f" ({', '.join(hit.why[:3])})" if is_first and hit.why else ""
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
    said = one_line(hit.chunk.docstring, 80) if symbol == visible(hit.chunk.symbol) else ""
    middle = f"{short}: {quoted(said)}" if said else short
    forms = [Form(middle + why, item), Form(short, item), Form(code(where), item)]
    if snippet and is_first:
        last = first_line + len(snippet) - 1
        text = visible("\n".join(snippet))
        fence = fence_for(text)
        span = f"lines {first_line}-{last}" if last > first_line else f"line {first_line}"
        shown = f"{middle}{why}; {span}:\n   {fence}{hit.file.language}\n"
        shown += "".join(f"   {line}\n" for line in text.split("\n")) + f"   {fence}"
        forms.insert(0, Form(shown, replace(item, text=text)))
    return list(dict.fromkeys(forms))


def _owned(signature: str, symbol: str) -> str:
    """A signature with what the definition belongs to before its name, where it says nothing of that."""
    owner, _, name = symbol.rpartition(".")
    if not owner or not name.isidentifier() or owner.rpartition(".")[2] in signature:
        return signature
    return re.sub(rf"\b{re.escape(name)}\b", lambda _: symbol, signature, count=1)


def site_form(hit: Hit, site: Site) -> Form:
    """A definition beside another of the same file: its name and lines alone."""
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
    return Form(f"{code(symbol)} {where.rpartition(':')[2]}", item)


def callers_forms(hit: Hit, site: Site, callers: Sequence[tuple[str, str, int]]) -> list[Form]:
    """Who calls a definition, as (path, definition around it, line): three of them and how many more, and fewer.

    One that calls it at several lines is told once, with the first of them.
    """
    where = place_id(hit.file.path, site.start_line, site.end_line)
    firsts: dict[tuple[str, str], int] = {}
    for path, within, line in callers:
        firsts.setdefault((path, within), line)
    forms = []
    for most in (CALLERS, 1):
        told = [_caller(hit.file.path, *place, line) for place, line in list(firsts.items())[:most]]
        more = len(firsts) - len(told)
        text = ", ".join(told) + (f" and {more} more" if more else "")
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
        forms.append(Form(f"   called by {text}", item))
    return list(dict.fromkeys(forms))


def _caller(beside: str, path: str, within: str, line: int) -> str:
    """A caller: its line, with the path where that is another, which in the same folder its name is enough for."""
    folder = path.rpartition("/")[0]
    short = path.rpartition("/")[2] if folder == beside.rpartition("/")[0] else path
    where = str(line) if path == beside else f"{visible_path(short)}:{line}"
    return f"{code(one_line(within, NAME_LENGTH))} {where}" if within else where


def file_form(file: IndexedFile, score: float, why: tuple[str, ...]) -> Form:
    """A file by its path alone."""
    path = visible_path(file.path)
    item = BriefItem(kind="file", id=path, path=path, source="file", score=round(score, 4), why=why)
    return Form(code(path), item)


def together_form(path: str, commits: int, most_files: int, others: Sequence[tuple[str, int]]) -> Form:
    """The files that change with one, each with how many of its commits they share."""
    folder = "".join(path.rpartition("/")[:2])
    told = ", ".join(
        f"{code(visible_path(other.removeprefix(folder) if '/' not in other.removeprefix(folder) else other))} {count}"
        for other, count in others
    )
    said = f"Also changes with {code(visible_path(path.removeprefix(folder)))}"
    said += f" ({commits} commits of at most {most_files} files)"
    item = BriefItem(kind="file", id=visible_path(path), path=visible_path(path), text=told, source="commit")
    return Form(f"{said}: {told}", item)


def episode_form(episode: Episode, score: float, state: str, *, kind: str = "episode") -> Form:
    """A commit: hash, date, subject, pull request, where, and what of it stands at the head."""
    text = ": ".join(filter(None, (_touched(episode), state)))
    return _commit_form(episode, text, kind, score)


def siblings_form(episode: Episode, siblings: Siblings, spots: Sequence[Spot], later: Sequence[Later]) -> Form:
    """A commit that changed several lines in one way: what it changed, where they are, and which are so no longer."""
    added = code(siblings.added)
    how = f"replaced {code(siblings.removed)} by {added}" if siblings.removed else f"put in {added}"
    stand = f"all {len(spots)} stand" if len(spots) > 2 else "both stand"
    state = "; ".join(_changed_again(spots, later)) if later else stand
    return _commit_form(episode, f"{how} at {_lines(spots)}: {state}", "episode")


def _lines(spots: Sequence[Spot]) -> str:
    """Lines of several files: each path once, then their numbers."""
    by_path: dict[str, list[str]] = {}
    for spot in spots:
        by_path.setdefault(spot.path, []).append(str(spot.line))
    return "; ".join(f"{code(visible_path(path))} {', '.join(numbers)}" for path, numbers in by_path.items())


def _changed_again(spots: Sequence[Spot], later: Sequence[Later]) -> Iterator[str]:
    """That some lines stand, and by which commit others were changed since."""
    yield "these stand" if len(spots) > 1 else "it stands"
    for by in dict.fromkeys(each.by for each in later):
        mine = [each for each in later if each.by == by]
        where = _lines([each.spot for each in mine if each.spot])
        told = where if where and all(each.spot for each in mine) else f"{len(mine)} more"
        yield f"{told} changed by {by[:SHORT_HASH]}" if by else f"{told} changed since"


def _commit_form(episode: Episode, text: str, kind: str, score: float = 0.0) -> Form:
    short = episode.commit[:SHORT_HASH]
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
    said = f": {text}" if text else ""
    return Form(f"- {short} {episode.date} {quoted(subject)}{number}{said}", item)


def what_undid(undoing: Undoing, date: str) -> str:
    """By which commit, of that date, an earlier one came to nothing, and the reason that it gives in its own words."""
    by = f"{undoing.by[:SHORT_HASH]} {date}"
    if undoing.how is Undone.FIX_GONE:
        return f"its lines in {_symbols(undoing)} left with {by}: check"
    why = f"because {quoted(one_line(undoing.reason, REASON_LENGTH))}" if undoing.reason else "(no reason given)"
    return f"reverted by {by} {why}" if undoing.how is Undone.REVERTED else f"tried, removed by {by} {why}"


def undoing_form(undoing: Undoing, before: Episode, after: Episode) -> Form:
    """A commit that came to nothing; `after` undid it."""
    is_fix = undoing.how is Undone.FIX_GONE
    short = before.commit[:SHORT_HASH]
    subject = one_line(before.subject, SUBJECT_LENGTH)
    text = what_undid(undoing, after.date)
    text = text if is_fix else f"{_symbols(undoing)}: {text}"
    item = BriefItem(
        kind="episode" if is_fix else "tried",
        id=short,
        title=subject,
        text=text,
        path=visible_path(undoing.path),
        commit=before.commit,
        date=before.date,
        status=undoing.how.value,
        status_commit=undoing.by,
        source="commit",
        author=one_line(before.author, 60),
    )
    return Form(f"- {'fixed in ' if is_fix else ''}{short} {before.date} {quoted(subject)}: {text}", item)


def _symbols(undoing: Undoing) -> str:
    """Where the lines were: two symbols of the file, or the file."""
    names = dict.fromkeys(one_line(symbol.rpartition(":")[2], 60) for symbol in undoing.symbols)
    return ", ".join(map(code, list(names)[:2])) or code(visible_path(undoing.path))


def _touched(episode: Episode) -> str:
    """The symbols that a commit changed, else its files: three of them, and how many more."""
    names = [one_line(symbol.rpartition(":")[2], 60) for symbol in episode.symbols]
    names = names or [visible_path(file.path.rpartition("/")[2]) for file in episode.files]
    shown = ", ".join(code(name) for name in dict.fromkeys(names[:3]))
    more = len(dict.fromkeys(names)) - 3
    return f"{shown} and {more} more" if more > 0 else shown
