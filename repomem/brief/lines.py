"""Renders code, commits and facts as lines of a brief. Everything that comes from a repository is escaped here."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from textwrap import dedent

from repomem.brief.items import Rendering
from repomem.brief.short_paths import shortest_paths
from repomem.core.text.counts import listed
from repomem.core.text.escape import code, fence_for, inert, one_line, quoted, quoted_with_code, visible, visible_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import last_part
from repomem.core.types.brief import ONE_TEST, BriefItem, Fact
from repomem.core.types.code import TYPES
from repomem.core.types.indexed import Hit, IndexedFile, Symbol

SIGNATURE_LENGTH = 56  # of the first place
SIGNATURE_CUT = 40  # of the others: a line says which definition it is
LONGEST_SIGNATURE = 90  # if its name ends that late
NAME_LENGTH = 60
LINE_LENGTH = 160  # characters of a single line
CONVENTIONS = "conventions"  # the label of a sentence of a contributing guide, as the profile has it
COMMANDS = frozenset(["build", "test", ONE_TEST, "lint", "format"])  # slots; one without a line is not in its file
CALLERS = 3  # of a definition, named
CALLS = 3  # lines of one caller
COLONS = frozenset(["cpp", "php", "ruby", "rust"])  # languages that write `Owner::name`
_RUBY_METHOD = lazy_pattern(r"\s*(?:\w+ )*def (?P<receiver>\w+\.)?")  # with a receiver it is of the class itself

_ATTRIBUTE = lazy_pattern(  # with at most two levels of brackets or parentheses
    r"\s*(?:#?\[(?:[^\[\]]|\[[^\[\]]*\])*\]|@(?!interface\b)[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?)\s*"
)
_CONDITIONAL = lazy_pattern(r"#if\b.*?#endif\b\s*", re.DOTALL)  # attributes that only some builds have
_OPENED = lazy_pattern(r"(?<=[(\[])\s+")  # a line break before the first parameter
_OWNS = r"(?:<[^<>]*>|\[[^\[\]]*\])?(?:\.|::|#|:|\)\s*)(?:\w+(?:\.|::))*"  # `Set<T>::`, Go's `(s *Set[T]) `


def place_id(path: str, start_line: int, end_line: int) -> str:
    """The id of a span of code: `path:12-40`, `path:12`, or `path` if the span starts at line 0."""
    if not start_line:
        return visible_path(path)
    span = f"{start_line}-{end_line}" if end_line > start_line else str(start_line)
    return f"{visible_path(path)}:{span}"


def fact_rendering(fact: Fact) -> Rendering:
    """A fact of the repository, with the lines it was read from."""
    where = place_id(fact.path, fact.start_line, fact.end_line)
    text = one_line(fact.text, 200)
    is_quoted = fact.slot == "quoted"
    label = CONVENTIONS if is_quoted else fact.slot
    item = BriefItem(kind="profile", id=where, title=label, text=text, source="file")
    is_stated = fact.slot not in COMMANDS or (fact.start_line and fact.slot != ONE_TEST)
    source = code(where) if is_stated else f"(derived from {code(where)})"
    plain = text.replace("<", "&lt;") if text.startswith(("<", "#", ">")) else text  # no markup of ours
    return Rendering(f"- {label}: {quoted_with_code(text) if is_quoted else inert(plain)} {source}", item)


def _code_item(hit: Hit, start: int, end: int, symbol: str = "") -> BriefItem:
    """The item of some lines of a found file."""
    return BriefItem(
        kind="code",
        id=place_id(hit.file.path, start, end),
        path=visible_path(hit.file.path),
        symbol=visible(symbol),
        start_line=start,
        end_line=end,
        source="file",
        score=round(hit.score, 4),
    )


def place_renderings(hit: Hit, site: Symbol | None, *, is_first: bool) -> list[Rendering]:
    """A place in the code: with its signature, and as a line range alone."""
    start, end = (site.start_line, site.end_line) if site else (hit.chunk.start_line, hit.chunk.end_line)
    symbol = visible(site.qualified if site else hit.chunk.symbol)
    length = SIGNATURE_LENGTH if is_first else SIGNATURE_CUT
    whole = _OPENED.sub("", _CONDITIONAL.sub("", site.signature if site else hit.chunk.signature))
    signature = _cut(_without_decorators(whole, symbol, length), symbol, length)
    owner = _unnamed_owner(whole, symbol, hit.file.language)
    where = place_id(hit.file.path, start, end)
    item = replace(_code_item(hit, start, end, symbol), title=signature or symbol, why=hit.why)
    others = 0 if site else hit.chunk.other_definitions
    more = f" and {others} more" if others else ""
    within = f" in {code(owner)}" if owner and signature else ""
    short = f"{code(where)} {code(signature)}{within}{more}" if signature else code(where)
    docstring = one_line(hit.chunk.docstring, 80) if symbol == visible(hit.chunk.symbol) else ""
    middle = f"{short}: {quoted(docstring)}" if docstring else short
    return list(dict.fromkeys([Rendering(middle, item), Rendering(short, item), Rendering(code(where), item)]))


def excerpt_rendering(hit: Hit, name: str, first_line: int, lines: Sequence[str], within: Symbol | None) -> Rendering:
    """An excerpt of a file, below its place: line numbers, the definition they are in and its lines, and the code.

    `name` is the file's name, or its path if another file has that name.
    """
    last = first_line + len(lines) - 1
    text = visible(dedent("\n".join(lines)))
    fence = fence_for(text)
    item = replace(_code_item(hit, first_line, last, within.qualified if within else ""), text=text)
    owner = f" in {_owner(name, within, hit.file.language, first_line, last)}" if within else ""
    return Rendering(f"   {code(place_id(name, first_line, last))}{owner}:\n{fence}\n{text}\n{fence}", item)


def _owner(path: str, site: Symbol, language: str, first_line: int, last_line: int) -> str:
    """A definition's name, with its line range unless all but a closing bracket of it is shown."""
    is_whole = first_line <= site.start_line and site.end_line <= last_line + 1
    name = code(_short_name(_spelled(site, language)))
    where = place_id(path, site.start_line, site.end_line)
    rest = " and after it" if last_line > site.end_line + 1 else ""
    return f"{name}{rest}" if is_whole else f"{name} ({code(where)}){rest}"


