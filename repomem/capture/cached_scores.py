"""The scores of sentences; a workspace caches those that the model has computed.

A transcript is read anew at the end of each turn, and the model takes some 10 ms for a sentence.
"""

import hashlib
import struct
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from repomem.capture.statements.classifier.context_model import FILE, SCORES, SentenceInContext, log_odds
from repomem.core.digests import short_digest
from repomem.core.errors import StoreError
from repomem.workspace.workspace import Workspace

KEY_BYTES = 16

_NUMBERS = struct.Struct(f"<{SCORES}f")


def log_odds_in(workspace: Workspace, read: Sequence[SentenceInContext]) -> list[list[float]]:
    """The log-odds of each sentence, as `context_model.log_odds` computes them."""
    keys = [_key_of(each) for each in read]
    known = workspace.catalog.sentence_scores.get(dict.fromkeys(keys))
    new = {key: each for key, each in zip(keys, read, strict=True) if key not in known}
    if new:
        made = {key: _NUMBERS.pack(*row) for key, row in zip(new, log_odds(list(new.values())), strict=True)}
        known |= made
        with suppress(StoreError):  # of a read-only or full disk: they are computed again
            workspace.catalog.sentence_scores.keep(made)
    return [[*_NUMBERS.unpack(known[key])] for key in keys]


def _key_of(read: SentenceInContext) -> bytes:
    text = "\0".join((_fingerprint(), str(read.speaker), read.text, read.before, read.after))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


@cache
def _fingerprint() -> str:
    """Of the model's weights."""
    return short_digest(FILE.read_bytes(), KEY_BYTES)
