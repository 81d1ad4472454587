"""Keep files with this machine's paths out of commits, by a block in the clone's own `.git/info/exclude`.

The block lists the files of agent hosts that contain entries of repomem; it is removed with the last of them.
"""

from contextlib import suppress
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.adapters.settings.block import HASH_MARKS, block_added, without_block
from repomem.adapters.settings.edits import applied
from repomem.adapters.settings.files import read_foreign, replace_foreign
from repomem.core.errors import ForeignError, GitError


def keep_out_of_commits(root: Path, paths: list[Path]) -> list[Path]:
    """Let git ignore exactly these files of repomem in a worktree; returns them, or none if that cannot be written.

    Files that git tracks already stay tracked.
    """
    body = "".join(f"/{path.relative_to(root).as_posix()}\n" for path in sorted(paths))
    with suppress(ForeignError, GitError):
        before = read_foreign(Repository.open(root).common_dir / "info" / "exclude")
        bare = without_block(before.content or b"", HASH_MARKS)
        after = applied(bare, [block_added(bare, HASH_MARKS, body)]) if body else bare
        replace_foreign(before, after if after or before.content is not None else None)
        return paths
    return []
