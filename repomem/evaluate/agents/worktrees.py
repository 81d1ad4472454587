"""Temporary clones in which agents run: one commit and its history, and nothing later.

A clone gets its objects as one pack of what the commit reaches, so later commits are neither named nor stored. It has
no remote and shares no object folder; `hidden_future` verifies that.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.run import running
from repomem.core.errors import GitError, RepomemError

BRANCH = "main"
PACK = "pack-base.pack"
EXCLUDED = """\
__pycache__/
*.pyc
.pytest_cache/
.mypy_cache/
.ruff_cache/
node_modules/
target/
"""  # what tests write; not every repository ignores it, and it is not the work of the agent
AUTHOR = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in (
    ("NAME", "repomem eval"), ("EMAIL", "eval@localhost"), ("DATE", "@0 +0000"))}  # fmt: skip
Contents = Mapping[str, bytes | None]
"""Files to write, by path; None deletes one."""


def clone_at(source: Repository, commit: str, folder: Path) -> Repository:
    """A clone in a new folder that has `commit` checked out. Raises GitError for a partial clone."""
    if source.is_partial:
        raise GitError("this partial clone lacks earlier files", "run the command in a clone made without --filter")
    options = ["--quiet", "--template=", f"--object-format={source.object_format}", f"--initial-branch={BRANCH}"]
    with running(["init", *options, str(folder)]):
        pass
    git_dir = folder / ".git"
    pack = git_dir / "objects" / "pack" / PACK
    pack.parent.mkdir(parents=True, exist_ok=True)
    asked = f"{commit}\n".encode()
    with source.stream("pack-objects", "--revs", "--stdout", "--quiet", feed=asked) as output, pack.open("wb") as file:
        shutil.copyfileobj(output, file)
    if source.is_shallow:
        (git_dir / "shallow").write_bytes((source.common_dir / "shallow").read_bytes())
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "exclude").write_text(EXCLUDED, encoding="utf-8")
    clone = Repository.open(folder)
    clone.read("index-pack", str(pack))
    clone.read("update-ref", f"refs/heads/{BRANCH}", commit)
    clone.read("reset", "--quiet", "--hard", commit)
    return clone


def hidden_future(clone: Repository, later: str) -> None:
    """Verify that a clone has no commit but those that its HEAD reaches. Raises RepomemError otherwise.

    `later` is a commit that must not be there; empty if there is none.
    """
    listed = clone.read("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)")
    stored = {line.split()[1] for line in listed.splitlines() if line.startswith((b"commit ", b"tag "))}
    reached = set(clone.read("rev-list", "HEAD").split())
    remotes = any(name.startswith("remote.") for name in clone.settings)
    shared = (clone.common_dir / "objects" / "info" / "alternates").exists()
    if stored != reached or later.encode() in stored or remotes or shared:
        raise RepomemError("the temporary clone contains commits outside the task's history", "please report this")


def write_files(clone: Repository, contents: Contents) -> None:
    """Write or delete files of the worktree. Links on the way are replaced, never followed."""
    assert clone.top is not None
    for path, data in contents.items():
        target = clone.top / path
        _clear(clone.top, target, is_deleted=data is None)
        if data is not None:
            mode = 0o777 if os.access(target, os.X_OK) or data.startswith(b"#!") else 0o666
            target.unlink(missing_ok=True)
            with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode), "wb") as file:  # noqa: PTH123  # a descriptor
                file.write(data)


def commit_files(clone: Repository, contents: Contents) -> str:
    """Commit changed files, if there are any; returns HEAD."""
    if contents:
        write_files(clone, contents)
        clone.read("add", "--force", "--", *contents) if any(data is not None for data in contents.values()) else None
        clone.read("add", "--all")
        with clone.stream("commit", "--quiet", "--allow-empty", "--message", "Agent files", environ=AUTHOR) as output:
            output.read()
    return clone.read("rev-parse", "HEAD").decode().strip()


def work_of_agent(clone: Repository, base: str) -> tuple[frozenset[str], bytes]:
    """The files that differ from `base`, new ones included, and the changes as a patch; stages them."""
    clone.read("add", "--all")
    names = clone.read("diff", "--cached", "--name-only", "--no-renames", "-z", base, "--").split(b"\0")
    patch = clone.read("diff", "--cached", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", base, "--")
    return frozenset(os.fsdecode(name) for name in names if name), patch


def _clear(top: Path, target: Path, *, is_deleted: bool) -> None:
    """Make room for a file: parents are folders, and a deleted file is gone."""
    for parent in reversed(target.relative_to(top).parents[:-1]):
        place = top / parent
        if place.is_symlink() or place.is_file():
            place.unlink()
        if not is_deleted:
            place.mkdir(exist_ok=True)
    if is_deleted:
        target.unlink(missing_ok=True)
