"""The options that an agent offers, and which of them a person picks."""

import re
from collections.abc import Sequence
from itertools import pairwise

from repomem.adapters.transcripts.steps import Step
from repomem.capture.dialogue_state import Option
from repomem.capture.statements.not_statements import is_only_now, is_question
from repomem.capture.statements.sentences import Clause, Sentence, sentences_of
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern

MOST_OPTIONS = 5
LONGEST_OTHER = 60  # characters of an option that was not picked
MOST_WORDS_OF_NAME = 4  # of a picked option's name; longer clauses are statements

_LABEL = lazy_pattern(r"(?i)option\s+(\w{1,3})\b|#?(\d)\b|\bthe (second)\b")
_PICKS = lazy_pattern(r"(?i)^option\s+#?\w{1,3}(?=$)|^#?\d(?=[,.:;!])")
_SEVERAL = lazy_pattern(r"(?i)\b(?:and|then|or|first(?=,| then|$))\b")
_NO_OPTIONS = lazy_pattern(
    r"(?im)^\W*(?:here(?:'s| is| are) )?(?:my |the |a )?(?:\w+ )?(?:plan|steps|to-?dos?|tasks|findings|causes|reasons|"
    r"problems|issues|bugs)\b[^\n]{0,40}:"
)
_ITEM = lazy_pattern(r"(?im)^[ \t]*(?:[-*•]|#?\w{1,2}[.)]|option \w+:)\s+(?P<said>\S.*)$")
_OFFERED = lazy_pattern(
    r"(?im)^[ \t]*(?:[-*•] )?[#*_ (]*(?:option |plan |variante? |opción |方案)?(?P<label>[A-Ea-e1-5])"
    r"[*_]{0,2}[.):：）][*_]{0,2}\s*(?P<text>\S.*)$"
)
_CHOICE = lazy_pattern(r"(?i)\b(?:options?|choices?|either|which|variants?|alternatives?)\b|\?\s*\Z")
_PICKED = lazy_pattern(
    r"\W*(?:(?:ok|okay|yes|yeah|yep|right|fine|(?:no|nah)(?=\s*[,.:;!–—-])|hm+|so|then|well|let's|lets|go|with|take|do|"
    r"use|i'd|i|say|choose|pick|prefer|want|number|option|plan|nimm|mach|also|dann|ja|gut|bueno|vale|dale|pues|bon|va|pour|on|prend|oui|"
    r"alors|d'accord|那|就|好|选|用|じゃあ|では)(?:[\s,.:;–—-]+|(?<=[那就好选用])))*(?P<label>[A-E1-5]|[a-e](?=[.,:;]|$))"
    r"(?:\s*(?:then|only|it is|please|pls|entonces|y ya|bitte|dann|me plaît|alors|吧|で|でお願いします))*"
    r"\s*(?:[.,:;!)，。、–—]|$|(?<=[A-E1-5] )(?:but|because|since|if|as long as|unless|aber|weil|falls|solange|pero|"
    r"porque|mais|parce que)\b)"
)


def options_in(steps: Sequence[Step]) -> list[Option]:
    """The options that are listed from A or 1 on in an agent's messages; numbers only if the message asks."""
    for step in reversed(steps):
        listed = [Option(match["label"].upper(), match["text"].strip()) for match in _OFFERED.finditer(step.text)]
        labels = [option.label for option in listed]
        follows = all(ord(after) == ord(before) + 1 for before, after in pairwise(labels))
        is_list = 2 <= len(labels) <= MOST_OPTIONS and labels[0] in "A1" and follows
        if is_list and (labels[0] == "A" or _CHOICE.search(step.text)) and not _NO_OPTIONS.search(step.text):
            return listed
    return []


def picked_option(sentences: Sequence[Sentence], options: Sequence[Option]) -> Option | None:
    """The option whose label is the whole answer of a sentence: "ok, B then", not "B breaks on Windows"."""
    named = [
        option
        for sentence in sentences
        if not is_question(sentence.text) and (match := _PICKED.match(sentence.text))
        for option in options
        if option.label == match["label"].upper()
    ]
    return named[-1] if named else None


def reason_of_choice(sentences: Sequence[Sentence]) -> str:
    """The text of a prompt that picks an option, with the label; empty if there is only the label."""
    stated = [one.text for one in sentences if not is_question(one.text)]
    return "" if all(_PICKED.fullmatch(text) for text in stated) else " ".join(stated)


def worded_choice(picked: Option, options: Sequence[Option]) -> str:
    """The text of a picked option, with the others that were offered."""
    others = [one_line(_first_sentence(option.text), LONGEST_OTHER) for option in options if option != picked]
    return f"{_first_sentence(picked.text)} (not: {'; '.join(others)})"


def _first_sentence(text: str) -> str:
    shown = sentences_of(text, is_prompt=False)
    return shown[0].text.rstrip(" .") if shown else text


def picks(clause: Clause) -> bool:
    """Whether a clause picks just one option by its label: "option B", "2, because …"."""
    return bool(_PICKS.match(clause.bare)) and not _SEVERAL.search(clause.bare) and not is_only_now(clause)


def option_labelled(text: str, offered: Sequence[Step]) -> str:
    """The text of the option with this label in the agent's message; empty without one, or if it lists a plan."""
    labelled = _LABEL.search(text)
    if not labelled or any(_NO_OPTIONS.search(step.text) for step in offered):
        return ""
    label = "2" if labelled[3] else re.escape(labelled[1] or labelled[2])
    line = re.compile(
        rf"(?im)^[ \t]*(?:[-*] )?[#* ]*(?:option |plan |approach |variant |choice )?{label}"
        r"(?:\*\*)?[.):—–-]+(?:\*\*)?\s+(.+)$"
    )
    matches = [match[1] for step in offered for match in line.finditer(step.text)]
    shown = sentences_of(matches[0], is_prompt=False) if len(matches) == 1 else []
    return shown[0].text if shown else ""


def is_option(clause: Clause, offered: Sequence[Step]) -> bool:
    """Whether a clause with a reason is an option's name: just one offered option starts with it."""
    name = clause.text.lower().strip(" .`*")
    if clause.place or not clause.has_own_why or not 0 < len(name.split()) <= MOST_WORDS_OF_NAME:
        return False
    items = [match["said"].lower().lstrip("*_` ") for step in offered for match in _ITEM.finditer(step.text)]
    return sum(1 for item in items if item.startswith(name)) == 1
