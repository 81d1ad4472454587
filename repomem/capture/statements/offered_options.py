"""Options that an agent's message offers, and which of them a person's few words pick."""

import re
from collections.abc import Sequence

from repomem.adapters.transcripts.steps import Step
from repomem.capture.statements.clauses import Clause
from repomem.capture.statements.hedges import is_only_now
from repomem.capture.statements.sentences import sentences_of

MOST_WORDS_OF_NAME = 4  # by which an option is picked: more of them say something of their own

_LABEL = re.compile(
    r"option\s+(\w{1,3})\b|#?(\d)\b|\bthe (second)\b",
    re.IGNORECASE,
)
_PICKS = re.compile(
    r"^option\s+#?\w{1,3}(?=$)|^#?\d(?=[,.:;!])",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:and|then|or|first(?=,| then|$))\b", re.IGNORECASE)
_NO_OPTIONS = re.compile(
    r"^\W*(?:here(?:'s| is| are) )?(?:my |the |a )?(?:\w+ )?(?:plan|steps|to-?dos?|tasks|findings|causes|reasons|"
    r"problems|issues|bugs)\b"
    r"[^\n]{0,40}:",
    re.IGNORECASE | re.MULTILINE,
)
_ORDINALS = {"first": "1", "second": "2", "third": "3"}
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|#?\w{1,2}[.)]|option \w+:)\s+(?P<said>\S.*)$", re.IGNORECASE | re.MULTILINE)


def picks(clause: Clause) -> bool:
    """Whether a clause picks by a label, and one thing alone: "option B", "2, because …"."""
    return bool(_PICKS.match(clause.bare)) and not _SEVERAL.search(clause.bare) and not is_only_now(clause)


def option_labelled(text: str, offered: Sequence[Step]) -> str:
    """The option that a label names, as the agent's message has it; empty where a plan stands there."""
    found = _LABEL.search(text)
    if not found or any(_NO_OPTIONS.search(step.text) for step in offered):
        return ""
    label = next(filter(None, found.groups())).lower()
    label = re.escape(_ORDINALS.get(label, label))
    line = re.compile(
        rf"^[ \t]*(?:[-*] )?[#* ]*(?:option |plan |approach |variant |"
        rf"choice )?{label}(?:\*\*)?[.):—–-]+(?:\*\*)?\s+(.+)$",
        re.IGNORECASE | re.MULTILINE,
    )
    matches = [match[1] for step in offered for match in line.finditer(step.text)]
    shown = sentences_of(matches[0], is_prompt=False) if len(matches) == 1 else []
    return shown[0].text if shown else ""


def is_option(clause: Clause, offered: Sequence[Step]) -> bool:
    """Whether a clause with a reason is the name of an option: just one of those that stand there starts with it."""
    name = clause.text.lower().strip(" .`*")
    if clause.place or not clause.has_own_why or not 0 < len(name.split()) <= MOST_WORDS_OF_NAME:
        return False
    items = [match["said"].lower().lstrip("*_` ") for step in offered for match in _ITEM.finditer(step.text)]
    return sum(1 for item in items if item.startswith(name)) == 1
