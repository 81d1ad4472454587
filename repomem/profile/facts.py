"""What the repository's own files say about it, read when it is indexed."""

from collections.abc import Iterable

from repomem.adapters.languages.classify import text_of
from repomem.core.secrets.redact import redact
from repomem.core.types import CleanText, Fact
from repomem.profile.manifests import profile_facts, profile_paths
from repomem.workspace.snapshot import Snapshot

LARGEST_FILE = 200_000  # bytes; a longer manifest is generated


def read_facts(snapshot: Snapshot, paths: Iterable[str]) -> list[Fact]:
    """The facts that the manifests among these paths state, of the snapshot."""
    texts = {path: text_at(snapshot, path) for path in profile_paths(paths)}
    return list(profile_facts({path: text for path, text in texts.items() if text is not None}))


def text_at(snapshot: Snapshot, path: str) -> CleanText | None:
    """The text of a live file; None where it cannot be read or is no text."""
    data = snapshot.data(path, LARGEST_FILE)
    text = text_of(data) if data is not None else None
    return None if text is None else redact(text)  # before a fact is cut to its length: half a secret shows no issuer
