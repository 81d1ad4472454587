"""Pairs of a question and the code that answers it, mined from the corpus: a file for each package, a pair a line.

What a file defines is read by repomem's own outlines, so that a pair's code looks like what the index will hold. A pair
says which package it is from: whole packages are held out for measuring, and no body of theirs stays in training.
"""

import hashlib
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from repomem.adapters.languages.chunks import chunks_of
from repomem.adapters.languages.classify import left_out, text_of
from repomem.adapters.languages.file_roles import role_of
from repomem.adapters.languages.grammar import LANGUAGES, language_of
from repomem.adapters.languages.outline import outline_of
from repomem.adapters.languages.parsers import has_grammar
from repomem.core.types.code import Definition, Outline, Role
from training.archives import Archive
from training.corpus import Package, packages, path_of

LONGEST_CODE = 2_400  # characters: a chunk of the index is no longer
SHORTEST_CODE = 60  # characters: `return x` answers nothing
MOST_PER_PACKAGE = 5_000  # pairs: one large package must not drown twenty small ones
FEWEST_WORDS = 3  # of a sentence that asks for something
CODE_AFTER_COMMENT = 12  # lines that a comment in a body is taken to be about
MOST_SOURCE = 4_000_000  # bytes read of one package: the largest have fifty times as much, all of one mind
MOST_PER_FILE = {"path": 2, "neighbour": 2, "comment": 12}
SOURCES = frozenset({Role.SOURCE, Role.TEST, Role.EXAMPLE, Role.DOCS})
OTHERS_CODE = re.compile(
    r"(^|/)(vendor|vendored|_vendor|third[_-]?party|external|extern|deps|node_modules|jquery)(/|$)", re.IGNORECASE
)
# copies of projects that are kept apart for judging, wherever a package carries one
KEPT_APART = re.compile(
    r"(^|/)(gtest|gmock|googletest|googlemock|catch2?|nlohmann|sqlite3?|fmt|libuv|cm?libuv|cm?curl|abseil|absl|protobuf|grpc|"
    r"requests|axios|redux|lodash|zod|spdlog|cobra|rack|sinatra|monolog|guzzle|symfony)(/|\.\w+$)",
    re.IGNORECASE,
)
PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

