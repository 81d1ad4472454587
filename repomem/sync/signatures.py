"""Which lines of a shared ledger are by the writer that they name.

A writer's key is trusted on first use: the first key that this user sees under an id is the writer's. Later lines under
that id count only with a signature by that key. Lines of writers who never signed are read as before.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass

from repomem.adapters.ledger.shared_lines import SharedLine, Sign, signed_bytes
from repomem.adapters.signatures.ed25519 import is_valid, key_of, signed
from repomem.workspace.user.writer_id import signing_seed


@dataclass(frozen=True, slots=True)
class Verified:
    """Lines that count, the keys of their writers, and the number of lines that do not count."""

    lines: tuple[SharedLine, ...]
    keys: Mapping[str, str]
    refused: int


def own_signature() -> Sign | None:
    """Signs with this user's key; None if no key can be stored: what it signs would differ each time."""
    seed = signing_seed()
    return (lambda data: signed(seed, data)) if seed else None


def own_key() -> str:
    """The public key of this user; empty if no key can be stored."""
    sign = own_signature()
    return key_of(sign(b"")) if sign else ""


def verified(lines: Sequence[SharedLine], known: AbstractSet[str], keys: Mapping[str, str]) -> Verified:
    """The lines that count and are not `known`, by id; `keys` are the known public keys by writer.

    Lines that are known are verified only to learn the key of their writer: all take a second for 10,000.
    """
    new = [each for each in lines if each.record and each.id not in known]
    learning = [each for each in lines if _signature(each) and each.writer not in keys]
    sound = {each for each in {*new, *learning} if _is_sound(each)}
    current = _first_keys(sound.intersection(learning)) | dict(keys)
    kept = [each for each in new if each in sound and key_of(_signature(each)) == current.get(each.writer, "")]
    return Verified(tuple(kept), current, len(new) - len(kept))


def _signature(line: SharedLine) -> str:
    return line.record.signature if line.record else ""


def _is_sound(line: SharedLine) -> bool:
    """Whether a line has no signature, or a valid one."""
    signature = _signature(line)
    return not signature or is_valid(signature, signed_bytes(line.writer, line.line))


def _first_keys(lines: Iterable[SharedLine]) -> dict[str, str]:
    """The key of each writer who signs; of several, the one that signed most."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for each in lines:
        if signature := _signature(each):
            found[each.writer][key_of(signature)] += 1
    return {writer: max(sorted(counts), key=counts.__getitem__) for writer, counts in found.items()}
