"""The classifier's features of a sentence: its words, its position, and the statements and actions around it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from repomem.capture.statements.classifier.messages import Message
from repomem.capture.statements.sentences import Sentence
from repomem.core.text.lazy_pattern import lazy_pattern

NAME = "§"  # replaces code, paths and identifiers
COMMAND = "§§"  # replaces code of several words
NUMBER = "0"  # replaces numbers
MOST_WORDS = 60  # of a sentence that are read
MOST_WORDS_BESIDE = 30  # of a neighbour
SHORTEST_REPEATED = 4  # letters of a word that is looked for in what the other one said
LONGEST_PHRASE = 3  # words

_EAST_ASIAN = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]")
_TOKEN = lazy_pattern(r"`[^`]*`|\w+(?:[./_:-]\w+)+|\w+(?:['’]\w+)?|[?!:,;.。？！、，]")
_COMMAND = lazy_pattern(r"`+(?P<code>[^`\s]+ [^`]+)`+")
_IDENTIFIER = lazy_pattern(r"[a-z][A-Z]|_|\w[./:]\w|^`")
_ASKS = lazy_pattern(r"(?:[?？]|か。?|吗|呢)\s*$")


def features_of(message: Message, at: int) -> set[str]:
    """The features of the sentence `at` of a message; those that begin with "p:" or "a:" are of one speaker alone."""
    who = "p:" if message.is_persons else "a:"
    own = words_and_phrases(message.sentences[at].text)
    sentence = message.sentences[at]
    of_speaker = (*_around(message, at), *_neighbours(message, at), *_form(sentence), *_linked(message, sentence))
    return own | {who + each for each in own if " " not in each} | {who + each for each in of_speaker}


def words_and_phrases(text: str) -> set[str]:
    """The words and phrases of a sentence, how it begins and ends, and its length."""
    tokens = tokens_of(text)[:MOST_WORDS]
    sizes = range(1, LONGEST_PHRASE + 1)
    found = {" ".join(tokens[at : at + size]) for size in sizes for at in range(len(tokens) - size + 1)}
    found |= {"^" + " ".join(tokens[:1]), "^" + " ".join(tokens[:2]), "$" + " ".join(tokens[-1:])}
    return found | {f"length={min(8, len(tokens) // 4)}", f"asks={asks(text)}"}


@lru_cache(maxsize=64)  # a sentence is also its neighbours' neighbour
def tokens_of(text: str) -> tuple[str, ...]:
    """The words and marks of a text in lower case, without names and numbers; East Asian text by the character."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if _COMMAND.fullmatch(token):
            found.append(COMMAND)
        elif _IDENTIFIER.search(token):
            found.append(NAME)
        elif _EAST_ASIAN.search(token):
            found += token
        else:
            found.append(NUMBER if token.isdigit() else token.lower())
    return tuple(found)


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
    first = message.after[0].value if message.after else "none"
    yield f"step before={message.before}"
    yield f"step after={first}"
    yield f"steps around={message.before}, {first}"
    yield f"steps after={', '.join(message.after)}"
    yield f"edits={message.edits}, runs={message.runs}"
    yield f"answers={asks(message.heard)}"
    yield f"answers={asks(message.heard)}, place={place}"


def _neighbours(message: Message, at: int) -> Iterator[str]:
    """The words of the sentences before and after it; how they begin counts twice."""
    for side, beside in (("before", at - 1), ("after", at + 1)):
        text = message.sentences[beside].text if 0 <= beside < len(message.sentences) else ""
        words = tokens_of(text)[:MOST_WORDS_BESIDE]
        yield f"{side} asks={asks(text)}"
        yield from (f"{side}={word}" for word in words[:2])
        yield from (f"word {side}={word}" for word in words)


def names_one_of(commands: Sequence[str], sentence: Sentence) -> bool:
    """Whether a sentence has one of these commands, of several words, or a part of one as code."""
    if not commands:
        return False
    named = _commands_in(sentence)
    return any(
        (" " in command and command in sentence.text) or any(code in command for code in named) for command in commands
    )


def _linked(message: Message, sentence: Sentence) -> Iterator[str]:
    """Whether a sentence names commands, and such as passed or failed, and how many words are the other one's."""
    yield f"commands={min(2, len(_commands_in(sentence)))}"
    yield f"names passed={names_one_of(message.passed, sentence)}"
    yield f"names failed={names_one_of(message.failed, sentence)}"
    words = {word for word in tokens_of(sentence.text) if len(word) >= SHORTEST_REPEATED}
    yield f"repeats={4 * len(words.intersection(tokens_of(message.heard))) // (len(words) or 1)}"


def _commands_in(sentence: Sentence) -> list[str]:
    return [" ".join(code.split()) for code in _COMMAND.findall(sentence.text)]


def _form(sentence: Sentence) -> Iterator[str]:
    """How a sentence is written, and its heading."""
    words, last = tokens_of(sentence.text), sentence.text[-1:]
    yield f"capital={sentence.text[:1].isupper()}"
    yield f"end={'' if last.isalnum() else last}"
    yield f"names={min(3, words.count(NAME))}"
    yield f"numbers={min(3, words.count(NUMBER))}"
    yield f"masked={sentence.masked != sentence.text}"
    yield f"section={bool(sentence.section)}"
    yield from (f"word of section={word}" for word in tokens_of(sentence.section)[:4])
