"""The two real tokenizers that `count_tokens` promises to stay above, read from the files inside litellm's wheel.

litellm itself is never imported: that takes seconds, and only its packaged files are wanted.
Needs `tiktoken` and `tokenizers`.
"""

import base64
import importlib.util
from pathlib import Path

import tiktoken
from tiktoken_ext.openai_public import cl100k_base
from tokenizers import Tokenizer

CL100K_FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # tiktoken's cache name: the sha1 of the address


def packaged_folder() -> Path:
    """The folder of tokenizer files in the litellm that is installed."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("litellm is not installed", name="litellm")
    return Path(next(iter(spec.submodule_search_locations)), "litellm_core_utils", "tokenizers")


class RealTokenizers:
    """`cl100k(text)` and `anthropic(text)`: the true counts, special tokens read as plain text by the first."""

    def __init__(self, folder: Path) -> None:
        self.cl100k_ranks = read_ranks(folder / CL100K_FILE)
        self._cl100k = tiktoken.Encoding(
            "cl100k_base",
            pat_str=split_pattern(),
            mergeable_ranks=self.cl100k_ranks,
            special_tokens={},
        )
        self._anthropic = Tokenizer.from_file(str(folder / "anthropic_tokenizer.json"))

    def cl100k(self, text: str) -> int:
        return len(self._cl100k.encode_ordinary(text))

    def anthropic(self, text: str) -> int:
        return len(self._anthropic.encode(text, add_special_tokens=False).ids)

    def larger(self, text: str) -> int:
        return max(self.cl100k(text), self.anthropic(text))

    def shared_tokens(self) -> dict[str, int]:
        """Every token that both know, and its rank in cl100k: the lower, the more frequent in what it was made from."""
        theirs = {name.replace("Ġ", " ") for name in self._anthropic.get_vocab()}
        return {
            text: rank
            for token, rank in self.cl100k_ranks.items()
            if (text := token.decode("utf-8", "replace")) in theirs
        }


def read_ranks(path: Path) -> dict[bytes, int]:
    """A tiktoken file: one token in base64 and its rank per line."""
    pairs = (line.split() for line in path.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def split_pattern() -> str:
    """cl100k's own pattern, from tiktoken, without the download that its constructor would begin."""
    constants = cl100k_base.__code__.co_consts
    return next(c for c in constants if isinstance(c, str) and r"\p{L}" in c)


def load() -> RealTokenizers:
    return RealTokenizers(packaged_folder())
