"""The classifier's features of a sentence: its words, its position, and the statements and actions around it."""

import re
from collections.abc import Iterator

from repomem.capture.statements.classifier.messages import Message

NAME = "§"  # replaces code, paths and identifiers
MOST_WORDS = 60  # of a sentence that are read
LONGEST_PHRASE = 3  # words

_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_TOKEN = re.compile(r"`[^`]*`|\w+(?:[./_:-]\w+)+|\w+(?:['’]\w+)?|[?!:,;.。？！、，]")
_IDENTIFIER = re.compile(r"[a-z][A-Z]|_|\w[./:]\w|^`")
_ASKS = re.compile(r"(?:[?？]|か。?|吗|呢)\s*$")


def features_of(message: Message, at: int) -> set[str]:
    """The features of the sentence `at` of a message; those that begin with "p:" or "a:" are of one speaker alone."""
    who = "p:" if message.is_persons else "a:"
    own = words_and_phrases(message.sentences[at].text)
    return own | {who + each for each in own if " " not in each} | {who + each for each in _around(message, at)}


def words_and_phrases(text: str) -> set[str]:
    """The words and phrases of a sentence, how it begins and ends, and its length."""
    tokens = tokens_of(text)[:MOST_WORDS]
    sizes = range(1, LONGEST_PHRASE + 1)
    found = {" ".join(tokens[at : at + size]) for size in sizes for at in range(len(tokens) - size + 1)}
    found |= {"^" + " ".join(tokens[:1]), "^" + " ".join(tokens[:2]), "$" + " ".join(tokens[-1:])}
    return found | {f"length={min(8, len(tokens) // 4)}", f"asks={asks(text)}"}


def tokens_of(text: str) -> list[str]:
    """The words and marks of a text in lower case, without names and numbers; East Asian text by the character."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if _IDENTIFIER.search(token):
            found.append(NAME)
        elif _EAST_ASIAN.search(token):
            found += token
        else:
            found.append("0" if token.isdigit() else token.lower())
    return found


def asks(text: str) -> bool:
    """Whether a text ends with a question."""
    return bool(_ASKS.search(text))


def _around(message: Message, at: int) -> Iterator[str]:
    count = len(message.sentences)
    place = "only" if count == 1 else "first" if at == 0 else "last" if at + 1 == count else "middle"
    yield f"place={place}"
    yield f"sentences={min(6, count)}"
    yield f"length of message={min(6, len(message.step.text) // 120)}"
    yield f"part of session={min(3, message.number // 8)}"
    yield f"final={message.is_final}"
    yield f"failed={message.has_failed}"
    yield f"edit={message.leads_to_edit}"
    yield f"answers={asks(message.heard)}"
    yield f"answers={asks(message.heard)}, place={place}"
    for side, beside in (("before", at - 1), ("after", at + 1)):
        text = message.sentences[beside].text if 0 <= beside < count else ""
        yield f"{side} asks={asks(text)}"
        yield from (f"{side}={word}" for word in tokens_of(text)[:2])
