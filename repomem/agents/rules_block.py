"""The text of exported rules within repomem's block of an agent's file: made, read back, and compared.

    ### Rules and decisions

    - Amounts are integers of cents <!-- 9f31c08a 3f2a -->
    <!-- repomem export, budget 600: 9f31 -00b1aa34.77c0 -->

A line carries the key of its memory and a digest of its text, so that an edit is recognised in any clone. The last line
lists the keys that were written, and with a minus what a person deleted.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from repomem.core.records import digest_of_id
from repomem.core.text.escape import one_line, visible
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.tokens import count_tokens

CURSOR_FILE = ".cursor/rules/repomem.mdc"
EXPORT_FILES = ("AGENTS.md", "CLAUDE.md", CURSOR_FILE, ".github/copilot-instructions.md")
RULES_TITLE = "### Rules and decisions\n"
KEY_LENGTH = 8  # hex digits of an id's digest; agents pay for each character
SHORT_KEY = 4  # hex digits in the list of what was written: distinct among some tens of lines
TEXT_LENGTH = 400  # characters of a memory; a file that every session reads has no room for more
DEFAULT_BUDGET = 600  # tokens of the whole block
_LINE = lazy_pattern(r"- (?P<text>.*?)\s*<!-- (?P<key>[0-9a-f]{8}) (?P<digest>[0-9a-f]{4}) -->\s*")
_CLOSING = lazy_pattern(
    r"<!-- repomem export, budget (?P<budget>\d{1,6}):(?P<keys>(?: [0-9a-f]{4}| -[0-9a-f]{8}\.[0-9a-f]{4})*) -->"
)
_BARE = lazy_pattern(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(?P<text>.*?)\s*")
_COMMENT = lazy_pattern(r"<!--.*?-->")


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One line: its text, and the key of the memory that it was written for."""

    text: str
    key: str = ""  # see `key_of`; empty: a person wrote the line
    digest: str = ""  # of the text as it was written

    @property
    def is_edited(self) -> bool:
        """Whether a person changed the text, or wrote the line."""
        return digest_of(self.text) != self.digest


@dataclass(frozen=True, slots=True)
class RulesBlock:
    """The rules in a block as they are."""

    lines: tuple[RuleLine, ...] = ()
    deleted: Mapping[str, str] = field(default_factory=dict)  # key to the digest of the deleted text
    gone: frozenset[str] = frozenset()  # short keys of lines that a person deleted since they were written
    budget: int = DEFAULT_BUDGET


def may_have_rules(top: Path) -> bool:
    """Whether a file in a worktree contains the start of exported rules; a fast first test."""
    for name in EXPORT_FILES:
        with suppress(OSError):
            if RULES_TITLE.strip().encode() in (top / name).read_bytes():
                return True
    return False


def key_of(name: str) -> str:
    """The key of a memory: the start of the digest by which a purge names it, so a purged line is recognised too."""
    return digest_of_id(name)[:KEY_LENGTH]


def digest_of(text: str) -> str:
    """Identifies the text of a line: 4 hex digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=2).hexdigest()


def rule_line(name: str, text: str) -> RuleLine:
    """The line of a memory: its text on one line, which can neither open nor close a comment."""
    shown = one_line(visible(text), TEXT_LENGTH).replace("<!--", "&lt;!--").replace("-->", "--&gt;").strip()
    return RuleLine(shown, key_of(name), digest_of(shown))


def read_rules(block: str) -> RulesBlock | None:
    """The rules in the text of a block; None if it has none."""
    _, title, body = block.partition(RULES_TITLE)
    if not title:
        return None
    closing = _CLOSING.search(body)
    lines = map(_read_line, _CLOSING.sub("", body).splitlines())
    found = tuple(line for line in lines if line.text)
    keys = closing["keys"].split() if closing else []
    here = {line.key[:SHORT_KEY] for line in found}
    deleted = dict(key[1:].split(".") for key in keys if key.startswith("-"))
    gone = frozenset(key for key in keys if not key.startswith("-")) - here
    return RulesBlock(found, deleted, gone, int(closing["budget"]) if closing else DEFAULT_BUDGET)


def rules_text(lines: Sequence[RuleLine], deleted: Mapping[str, str], budget: int, above: str) -> tuple[str, int]:
    """The rules below the text `above`, and how many of the lines fit the budget together with it: the first ones."""
    count = len(lines)
    while True:
        text = "".join(_parts(lines[:count], deleted, budget))
        if not count or count_tokens(above + text) <= budget:
            return text, count
        count -= 1


def is_only_rules(block: str) -> bool:
    """Whether a block has rules and no instructions above them, as after an uninstall."""
    return block.lstrip().startswith(RULES_TITLE)


def _parts(lines: Sequence[RuleLine], deleted: Mapping[str, str], budget: int) -> Iterator[str]:
    yield f"{RULES_TITLE}\n"
    yield from (
        f"- {line.text} <!-- {line.key} {line.digest} -->\n" if line.key else f"- {line.text}\n" for line in lines
    )
    keys = [f" {line.key[:SHORT_KEY]}" for line in lines if line.key]
    keys += [f" -{key}.{digest}" for key, digest in deleted.items()]
    yield f"<!-- repomem export, budget {budget}:{''.join(keys)} -->\n"


def _read_line(line: str) -> RuleLine:
    if found := _LINE.fullmatch(line):
        return RuleLine(found["text"], found["key"], found["digest"])
    bare = _BARE.fullmatch(_COMMENT.sub("", line))
    text = bare["text"] if bare else ""
    return RuleLine("" if text.startswith("#") else text)