def _spelled(site: Symbol, language: str) -> str:
    """A definition's qualified name as its language writes it."""
    return _joined(site.qualified, language, _mark(site.signature, language))


def _mark(signature: str, language: str) -> str:
    """The separator that the language writes between an owner and the name: in Ruby `#` before an instance method."""
    if language == "ruby" and (method := _RUBY_METHOD.match(signature)):
        return "." if method["receiver"] else "#"
    return "::" if language in COLONS else "."


def _joined(qualified: str, language: str, mark: str) -> str:
    """A qualified name with `mark` before its last part, and `::` before others, if its language writes so."""
    if language not in COLONS:
        return qualified
    owner, dot, name = qualified.rpartition(".")
    return f"{owner.replace('.', '::')}{dot and mark}{name}"


def _short_name(qualified: str) -> str:
    """A qualified name on one line; a long one is cut to its end, which distinguishes it from its neighbours."""
    whole = " ".join(qualified.split())
    if len(whole) > NAME_LENGTH:
        last = re.split(r"\.|::", whole)[-1]
        whole = last if len(last) >= NAME_LENGTH else f"…{whole[1 - NAME_LENGTH :]}"
    return one_line(whole, NAME_LENGTH)


def single_lines_renderings(hit: Hit, lines: Sequence[tuple[int, str]], *, is_first: bool = False) -> list[Rendering]:
    """Single lines of a file, with numbers, below its place: all of them, the better half, or only the best one.

    `lines` are given best first; `is_first` means that the file has no excerpt above them.
    """
    counts = dict.fromkeys((len(lines), (len(lines) + 1) // 2, 1))
    one, several = ("a matching line", "some matching lines")
    if not is_first:
        one, several = ("another matching line", "some other matching lines")
    return [_single_lines_rendering(hit, sorted(lines[:count]), one if count == 1 else several) for count in counts]


def _single_lines_rendering(hit: Hit, lines: Sequence[tuple[int, str]], title: str) -> Rendering:
    numbers: dict[str, list[str]] = {}  # by the line's text: a copy is shown once
    for number, line in lines:
        shown = line if len(line) <= LINE_LENGTH else f"{line[: LINE_LENGTH - 1]}…"
        numbers.setdefault(visible(shown), []).append(str(number))
    text = "\n".join(f"{', '.join(same)}: {line}" for line, same in numbers.items())
    fence = fence_for(text)
    first = lines[0][0]
    item = replace(_code_item(hit, first, first), title="lines", text=text)
    return Rendering(f"   {title} of the file:\n{fence}\n{text}\n{fence}", item)


def _pattern_of_name(symbol: str) -> re.Pattern[str]:
    """Finds the last part of a symbol as a word."""
    return re.compile(rf"\b{re.escape(last_part(symbol))}\b")


def _cut(signature: str, symbol: str, length: int) -> str:
    """A signature of at most so many characters, or up to the end of the name: parameters are cut, the name is not."""
    name = _pattern_of_name(symbol).search(signature)
    return one_line(signature, max(length, min(name.end() + 1, LONGEST_SIGNATURE) if name else 0))


def _without_decorators(signature: str, symbol: str, length: int) -> str:
    """A signature without the decorators that would push the name beyond so many characters."""
    name = _pattern_of_name(symbol)
    bare = signature
    while attribute := _ATTRIBUTE.match(bare):
        bare = bare[attribute.end() :]
    has_room = name.search(signature, len(signature) - len(bare), length - 1)
    return signature if has_room or not name.search(bare) else bare


def _unnamed_owner(signature: str, symbol: str, language: str) -> str:
    """The class or module of a symbol; empty if the signature names it."""
    owner, _, name = symbol.rpartition(".")
    last = last_part(owner)
    if not owner or not name.isidentifier() or last == name:
        return ""
    is_named = re.search(rf"\b{re.escape(last)}\b{_OWNS}{re.escape(name)}\b", signature)
    is_argument = re.match(rf"[^(]*\([^)]*\b{re.escape(name)}\b", signature)  # as in `TEST_F(Fixture, name)`
    return "" if is_named or is_argument else _short_name(_joined(owner, language, "::"))


def definition_rendering(hit: Hit, name: str, site: Symbol) -> Rendering:
    """A further definition of a file, and its lines with the file's `name`."""
    symbol = _short_name(_spelled(site, hit.file.language))
    item = replace(_code_item(hit, site.start_line, site.end_line, site.qualified), title=symbol)
    return Rendering(f"{code(symbol)} {code(place_id(name, site.start_line, site.end_line))}", item)


def caller_renderings(
    hit: Hit, site: Symbol, callers: Sequence[tuple[str, str, int]], by_name: int = 0
) -> list[Rendering]:
    """The callers of a function or the users of a type: the first three, or one, and the number of further ones.

    Each is (path, enclosing definition, line); `by_name` is the number of further ones matched by name alone. A caller
    with several calls is listed once.
    """
    lines: dict[tuple[str, str], list[int]] = {}
    for path, within, line in callers:
        lines.setdefault((path, within), []).append(line)
    title = "used by" if site.kind in TYPES else "called by"
    item = replace(_code_item(hit, site.start_line, site.end_line, site.qualified), title=title, score=0.0)
    forms = []
    for most in (CALLERS, 1):
        chosen = sorted(list(lines.items())[:most], key=lambda one: one[0][0] != hit.file.path)  # a line has no path
        shown = [_caller(hit.file, *place, calls) for place, calls in chosen]
        more = len(lines) - len(shown)
        text = ", ".join(shown) + (f" and {more} more" if more else "")
        text += f"; {by_name} more (name match)" if by_name else ""
        forms.append(Rendering(f"   {title} {text}", replace(item, text=text)))
    return list(dict.fromkeys(forms))


def _caller(called: IndexedFile, path: str, within: str, calls: Sequence[int]) -> str:
    """The lines of a caller's calls, with its path in another file."""
    numbers, own = listed(calls, CALLS), "lines" if len(calls) > 1 else "line"
    where = f"{own} {numbers}" if path == called.path else f"{visible_path(path)}:{numbers}"
    if called.language == "ruby":  # it may be a method of the class or of its instances
        within = last_part(within)
    return f"{code(_short_name(_joined(within, called.language, '::')))} {where}" if within else where


def file_rendering(file: IndexedFile, score: float, why: tuple[str, ...], within: Symbol | None = None) -> Rendering:
    """A file by its path, with the lines of one of its definitions if given."""
    path, (start, end) = visible_path(file.path), (within.start_line, within.end_line) if within else (0, 0)
    item = BriefItem(
        kind="file",
        id=path,
        path=path,
        start_line=start,
        end_line=end,
        source="file",
        score=round(score, 4),
        why=why,
    )
    return Rendering(code(place_id(file.path, start, end)), item)


def co_change_rendering(
    path: str, commits: int, others: Sequence[tuple[str, int]], paths: Iterable[str], *, is_whole: bool
) -> Rendering:
    """The files that change with one, each with how many of its small commits they share.

    Only commits that change its code count, not those that change only comments; unless `is_whole`, only the newest
    ones. `paths` are all paths that a short path could mean.
    """
    which = f"the {commits} small commits" if is_whole else f"the newest {commits} small commits"
    beside = [path, *(other for other, _ in others if other.rpartition("/")[0] == path.rpartition("/")[0])]
    names = shortest_paths(beside, paths)
    own = code(visible_path(names[path]))
    counts = [
        f"{code(visible_path(names.get(other, other)))} in {count}{f' of {which} to {own}' * (at == 0)}"
        for at, (other, count) in enumerate(others)
    ]
    text = ", ".join(counts)
    item = BriefItem(kind="file", id=visible_path(path), path=visible_path(path), text=text, source="commit")
    return Rendering(f"- changed together with {own}: {text}", item)


def registration_rendering(
    folder: str, suffix: str, commits: int, others: Sequence[tuple[str, int]], *, is_whole: bool
) -> Rendering:
    """The files that are edited by commits that add a file of one kind, each with the number of such commits.

    Unless `is_whole`, only the newest commits count.
    """
    counts = " and ".join(f"{code(visible_path(path))} in {count}" for path, count in others)
    where = code(visible_path(folder)) if folder else "the root"
    which = f"{commits}" if is_whole else f"the newest {commits}"
    text = f"{counts} of {which} small commits that add a {code(visible_path(suffix))} file to {where}"
    first = visible_path(others[0][0])
    item = BriefItem(kind="file", id=first, path=first, text=text, source="commit")
    return Rendering(f"- edited with a new file: {text}", item)
