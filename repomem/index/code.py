"""Writes the files of a worktree to the store; worker processes parse the new ones.

live files -> those that are not known -> [worker: decode, redact, outline, chunk, words] -> chunk writer
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from repomem.adapters.git.attributes import attributes
from repomem.adapters.git.objects import blob_sizes
from repomem.adapters.git.worktree import tracked
from repomem.core.processes.workers import WorkerFault, run_in_workers
from repomem.core.shared_storage import SharedFiles
from repomem.core.types.code import Role
from repomem.core.types.worktree import TrackedFile, WorktreeStatus
from repomem.index.chunk_writer import ChunkWriter, CodeRun
from repomem.index.indexable_files import LiveFile, attribute_files, contents_of, listed_files, live_files, policy_of
from repomem.index.parse_messages import FileTask, ParsedFile
from repomem.index.shared_storage import download_outlines
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

MOST_WORKERS = 4  # more parsers than this wait for the process that writes
LINGUIST = ("linguist-generated", "linguist-vendored", "linguist-documentation")
PARSE_WORK = "repomem.index.parse_worker:parse_file"


def index_code(workspace: Workspace, found: WorktreeStatus, touched: Mapping[str, int], run: Run) -> CodeRun:
    """Index the live files that are not known yet, those with most recent changes first (`touched`, by path)."""
    return _indexed(workspace, list(listed_files(workspace, found)), found, touched, run)


def index_tree(workspace: Workspace, commit: str, run: Run) -> CodeRun:
    """The same for the files of a commit; a late run indexes nothing and counts missing files."""
    unchanged = WorktreeStatus(commit, None, (), (), (), "")
    return _indexed(workspace, tracked(workspace.repository, commit), unchanged, {}, run)


def _indexed(
    workspace: Workspace, listed: Sequence[TrackedFile], found: WorktreeStatus, touched: Mapping[str, int], run: Run
) -> CodeRun:
    done = CodeRun()
    live = live_files(workspace, listed, found, done.left_out)
    policy = policy_of(workspace, attribute_files(workspace, listed, found))
    known = workspace.catalog.file_versions.known(((file.path, file.blob) for file in live), policy)
    done.versions = list(known.values())
    done.paths = [file.path for file in live]
    new = [file for file in live if (file.path, file.blob) not in known]
    new.sort(key=lambda file: (-touched.get(file.path, 0), file.path))
    if new and run.is_late:
        done.missing = len(new)
    elif new:
        done.shared = download_outlines(workspace, run, {file.blob for file in new})
        with run.progress.stage("Reading files", len(new), "files") as stage:
            writer = ChunkWriter(workspace, policy, done)
            for file, parsed in _parsed(workspace, new, done, run):
                writer.take(file, parsed)
                done.shared.record(file.blob, parsed.entry, is_taken=parsed.is_taken, is_refused=parsed.is_refused)
                stage.advance()
            writer.finish()
    return done


def _parsed(
    workspace: Workspace, new: Sequence[LiveFile], done: CodeRun, run: Run
) -> Iterator[tuple[LiveFile, ParsedFile]]:
    """Each new file with its content, in any order; files for which time runs out are counted as missing."""
    limit = workspace.loaded.config.index.max_file_kb * 1024
    sizes = blob_sizes(workspace.repository, {file.blob for file in new if not file.is_on_disk})
    here = []
    for file in new:
        size = 0 if file.is_on_disk else sizes.get(file.blob)
        if size is None:
            done.left_out["not in this partial clone"] += 1
        elif size > limit:
            yield file, ParsedFile(Role.SOURCE, "", f"larger than {limit // 1024} KB")
        else:
            here.append(file)
    fed: set[int] = set()
    again = []
    tasks = _tasks(workspace, here, fed, run, done.shared)
    processes = workspace.loaded.config.workers.processes or min(os.cpu_count() or 1, MOST_WORKERS)
    for at, result in run_in_workers(PARSE_WORK, tasks, processes=processes):
        if isinstance(result, WorkerFault):
            again.append(here[at])
        else:
            yield here[at], result
    done.missing += len(here) - len(fed)
    yield from _parsed_again(workspace, again, done, run)


def _parsed_again(
    workspace: Workspace, files: Sequence[LiveFile], done: CodeRun, run: Run
) -> Iterator[tuple[LiveFile, ParsedFile]]:
    """Files that took a worker along, once more and one at a time: the machine may have been short of memory or time.

    What fails again is left out for good, until its bytes change.
    """
    if not files:
        return
    tasks = _tasks(workspace, files, set(), replace(run, deadline=float("inf")), SharedFiles())
    for at, result in run_in_workers(PARSE_WORK, tasks, processes=1):
        if isinstance(result, WorkerFault):
            done.faults.append(f"{files[at].path}: {result.reason}")
            yield files[at], ParsedFile(Role.SOURCE, "", result.reason)
        else:
            yield files[at], result


def _tasks(
    workspace: Workspace, files: Sequence[LiveFile], fed: set[int], run: Run, shared: SharedFiles
) -> Iterator[tuple[int, FileTask]]:
    config = workspace.loaded.config.index
    kept = {Role.GENERATED: config.generated, Role.VENDORED: config.vendored}
    leave_out = frozenset(role for role, is_kept in kept.items() if not is_kept)
    by_path = attributes(workspace.repository, [file.path for file in files], LINGUIST)
    for at, data in contents_of(workspace, files):
        if run.is_late:
            return
        fed.add(at)
        path, blob = files[at].path, files[at].blob
        entry, wants_entry = shared.outlines.get(blob, b""), blob in shared.lacking
        yield at, FileTask(path, data, by_path.get(path, {}), leave_out, entry, wants_entry)
