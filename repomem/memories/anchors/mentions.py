"""Paths and identifiers of code that a memory's text is about; their existence is not checked here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from repomem.core.text.lazy_pattern import lazy_pattern

SHORTEST_NAME = 2
MOST_TEXT = 10_000  # characters that are searched; memories are shorter

_WORD = r"[^\W\d]\w*"
_NAME = rf"[@&*]?{_WORD}[?!]?(?:(?:\.|::|\#|->){_WORD}[?!]?)*"
_PATH = r"(?:\.{0,2}/)?(?:[\w.@+-]+/)*[\w.@+-]*\w"
_FILE = r"[\w-][\w.-]*\.[A-Za-z]\w{0,9}|[A-Z][a-z]+file"  # with an extension, or like Makefile
_IN_FILE = rf"{_PATH}\.[A-Za-z]\w{{0,9}}"
_HUMPS = r"[a-z]\w*[A-Z]\w*|[A-Z]\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}[a-z]\w*"
_SNAKE = rf"{_WORD}_\w+|_{_WORD}"
_MENTION = lazy_pattern(
    rf"""(?x)
      `(?P<quoted_file>{_IN_FILE}):{{1,2}}(?P<quoted_in>{_WORD}(?:\.{_WORD})*)(?:\(\))?`
    | `(?P<quoted>{_NAME}|{_PATH})(?:<[^<>`\n]*>)?(?:\([^()`\n]*\))?`
    | (?<![\w/.@`$-])(?:
        (?P<file>{_IN_FILE}):{{1,2}}(?P<in>{_WORD}(?:\.{_WORD})*)
      | (?P<path>(?:[\w.@+-]+/)+[\w.@+-]*\w|{_FILE})(?![\w/`(]|[.:\#]\w)
      | (?P<bare>{_WORD}(?:(?:\.|::|\#|->){_WORD})+|{_WORD}(?=\(\))|{_HUMPS}|{_SNAKE})(?![\w/`@])
      )
    """
)
_HIDDEN = lazy_pattern(r"\b\w+://\S+|\b[\w.+-]+@[\w-]+\.\w[\w.]*")  # addresses contain no file names
_JOIN = lazy_pattern(
    r"[\s,()]*(?:/|\band\b|\bor\b|\bnor\b)\s*(?:the\s+)?"
)  # a comma alone joins nothing: "Unlike a, b does it"
_ARTICLE = r"(?:(?:the|a|an|our|its|old|former|plain|just|only|function|method|class|module|file|type)\s+)*"
_PASSING_BEFORE = lazy_pattern(
    rf"""(?ix)(?:\b(?:
      (?:unlike|instead\ of|rather\ than|as\ opposed\ to|in\ place\ of|in\ favou?r\ of|replac(?:es|ed|ing)|similar\ to)
        \s+(?:\w+\s+){{0,2}}
    | not\ (?:in|from|with|by|to|at|on|via)\s+
    | (?:not|was|were|than|over|formerly|previously|once|like|except|see|see\ also|cf\.|called|named
        |(?:renamed|moved|copied|split|forked|ported|inherited|extracted|taken)\ (?:from|out\ of))\s+
    ){_ARTICLE})\Z"""
)
_PASSING_AFTER = lazy_pattern(
    r"""(?ix)\s+(?:
      (?:before|earlier|previously|once|formerly)\s*(?:[.,;:]|\Z)
    | (?:was|were|has\ been|have\ been|is|are|got)\s+(?:\w+ly\s+)?
        (?:removed|deleted|dropped|renamed|reverted|replaced|rejected|gone|another\ thing|no\ more)\b
    | (?:does|do|did)(?:\s+not|n't)\s+exist
    )"""
)
# Product names that are written like identifiers
_PRODUCT_NAMES = """github gitlab bitbucket javascript typescript coffeescript graphql openapi oauth postgresql mysql
    sqlite mariadb mongodb dynamodb clickhouse rabbitmq nodejs youtube linkedin devops macos ios ipados iphone ipad
    fastapi pypi numpy opencv tensorflow pytorch websocket websockets vscode powershell cloudflare restful nextjs
    stackoverflow hashicorp jetbrains intellij"""
_PRODUCTS = frozenset(_PRODUCT_NAMES.split())
_PROTOCOL = lazy_pattern(r"__\w+__")  # alone it means the protocol of the language, even if a class here defines it
_SELVES = frozenset({"self", "this", "cls", "super"})


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that a text names: `path` if written like a path, `parts` if written like an identifier.

    Both are set where it may be either (`tide.Height`, `main.go`), and, with `is_place`, for a symbol with its file.
    """

    path: str = ""
    parts: tuple[str, ...] = ()
    is_plain: bool = False  # one lower-case word, marked as code only by backticks or brackets
    is_place: bool = False


def mentions(text: str) -> list[Mention]:
    """The names that a text is about, in order, without comparisons and deleted things."""
    shown = _HIDDEN.sub(lambda hidden: " " * len(hidden[0]), text[:MOST_TEXT])
    found = list(_MENTION.finditer(shown))
    passing = _passing(shown, found)
    about = (_mention(match) for match, is_passing in zip(found, passing, strict=True) if not is_passing)
    return list(dict.fromkeys(mention for mention in about if mention))


def _passing(text: str, found: list[re.Match[str]]) -> Iterator[bool]:
    """Whether each mention is in passing; so is a mention joined to one in passing."""
    is_passing, start = False, 0
    for match in found:
        is_joined = is_passing and bool(_JOIN.fullmatch(text[start : match.start()]))
        is_led = bool(_PASSING_BEFORE.search(text[max(start, match.start() - 80) : match.start()]))
        is_passing = is_joined or is_led
        start = match.end()
        yield is_passing or bool(_PASSING_AFTER.match(text, start + 2 if text.startswith("()", start) else start))


def _mention(match: re.Match[str]) -> Mention | None:
    file = match["quoted_file"] or match["file"]
    if file:
        return Mention(_path(file), _parts(match["quoted_in"] or match["in"]), is_place=True)
    if match["quoted"]:
        return _quoted(match["quoted"])
    if match["path"]:
        return Mention(_path(match["path"]), _parts(match["path"]) if "/" not in match["path"] else ())
    parts = _parts(match["bare"])
    if not parts or (len(parts) == 1 and parts[0].lower() in _PRODUCTS):
        return None
    return Mention(parts=parts, is_plain=len(parts) == 1 and _is_plain(parts[0]))


def _quoted(text: str) -> Mention | None:
    parts = _parts(text) if re.fullmatch(_NAME, text) else ()
    path = _path(text) if "/" in text or "." in text or not parts or re.fullmatch(r"[A-Z]\w+", text) else ""
    return Mention(path, parts, len(parts) == 1 and _is_plain(parts[0])) if path or parts else None


def _is_plain(name: str) -> bool:
    return name.isalpha() and name.islower()


def _path(text: str) -> str:
    return re.sub(r"\A(?:\.{1,2}/)+", "", text).strip("/")


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a qualified name, outermost first; none for other text."""
    parts = [part for part in re.split(r"\.|::|#|->", name.lstrip("@&*")) if part]
    if len(parts) > 1 and parts[0] in _SELVES:
        parts = parts[1:]
    is_name = parts and all(re.fullmatch(rf"{_WORD}[?!]?", part) for part in parts)
    if len(parts) == 1 and _PROTOCOL.fullmatch(parts[0]):
        return ()
    return tuple(parts) if is_name and len(parts[-1]) >= SHORTEST_NAME else ()
