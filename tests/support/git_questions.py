"""Every question that repomem asks of git, put to one repository."""

from repomem.adapters.git import attributes, hunks, log as history, objects, worktree
from repomem.adapters.git.repository import Repository


def everything_read(repository: Repository) -> None:
    """Every question that this package asks of git."""
    standing = worktree.status(repository)
    files = worktree.tracked(repository)
    blobs = [file.blob for file in files]
    objects.blob_sizes(repository, blobs)
    list(objects.blobs_of(repository, blobs))
    attributes.line_ends(repository, {file.path: file.blob for file in files})
    if standing.head:
        worktree.tracked(repository, "HEAD")
        commits = history.revisions(repository, 0, standing.head)
        list(history.log(repository, commits))
        list(hunks.touched(repository, commits))
    history.root_commit(repository)
