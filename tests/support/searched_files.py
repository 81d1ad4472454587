"""Files to choose lines from, and questions by the weight of their words."""

from repomem.core.text.words import stem
from repomem.core.types.text import CleanText
from repomem.ranking.definitions import WantedWords
from repomem.ranking.matching_lines import SearchedFile
from support.ranking_scenes import chunk


def words(*names: str, **weights: float) -> WantedWords:
    return WantedWords(
        {stem(word): weight for word, weight in weights.items()}, frozenset(names), sum(weights.values())
    )


def file(path: str = "a.py", score: float = 1.0, lines: int = 80, **answering: int) -> SearchedFile:
    """A file from line 1 on; each keyword is a word that stands in one line."""
    by_line = {at: word for word, at in answering.items()}
    text = "\n".join(by_line.get(at, f"line {at}") for at in range(1, lines + 1))
    whole = chunk(1, 0, "")._replace(start_line=1, end_line=lines, text=CleanText(text))
    return SearchedFile(path, score, [whole], [], is_code=True)
