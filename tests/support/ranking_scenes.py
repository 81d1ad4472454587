"""Small repositories in memory with an index that looks at every row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from repomem.core.text.words import definition_words, words_of
from repomem.core.types.code import Role
from repomem.core.types.commits import Episode, FileChange
from repomem.core.types.indexed import IndexedChunk, IndexedEpisode, IndexedFile, Symbol
from repomem.core.types.text import CleanText
from repomem.core.word_statistics import Tally
from repomem.ranking.gather import BY_WORDS, Candidates, Corpus, Evidence, gather
from repomem.ranking.query import Query

Text = str | tuple[str, str]  # a chunk's text, perhaps after the name that it defines


def chunk(version: int, ordinal: int, text: Text) -> IndexedChunk:
    """A chunk of ten lines; one that defines a name is about it."""
    symbol, body = text if isinstance(text, tuple) else ("", text)
    start = 10 * ordinal + 1
    head = (version, ordinal, start, start + body.count("\n"), symbol, "function" if symbol else "text", "", "")
    sites = (Symbol(symbol, "function", start, start + 9, f"def {symbol}()"),) if symbol else ()
    parts = (words_of(symbol), words_of(body), definition_words([symbol]))
    return IndexedChunk(*head, sites, CleanText(body), " ".join(filter(None, parts)))


@dataclass(frozen=True)
class Scene:
    """Files and their chunks. `dead` are rows that no view shows but that every search comes upon."""

    files: tuple[IndexedFile, ...]
    rows: tuple[IndexedChunk, ...]
    dead: tuple[IndexedChunk, ...] = ()
    near: tuple[tuple[int, float], ...] = ()  # what a search by vector finds

    def corpus(self, lead: str = "", holds: Callable[[IndexedFile], bool] = lambda _: True) -> Corpus:
        """The files in scope, with the statistics of the whole view."""
        tally = Tally()
        for file in self.files:
            tally.add_file([row.words for row in self.rows if row.version == file.version])
        return Corpus([file for file in self.files if holds(file)], tally.of_chunks(), tally.of_files(), lead)

    def evidence(self, question: str, votes: Mapping[int, float] = {}, lead: str = "") -> Evidence:  # never changed
        """What is gathered for a question."""
        query = Query(question)
        return gather(query, self.corpus(lead), self, self.candidates(query), votes)

    def candidates(self, query: Query) -> Candidates:
        """What the searches for a question find."""
        wanted = set(self.corpus().chunk_words.distinctive(query.search_words))
        found = ((len(wanted & set(row.words.split())), -row.version) for row in (*self.rows, *self.dead))
        by_words = [-version for shared, version in sorted(found, reverse=True)[:BY_WORDS] if shared]
        return Candidates(lambda: by_words, lambda: list(self.near))

    def of(self, path: str) -> int:
        """The version of a path."""
        return next(file.version for file in self.files if file.path == path)

    def candidates_by_parts(self, parts: Sequence[str], limit: int) -> list[int]:
        """See `core.ports.CodeIndex`."""
        return [row.version for row in self.rows if any(part in row.words for part in parts)][:limit]

    def words(self, versions: Sequence[int]) -> list[tuple[int, int, str]]:
        """See `core.ports.CodeIndex`."""
        return sorted((row.version, row.ordinal, row.words) for row in self.rows if row.version in versions)

    def chunks(self, versions: Sequence[int]) -> list[IndexedChunk]:
        """See `core.ports.CodeIndex`."""
        return sorted(row for row in self.rows if row.version in versions)


def scene(files: Mapping[str, Sequence[Text]], roles: Mapping[str, Role] = {}) -> Scene:  # never changed
    """Path to the texts of its chunks; versions are counted from 1 in that order."""
    indexed, rows = [], []
    for version, (path, texts) in enumerate(files.items(), start=1):
        mine = [chunk(version, ordinal, text) for ordinal, text in enumerate(texts)]
        role = roles.get(path, Role.SOURCE)
        indexed.append(IndexedFile(version, path, role, "python", len(mine)))
        rows += mine
    return Scene(tuple(indexed), tuple(rows))


@dataclass(frozen=True)
class Past:
    """Episodes."""

    rows: tuple[IndexedEpisode, ...] = field(default=())


def episode(number: int, subject: str, *files: FileChange | str, is_bulk: bool = False) -> IndexedEpisode:
    """An episode that is a minute younger than the one with the number before it."""
    changes = tuple(FileChange("M", file) if isinstance(file, str) else file for file in files)
    made = Episode(f"{number:040x}", (), "Ada", "2024-01-01", 60 * number, subject, "", changes, is_bulk=is_bulk)
    return IndexedEpisode(number, made, words_of(subject))


def with_dead(scene_: Scene, *texts: Text) -> Scene:
    """The same with rows of versions that are not live."""
    return replace(scene_, dead=tuple(chunk(900 + at, 0, text) for at, text in enumerate(texts)))
