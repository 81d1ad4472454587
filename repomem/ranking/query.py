"""A question parsed into weighted words, identifiers, paths, pasted messages and roles."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from repomem.adapters.languages.grammar import language_of
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.stop_words import ENGLISH, stop_words
from repomem.core.text.words import DEFINES, LONGEST_WORD, STEM, stem, whole, words_of
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.pasted_messages import PastedMessages

STEM_WEIGHT = 0.6  # relative to the word itself: "parsing" finds "parser", but "parsing" first
BODY_WEIGHT = 0.5  # relative to the first line, which describes the task best
WORDS_OF_PART = 4  # of a sentence that asks for something by itself
WORDS_OF_TITLE = 2  # of a title, or of a sentence with a question mark
MOST_PARTS = 5  # each costs as much as a short question
LONGEST_PROSE = 1_000  # characters in which names of several words are looked for
MOST_WORDS = 60  # search time grows with them; the rest of a pasted log adds little

_NAME = lazy_pattern(
    r"`([^`\s]+)`|\b([A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)+|\w*[a-z0-9][A-Z]\w*|\w+_\w+|[A-Za-z_]\w*(?=\(\)))(?:\(\))?"
    r"|(?<![\w-])--([A-Za-z][\w-]+)"  # a flag
)
_CALLED = lazy_pattern(r"\b([A-Za-z_]\w*)\(\)")
_OF_FUNCTION = lazy_pattern(r"(?<![\w.`-])([a-z]\w+) (?:function|method|macro)\b")
_JOINT = lazy_pattern(r"->|[^\w-]+")  # `--one-file-system` is one name
_ADDRESS = lazy_pattern(
    r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}\b|\b[a-z][a-z+]*://[^\s/]+"
)  # up to the host's end
_PATH = lazy_pattern(r"(?<![\w.@+-])(?:[\w.@+-]+/)+[\w.@+-]+|\b[\w-]+\.[A-Za-z][A-Za-z0-9]{0,4}\b")
_WORD = lazy_pattern(r"\w+")
_QUOTED_WORD = lazy_pattern(r"[\"“`]([\w.-]+)[\"”`]")
_OTHER_EXTENSIONS = frozenset(
    ["cfg", "conf", "csv", "ini", "json", "jsonc", "lock", "md", "rst", "toml", "txt", "xml", "yaml", "yml"]
)  # besides those of languages
_FENCED = lazy_pattern(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_SENTENCE_END = lazy_pattern(r"(?<=[.!?;:])\s+|\n+")
_ROLE_WORDS = {
    "test": frozenset(["test", "tests", "testing", "spec", "specs", "fixture", "fixtures"]),
    "example": frozenset(["example", "examples", "sample", "samples", "demo", "demos", "benchmark", "benchmarks"]),
    "docs": frozenset(
        ["doc", "docs", "documentation", "readme", "changelog", "docstring", "guide", "tutorial", "typo", "spelling"]
    ),
}


@dataclass(frozen=True)
class Query:
    """A question as the ranking uses it."""

    text: str

    @cached_property
    def words(self) -> Mapping[str, float]:
        """The heaviest MOST_WORDS words with their weights; stop words only if there are no others."""
        first, _, rest = self.pasted.prose.strip().partition("\n")
        weights: dict[str, float] = {}
        for text, weight in ((first, 1.0), (" ".join(self.pasted.error_lines), 1.0), (rest, BODY_WEIGHT)):
            for word in words_of(text).split():
                if not word.startswith(STEM):
                    weights[word] = max(weight, weights.get(word, 0.0))
        dropped = stop_words(weights) - self.quoted_words
        kept = {word: weight for word, weight in weights.items() if word not in dropped} or dict(weights)
        heaviest = sorted(kept.items(), key=lambda item: -item[1])[:MOST_WORDS]  # stable: then in the text's order
        return dict(heaviest)

    @property
    def has_content(self) -> bool:
        """Whether it has another word than stop words: "fix it" and "update" ask for nothing."""
        return not ENGLISH.difference(self.quoted_words).issuperset(self.words)

    @cached_property
    def quoted_words(self) -> frozenset[str]:
        """The words that are quoted alone, as the name of something: `make the "only" package optional`."""
        return frozenset(words_of(" ".join(_QUOTED_WORD.findall(self.text))).split())

    @cached_property
    def pasted(self) -> PastedMessages:
        """The stack traces, errors and quoted texts in the question."""
        return PastedMessages(self.text)

    @cached_property
    def parts(self) -> "tuple[Query, ...]":
        """The sentences of a text that may ask for several things, without its code; empty if it has only one.

        A title or a question may be short.
        """
        sentences = [Query(each) for each in _SENTENCE_END.split(_FENCED.sub("\n", self.pasted.prose))]
        titles = sentences[:1] if "\n" in self.text.strip() else []
        questions = [each for each in sentences if each.text.endswith("?")]
        asking = [
            each
            for each in sentences
            if len(each.words) >= (WORDS_OF_TITLE if each in (*titles, *questions) else WORDS_OF_PART)
        ]
        return tuple(asking[:MOST_PARTS]) if len(asking) > 1 else ()

    @cached_property
    def search_words(self) -> tuple[str, ...]:
        """The terms of the candidate search: words, stems, and words as names of definitions."""
        forms = (form for word in self.words for form in forms_of(word))
        return tuple(dict.fromkeys([*forms, *(DEFINES + name for name in self.possible_names)]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The identifiers, and the names of files without folders and extension, which may be identifiers too."""
        stems = (whole(_stem_of_file(path)) for path in self.paths if _is_file(path))
        return tuple(dict.fromkeys([*self.identifiers, *(name for name in stems if 1 < len(name) <= LONGEST_WORD)]))

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Identifiers in the text that are not files or folders, normalized by `whole`, last part first."""
        found: dict[str, None] = {}
        for parts in self._spelled:
            found |= dict.fromkeys(reversed(parts))
        if self.is_symbol and not _is_file(self.text.strip()):
            found |= dict.fromkeys(whole(part) for part in reversed(_WORD.findall(self.text)))
        return tuple(name for name in found if 1 < len(name) <= LONGEST_WORD)

    @cached_property
    def file_names(self) -> tuple[str, ...]:
        """The names of the files in the text, each as one word."""
        names = (path.rpartition("/")[2] for path in self.paths if _is_file(path))
        return tuple(dict.fromkeys(whole(name).replace(".", "") for name in names))

    @cached_property
    def qualified_names(self) -> frozenset[tuple[str, str]]:
        """The identifiers with what is before them: `nodes.Element.text()` gives ("element", "text")."""
        return frozenset((parts[-2], parts[-1]) for parts in self._spelled if len(parts) > 1)

    @cached_property
    def called(self) -> frozenset[str]:
        """The names that are spelled with parentheses: `augment()`."""
        return frozenset(map(whole, _CALLED.findall(self.pasted.prose)))

    @cached_property
    def of_functions(self) -> frozenset[str]:
        """The plain words before "function", "method" or "macro", which may be its name."""
        return frozenset(map(whole, _OF_FUNCTION.findall(self.pasted.prose)))

    @cached_property
    def modules(self) -> frozenset[tuple[str, str]]:
        """The parts of qualified names that may be a folder and a file in it: `plugins.twitch` or `net::tcp`."""
        return frozenset(pair for parts in self._spelled for pair in pairwise(parts))

    @cached_property
    def _prose(self) -> str:
        """The text without pasted messages, mail addresses and hosts of URLs, which are neither names nor files."""
        return _ADDRESS.sub(" ", self.pasted.prose)

    @cached_property
    def _spelled(self) -> list[list[str]]:
        """The normalized parts of each identifier in the text; files and folders are none."""
        prose = _PATH.sub(lambda match: " " if _is_file(match[0]) else match[0], self._prose)
        spelled = (
            _JOINT.split((quoted or bare or flag).rpartition("/")[2]) for quoted, bare, flag in _NAME.findall(prose)
        )
        return [[name for part in parts if (name := whole(part))] for parts in spelled]

    @cached_property
    def possible_names(self) -> tuple[str, ...]:
        """Identifiers that one to three consecutive words may spell: "json object" may mean `JsonObject`."""
        tokens = [whole(token) for token in _WORD.findall(self.pasted.prose[:LONGEST_PROSE])]
        kept = [token for token in tokens if token]
        found = dict.fromkeys(self.names)
        found |= dict.fromkeys(token for token in kept if token not in ENGLISH and len(token) > 2)
        for length in (2, 3):
            runs = (kept[i : i + length] for i in range(len(kept) - length + 1))
            found |= dict.fromkeys("".join(run) for run in runs if not ENGLISH.issuperset(run))
        return tuple(name for name in found if len(name) <= LONGEST_WORD)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths and file names in the text."""
        found = (match.strip("./") for match in _PATH.findall(self._prose))
        return tuple(dict.fromkeys(filter(None, found)))

    @cached_property
    def subject(self) -> "Query":
        """The text without the folders and extensions of its files, which say little about its subject."""
        return Query(_PATH.sub(lambda match: _stem_of_file(match[0]), self.text))

    @cached_property
    def is_symbol(self) -> bool:
        """Whether the text is a single identifier, perhaps qualified."""
        return bool(re.fullmatch(r"\s*[A-Za-z_$@]\w*[?!]?(?:(?:\.|::|#|->|/)\w+[?!]?)*(?:\(\))?\s*", self.text))

    def is_spelled_by(self, qualified: str) -> bool:
        """Whether the text is a single identifier, and the qualified name ends with exactly it."""
        parts = _WORD.findall(self.text) if self.is_symbol else []
        return bool(parts) and qualified.split(".")[-len(parts) :] == parts

    def asks_for(self, role: str) -> bool:
        """Whether the text asks for files of that role."""
        wanted = _ROLE_WORDS.get(role, frozenset())
        return any(token.lower() in wanted for token in _WORD.findall(self.text))


def _is_file(text: str) -> bool:
    """Whether a text ends with the name of a file."""
    name = text.rpartition("/")[2]
    return bool(language_of(name)) or name.rpartition(".")[2].lower() in _OTHER_EXTENSIONS


def _stem_of_file(text: str) -> str:
    """The name of a file without its folders and extension; any other text as it is."""
    return (text.rpartition("/")[2].partition(".")[0] or text) if _is_file(text) else text


def forms_of(word: str) -> tuple[str, ...]:
    """The forms of a word in the index: itself, its marked stem, and its stem as a word."""
    short = stem(word)
    return (word, STEM + short, short) if short != word else (word, STEM + word)


def absent_words(query: Query, *statistics: WordStatistics) -> list[str]:
    """The words of a question that none of the statistics contain in any form."""
    forms = {word: forms_of(word) for word in query.words}
    found: set[str] = set()
    for counted in statistics:
        frequencies = counted.frequencies(form for each in forms.values() for form in each)
        found |= {form for form, count in frequencies.items() if count}
    return [word for word, each in forms.items() if not found.intersection(each)]
