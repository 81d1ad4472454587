"""Names that a question says in plain words: "help option names" means `get_help_option_names`."""

from collections.abc import Collection

from repomem.core.text.stop_words import ENGLISH
from repomem.core.text.words import STEM, stem, whole, words_of

WORDS = 3  # two words in a row, as in "option name", are in too many names
LEAST_LETTERS = 3  # of each word that a name is joined of

Run = tuple[str, ...]


def runs_of(text: str) -> frozenset[Run]:
    """The stems of each WORDS consecutive words of a text or name, none of them a stop word."""
    words = [word for word in words_of(text).split() if not word.startswith(STEM)]
    runs = zip(*(words[at:] for at in range(WORDS)), strict=False)
    return frozenset(tuple(map(stem, run)) for run in runs if ENGLISH.isdisjoint(run))


def is_joined_of(name: str, words: Collection[str]) -> bool:
    """Whether a name consists of at least WORDS of the words, in any order and however joined: `_tempfilepager`."""
    letters = whole(name)
    inside = [word for word in words if len(word) >= LEAST_LETTERS and word in letters]
    return len(inside) >= WORDS and _joined(letters, inside, WORDS)


def _joined(letters: str, words: list[str], least: int) -> bool:
    if not letters:
        return least <= 0
    return any(
        _joined(letters[len(word) :], [each for each in words if each != word], least - 1)
        for word in words
        if letters.startswith(word)
    )
