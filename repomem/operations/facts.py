"""What the repository's own files say about it, read when it is indexed."""

from collections.abc import Iterable

from repomem.core.redact import redact
from repomem.core.types import Fact
from repomem.operations.workspace import Workspace
from repomem.parse.classify import text_of
from repomem.parse.profile import profile_facts, profile_paths
from repomem.sources.worktree import read_file

LARGEST_FILE = 200_000  # bytes; a longer manifest is generated


def read_facts(workspace: Workspace, paths: Iterable[str]) -> list[Fact]:
    """The facts that the manifests among these paths state, from the work tree as it is."""
    texts = {}
    for path in profile_paths(paths):
        data = read_file(workspace.repository, path, LARGEST_FILE)
        text = text_of(data) if isinstance(data, bytes) else None
        if text is not None:
            texts[path] = redact(text)  # before a fact is cut to its length: half a secret shows no issuer
    return list(profile_facts(texts))