_COMMENT = re.compile(r"^[ \t]+(?:#|//|--)[ \t]+(\S.*)$", re.MULTILINE)
_QUOTED = re.compile(r"[rRuU]{0,2}(\"\"\"|''').*?\1", re.DOTALL)
_LEGAL = re.compile(r"copyright|licen[sc]e|all rights reserved|spdx|eslint|generated", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module", "object"})


@dataclass(frozen=True, slots=True)
class Pair:
    """A question in words and the text that answers it."""

    kind: str  # doc, name, test, comment, section, path, neighbour
    language: str
    package: str
    query: str
    code: str


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a package, and what it defines."""

    package: str
    path: str
    language: str
    role: Role
    data: bytes
    definitions: tuple[Definition, ...]

    def text(self, start: int, end: int) -> str:
        """The characters between two bytes."""
        return self.data[start:end].decode("utf-8", "replace")


def mine(folder: Path, target: Path) -> Counter[str]:
    """Write the pairs of every package that was downloaded, a file each; count them by kind.

    A package whose file is there already is left as it is: a run that was interrupted goes on.
    """
    counts: Counter[str] = Counter()
    target.mkdir(parents=True, exist_ok=True)
    for package in packages():
        if path_of(package, folder).exists():
            write(package, folder, target)
            counts.update(pair.kind for pair in read(file_of(package.key, target)))
    return counts


def write(package: Package, folder: Path, target: Path) -> None:
    """Write the pairs of one package, all or nothing."""
    path = file_of(package.key, target)
    if path.exists():
        return
    lines = [json.dumps(asdict(pair), ensure_ascii=False) + "\n" for pair in pairs_of(package, folder)]
    part = path.with_suffix(".part")
    part.write_text("".join(lines), encoding="utf-8", errors="replace")
    part.rename(path)


def file_of(key: str, folder: Path) -> Path:
    """Where the pairs of a package lie."""
    return folder / (re.sub(r"[^\w.-]", "_", key) + ".jsonl")


def read(path: Path) -> Iterator[Pair]:
    """The pairs of a file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Pair(**json.loads(line))


def pairs_of(package: Package, folder: Path) -> list[Pair]:
    """The pairs of one package, no code twice for one kind, at most MOST_PER_PACKAGE of them."""
    dice = random.Random(package.key)
    sources = list(sources_of(package, folder))
    found: dict[tuple[str, str], Pair] = {}
    for source in sources:
        for pair in _of_source(source, dice):
            found.setdefault((pair.kind, body_key(pair.code)), pair)
    for pair in _tests(sources):
        found.setdefault((pair.kind, body_key(pair.code)), pair)
    pairs = list(found.values())
    return pairs if len(pairs) <= MOST_PER_PACKAGE else dice.sample(pairs, MOST_PER_PACKAGE)


def sources_of(package: Package, folder: Path) -> Iterator[Source]:
    """The files of a package that people wrote, in languages that repomem reads."""
    taken = 0
    for path, data in Archive(path_of(package, folder)).files():
        for inner, content in _unmapped(path, data):
            source = _source(package.key, inner, content) if taken < MOST_SOURCE else None
            if source:
                taken += len(source.data)
                yield source


def body_key(code: str) -> str:
    """The same for two bodies that differ in white space and letter case alone."""
    return hashlib.blake2b(_SPACE.sub("", code).lower().encode("utf-8", "replace"), digest_size=12).hexdigest()


def words_in(name: str) -> list[str]:
    """The words of an identifier or path, in lower case."""
    return [part.lower() for part in PARTS.findall(name)]


def _unmapped(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """A file; of a source map the files that it was made from."""
    if not path.endswith((".js.map", ".mjs.map", ".cjs.map")):
        yield path, data
        return
    try:
        mapped = json.loads(data)
        names, contents = mapped.get("sources") or [], mapped.get("sourcesContent") or []
    except (ValueError, AttributeError):
        return
    for name, content in zip(names, contents, strict=False):
        if isinstance(name, str) and isinstance(content, str) and name.endswith((".ts", ".tsx")):
            yield name.removeprefix("webpack://").replace("../", "").lstrip("./"), content.encode("utf-8", "replace")


def _source(package: str, path: str, data: bytes) -> Source | None:
    language = language_of(path, "")
    if not has_grammar(language) or path.endswith(".d.ts") or _is_copied(path) or left_out(path, data):
        return None
    text = text_of(data)
    role = role_of(path, text[:4096], {}) if text else Role.GENERATED
    if not text or role not in SOURCES or language in {"json", "yaml", "toml", "html", "css"}:
        return None
    clean = text.replace("\r\n", "\n").encode("utf-8", "replace")
    return Source(package, path, language, role, clean, outline_of(clean, language).definitions)


def _is_copied(path: str) -> bool:
    """Whether a path says that its code is another project's."""
    return bool(OTHERS_CODE.search(path) or KEPT_APART.search(path))


def _of_source(source: Source, dice: random.Random) -> Iterator[Pair]:
    if source.language == "markdown":
        yield from _sections(source)
        return
    for definition in source.definitions:
        yield from _of_definition(source, definition, dice)
    for kind, pairs in (("comment", _comments(source)), ("path", _paths(source)), ("neighbour", _neighbours(source))):
        every = list(pairs)
        for query, code in dice.sample(every, min(len(every), MOST_PER_FILE[kind])):
            yield Pair(kind, source.language, source.package, query, code)


def _of_definition(source: Source, definition: Definition, dice: random.Random) -> Iterator[Pair]:
    """A definition by its documentation and by its name."""
    if definition.kind not in _FUNCTIONS and definition.kind not in _TYPES:
        return
    code = _without_docstring(source, definition)
    if len(code) < SHORTEST_CODE:
        return
    if is_sentence(definition.docstring) and source.role is not Role.TEST:
        yield Pair("doc", source.language, source.package, definition.docstring, code)
    words = words_in(definition.qualified)
    if len(words_in(definition.name)) >= 2 and dice.random() < 0.5:
        yield Pair("name", source.language, source.package, " ".join(words[-8:]), _body_alone(definition, code))


def _without_docstring(source: Source, definition: Definition) -> str:
    code = source.text(definition.start_byte, definition.end_byte)
    if LANGUAGES[source.language].has_docstrings:
        code = _QUOTED.sub("", code, count=1)
    return code[:LONGEST_CODE]


def _body_alone(definition: Definition, code: str) -> str:
    """The code behind the line that names it, so that the name has to be understood; all of it where that is little."""
    body = code.partition("\n")[2]
    return body if len(body) >= SHORTEST_CODE and len(definition.name) % 2 else code


def is_sentence(text: str) -> bool:
    """Whether a text asks for something: some words, mostly Latin letters, and no legal notice."""
    letters = sum(map(str.isalpha, text))
    return (
        len(text.split()) >= FEWEST_WORDS and letters > 0.6 * len(text) and text.isascii() and not _LEGAL.search(text)
    )


def _comments(source: Source) -> Iterator[tuple[str, str]]:
    """Comments inside of bodies, each with the lines that follow."""
    text = source.data.decode("utf-8", "replace")
    last_end = -1
    for match in _COMMENT.finditer(text):
        if match.start() <= last_end + 1:
            last_end = match.end()
            continue
        last_end = match.end()
        after = "\n".join(text[match.end() + 1 : match.end() + LONGEST_CODE].split("\n")[:CODE_AFTER_COMMENT])
        if is_sentence(match[1]) and len(after) >= SHORTEST_CODE and len(match[1].split()) >= 4:
            yield match[1], after


def _paths(source: Source) -> Iterator[tuple[str, str]]:
    """The words of the path, for each chunk."""
    words = words_in(source.path.rpartition(".")[0])[-6:]
    if len(words) >= 2:
        yield from ((" ".join(words), text) for text in _chunk_texts(source))


def _neighbours(source: Source) -> Iterator[tuple[str, str]]:
    """Chunks that stand side by side: what is written together belongs together."""
    texts = list(_chunk_texts(source))
    yield from itertools.pairwise(texts)


def _chunk_texts(source: Source) -> Iterator[str]:
    for chunk in chunks_of(source.data, Outline(source.definitions, (), False)):
        if len(chunk.text) >= SHORTEST_CODE and not _LEGAL.search(chunk.text[:400]):
            yield chunk.text


def _sections(source: Source) -> Iterator[Pair]:
    """Sections of prose by their heading, and examples by the sentence before them."""
    for definition in source.definitions:
        text = source.text(definition.start_byte, definition.end_byte)
        below = text.partition("\n")[2].strip()
        prose, fence, rest = below.partition("```")
        sentence = _SPACE.sub(" ", prose.strip().rpartition("\n\n")[2])[:300]
        example = rest.partition("\n")[2].partition("```")[0]
        if fence and is_sentence(sentence) and len(example) >= SHORTEST_CODE:
            yield Pair("section", "markdown", source.package, sentence, example[:LONGEST_CODE])
        heading = " ".join(definition.qualified.split(".")[-2:])
        if len(heading.split()) >= 2 and len(prose) >= SHORTEST_CODE and not _LEGAL.search(prose):
            yield Pair("section", "markdown", source.package, heading, prose[:LONGEST_CODE])


def _tests(sources: Iterable[Source]) -> Iterator[Pair]:
    """Tests with the definition that their name speaks of, where the package has just one of that name."""
    defined: dict[str, list[tuple[Source, Definition]]] = {}
    tests: list[tuple[Source, Definition]] = []
    for source in sources:
        for definition in source.definitions:
            if definition.kind in _FUNCTIONS:
                key = "".join(words_in(definition.name))
                if source.role is Role.TEST:
                    tests.append((source, definition))
                else:
                    defined.setdefault(key, []).append((source, definition))
    for source, test in tests:
        words = [word for word in words_in(test.name) if word not in {"test", "should"}]
        for length in range(len(words), 1, -1):
            targets = defined.get("".join(words[:length]), [])
            if len(targets) == 1:
                code, body = _without_docstring(*targets[0]), source.text(test.start_byte, test.end_byte)
                if min(len(code), len(body)) >= SHORTEST_CODE:
                    yield Pair("test", source.language, source.package, body[:LONGEST_CODE], code)
                break
