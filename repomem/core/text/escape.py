"""Makes text from a repository safe to print: on a terminal, in a brief, on one line, in quotation marks.

Removes all invisible characters: control characters, terminal sequences, zero-width and bidirectional marks, tag
characters. Secrets are redacted by `core.secrets.redact`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass

from repomem.core.text.lazy_pattern import lazy_pattern

# Terminal sequences: CSI, then strings (OSC, DCS, SOS, PM, APC) up to their end, then two-character ones. Of a string
# without an end only the start is removed: otherwise one byte in a file would hide the rest of it.
_SEQUENCE = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
# Soft hyphen, grapheme joiner, Arabic letter mark, fillers, zero-width, line separators, bidi, invisible operators,
# byte order mark, interlinear and musical format characters, tags and the selectors that can smuggle bytes.
_INVISIBLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    r"\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_SURROGATES = r"\ud800-\udfff"
_SELECTORS = r"\ufe00-\ufe0f"
_DRAWN_NEVER = r"[\ufe00-\ufe0d]"
# The last two selectors set how the emoji before them is drawn; all others, and these elsewhere, can hide data.
_EMOJI = r"\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"

_SUSPECT = lazy_pattern(f"[{_CONTROLS}{_INVISIBLE}{_SURROGATES}{_SELECTORS}]")
_HIDDEN = lazy_pattern(
    f"{_SEQUENCE}|[{_CONTROLS}{_INVISIBLE}{_SURROGATES}]|(?<![{_EMOJI}])[{_SELECTORS}]|{_DRAWN_NEVER}"
)

_FRAME = lazy_pattern(r"<(?=\s*/?\s*repomem-brief)", re.IGNORECASE)
# Starts of Markdown links, images and HTML, and of the role tokens of chat templates.
_LIVE = lazy_pattern(r"<(?=[A-Za-z/!?|])|\](?=\()|!(?=\[)")
_TICKS = lazy_pattern(r"`+")
_CLOSING_QUOTE = lazy_pattern(r'(?<!\\)(\\*)("|\Z)')  # from the start of a run: linear time


def visible(text: str) -> str:
    r"""`text` without invisible characters except line feeds and tabs; the same object if it has none.

    A byte that is not UTF-8 (a lone surrogate from `os.fsdecode`) is shown as `\xff`, any other lone surrogate as
    `\ud83d`.
    """
    if _SUSPECT.search(text) is None:
        return text
    return _HIDDEN.sub(_shown, text)


def visible_path(path: str) -> str:
    r"""A path on one line, with line feeds and tabs shown as `\n` and `\t`."""
    return visible(path).replace("\n", r"\n").replace("\t", r"\t")


def visible_values(value: object, shown: Callable[[str], str] = visible) -> object:
    """A value for JSON with `shown` applied to its texts; dataclasses become mappings, and tuples lists."""
    if isinstance(value, str):
        return shown(value)
    if is_dataclass(value):
        return {each.name: visible_values(getattr(value, each.name), shown) for each in fields(value)}
    if isinstance(value, Mapping):
        return {shown(str(key)): visible_values(each, shown) for key, each in value.items()}
    return [visible_values(each, shown) for each in value] if isinstance(value, list | tuple) else value


def ends_path(path: str, end: str) -> bool:
    """Whether a path ends in these names, as it is or as `visible_path` shows it."""
    return any(f"/{each}".endswith(f"/{end}") for each in (path, visible_path(path)))


def visible_place(path: str, symbol: str) -> str:
    """A path, and a symbol in it if there is one, as `visible_path` shows them."""
    return visible_path(path) + (f":{visible(symbol)}" if symbol else "")


def one_line(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` characters, with white space folded and cut text replaced by `…`."""
    folded = _folded(text)
    return folded if len(folded) <= limit else folded[: max(0, limit - 1)].rstrip() + "…"[:limit]


def fence_for(text: str, shortest: int = 3) -> str:
    """A fence of at least `shortest` backticks, longer than any run in `text`; use 1 for a code span."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(shortest, longest + 1)


def quoted(text: str) -> str:
    """`text` on one line in double quotes, escaped so that it can close neither the quotes nor the brief's frame."""
    return '"' + _CLOSING_QUOTE.sub(_escaped_quote, inert(_folded(text))) + '"'


def quoted_with_code(text: str) -> str:
    """As `quoted`, but HTML and links in code spans stay as written; for a quotation with only our own text around it.

    If the backticks do not pair up, where a code span ends depends on what follows, and everything is escaped.
    """
    parts = _code_and_text(_folded(text))
    if parts is None:
        return quoted(text)
    shown = "".join(unframed(part) if at % 2 else inert(part) for at, part in enumerate(parts))
    return '"' + _CLOSING_QUOTE.sub(_escaped_quote, shown) + '"'


def quoted_title(text: str) -> str:
    """The subject of a commit in quotes or, where these need a backslash, as a code span: the terminal prints both."""
    shown, plain = quoted_with_code(text), _folded(text)
    return shown if shown == f'"{plain}"' else code(unframed(plain))


def code(text: str) -> str:
    """A code span that its content cannot leave."""
    safe = visible(text).replace("\n", " ")
    ticks = fence_for(safe, shortest=1)
    return f"{ticks} {safe} {ticks}" if "`" in safe else f"`{safe}`"


def _code_and_text(line: str) -> list[str] | None:
    """A line of Markdown as text, code span, text, and so on; None if backticks are left over or escaped."""
    runs = list(_TICKS.finditer(line))
    parts, end, at = [], 0, 0
    while at < len(runs):
        opening = runs[at]
        same = (number for number in range(at + 1, len(runs)) if runs[number].group() == opening.group())
        closing = next(same, None)
        if closing is None or line[: opening.start()].endswith("\\"):
            return None
        parts += [line[end : opening.start()], line[opening.start() : runs[closing].end()]]
        end, at = runs[closing].end(), closing + 1
    return [*parts, line[end:]]


def inert(text: str) -> str:
    """`text` with links, images, HTML and brief frames escaped; for text outside of code spans and blocks."""
    return _LIVE.sub(r"\\\g<0>", unframed(text))


def unframed(text: str) -> str:
    """`text` with brief frames escaped."""
    return _FRAME.sub("&lt;", text)


def _shown(match: re.Match[str]) -> str:
    hidden = match.group()
    code = ord(hidden[0])
    if not 0xD800 <= code <= 0xDFFF:
        return ""
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _folded(text: str) -> str:
    return " ".join(visible(text).split())


def _escaped_quote(match: re.Match[str]) -> str:
    """The quote escaped, and the backslashes before it doubled so that they cannot undo the escape."""
    backslashes, quote = match.groups()
    return backslashes * 2 + (r"\"" if quote else "")
