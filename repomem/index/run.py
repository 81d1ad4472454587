"""An index run: bring the index up to date with the worktree and the history, in the order in which data is written.

    git -> files to index -> [worker: decode, redact, outline, chunk, words] -> (embed) -> store -> catalog
    git -> commits        -> episodes, redacted, words                                  -> store -> catalog
    then one transaction publishes view and history, the map is cached, and missing vectors are made

Rows are written first and stay invisible until the last transaction. A killed run leaves rows that no view refers to;
the next run continues from the recorded state.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from repomem.adapters.git.ranges import renames_between
from repomem.adapters.git.worktree import status
from repomem.adapters.sqlite.catalog_rows import History, View, Worktree
from repomem.core.errors import GitError, RepomemError, StoreDamaged, StoreError
from repomem.core.files import delete_files_in
from repomem.core.grouping import grouped_by
from repomem.core.processes.locks import tables_lock, try_lock, write_lock
from repomem.core.types.worktree import WorktreeStatus
from repomem.core.word_statistics import Tally, WordStatistics
from repomem.index import code as index_code, history as index_history
from repomem.index.chunk_writer import CodeRun
from repomem.index.git_hook_queue import take_queue
from repomem.index.maintenance import index_tables, maintain_in_background
from repomem.index.pending_runs import leave_note, pending_root, take_note
from repomem.index.report import IndexReport, last_report
from repomem.index.shared_storage import upload_outlines
from repomem.index.vectors import begin_vectors, cheap_space, index_vectors
from repomem.memories.maintenance import maintain_ledger, maintain_memories
from repomem.memories.snapshots import stored_snapshot
from repomem.profile.profile import lines_text
from repomem.workspace import reminder_cache
from repomem.workspace.cached_brief import has_brief
from repomem.workspace.deliveries import delete_late_answers
from repomem.workspace.freshness import CONTENT_FORMAT, content_stamp, fingerprint, status_of
from repomem.workspace.identity import store_identity
from repomem.workspace.repairs import repaired
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import INDEX_LOCK, LEFT, UNKNOWN, Workspace, opened

HISTORY_SHARE = 0.4  # of a deadline: the newest commits decide which files to read first
DIRTY_KEPT = 50  # uncommitted paths remembered
LOCK_WAIT = 2.0  # seconds to wait for another run before leaving it a note


def index(workspace: Workspace, run: Run, *, rebuild: bool = False) -> IndexReport:
    """Index all changes, rebuilding a damaged store with a notice.

    If another run is in progress, leave it a note to index this worktree too.
    """
    wait = min(LOCK_WAIT, max(0.0, run.deadline - run.clock()))  # never beyond the deadline
    report = _index_alone(workspace, run, wait, rebuild=rebuild)
    if report is None:
        leave_note(workspace)
        report = _index_alone(workspace, run, 0.0, rebuild=rebuild)  # the other may have ended before it saw the note
    if report is None:
        return last_report(workspace, "waiting")
    if run.is_background:
        _serve_waiting(workspace, run)

    def index_again() -> None:  # the texts that the vectors are made from
        nonlocal report
        report = _index_alone(workspace, run, LOCK_WAIT) or report

    repaired(workspace, lambda: index_vectors(workspace, run), index_again)
    return report


def _index_alone(workspace: Workspace, run: Run, wait: float, *, rebuild: bool = False) -> IndexReport | None:
    """Index unless another run is in progress; None if one still is after `wait` seconds."""
    with try_lock(workspace.folder / INDEX_LOCK, wait) as is_held:
        if not is_held:
            return None
        take_note(workspace, workspace.root)
        take_queue(workspace)
        if rebuild:
            with tables_lock(workspace.folder), write_lock(workspace.folder):
                workspace.forget_store()
        return repaired(workspace, lambda: _brought_up_to_date(workspace, run))


def _serve_waiting(workspace: Workspace, run: Run) -> None:
    """Index the worktrees that left notes. Checked after the lock is free, so that none is missed."""
    while root := pending_root(workspace):
        try:
            with opened(Path(root), os.environ) as other:
                if other.root != root or other.folder != workspace.folder:
                    _forget(workspace, root)
                elif _index_alone(other, run, 0.0) is None:  # takes the note first, so a later one is served too
                    return  # the run in progress serves it
            workspace.notices += [notice for notice in other.notices if notice not in workspace.notices]
        except GitError:  # the folder is gone
            _forget(workspace, root)
        except RepomemError as error:
            workspace.notices.append(f"{root} was not indexed: {error.message}")
            take_note(workspace, root)


def _forget(workspace: Workspace, root: str) -> None:
    """Drop the data of a folder that is no longer a worktree of this repository."""
    take_note(workspace, root)
    with write_lock(workspace.folder):
        workspace.catalog.drop_worktree(root)


def _brought_up_to_date(workspace: Workspace, run: Run) -> IndexReport:
    workspace.refresh_store()
    _follow_format(workspace)
    begin_vectors(workspace)
    store_identity(workspace)
    before = workspace.catalog.worktree(workspace.root)
    found = status_of(workspace) if before else status(workspace.repository)
    print_now = fingerprint(workspace, found)
    if before and before.fingerprint == print_now:
        if not has_brief(workspace, before):  # a memory was recorded since, perhaps in another copy of the ledger
            maintain_ledger(workspace)
            _cache_answers(workspace, run)
        return last_report(workspace, "current")
    past = index_history.index_history(workspace, found.head, run.for_share(HISTORY_SHARE))
    code = index_code.index_code(workspace, found, past.touched, run)
    if code.parsed or past.words:
        index_tables(workspace)
    is_partial = bool(code.missing or past.missing)
    view, history = view_of(workspace, code), history_of(workspace, found.head, past)
    shown = Worktree(workspace.root, view.id, history.head, "" if is_partial else print_now, report="")
    report = _report(Snapshot(workspace, shown, view, history), found, code, past)
    shown = replace(shown, report=json.dumps(asdict(report)))
    shown = _with_profile(workspace, Snapshot(workspace, shown, view, history), found, code)
    with write_lock(workspace.folder):
        if workspace.were_tables_set_aside:
            raise StoreDamaged("another process rebuilt the index during this run")
        workspace.catalog.publish(shown, view, history)
        if code.parsed and cheap_space(workspace) is None:
            workspace.catalog.set_meta(LEFT, UNKNOWN)  # the number of missing vectors changed
    upload_outlines(workspace, code.shared, found.head)
    now = Snapshot(workspace, shown, view, history)
    report.checked = maintain_memories(now)
    if not is_partial:
        _cache_answers(workspace, run, now)
    if code.parsed or past.words:
        maintain_in_background(workspace)
    return report


def _with_profile(workspace: Workspace, now: Snapshot, found: WorktreeStatus, code: CodeRun) -> Worktree:
    """The worktree with its profile, copied from a worktree that shows the same files and history."""
    if not (found.changed or found.deleted or found.untracked or found.staged):
        for other in workspace.catalog.worktrees():
            shown = other.view, other.history, json.loads(other.report).get("dirty")
            if other.root != workspace.root and shown == (now.view.id, now.history.head, []):
                return replace(now.worktree, facts=other.facts, profile=other.profile, decisions=other.decisions)
    return with_profile(now, code.paths)


def with_profile(now: Snapshot, paths: Sequence[str]) -> Worktree:
    """The worktree of a snapshot, with the profile read from these files and the history."""
    from repomem.profile.adr import read_decisions
    from repomem.profile.build import made_profile, profile_inputs
    from repomem.profile.facts import read_facts  # compiles forty patterns

    facts = read_facts(now, paths)
    lines = made_profile(profile_inputs(now, facts, paths))
    return replace(
        now.worktree,
        facts=json.dumps([asdict(fact) for fact in facts]),
        profile=lines_text(lines),
        decisions=json.dumps([asdict(one) for one in read_decisions(now, paths)]),
    )


def _cache_answers(workspace: Workspace, run: Run, published: Snapshot | None = None) -> None:
    """Cache the map and the hooks' reminders, in a background run; `published`: the code has changed too."""
    if not run.is_background:
        return
    from repomem.items.reminders import refresh_reminders, reminders_now
    from repomem.items.repository_map import cache_map

    cache_map(workspace)
    if published:
        refresh_reminders(published)
    else:
        reminders_now(workspace)


def _follow_format(workspace: Workspace) -> None:
    """Begin new tables if the content format or the redaction rules changed."""
    wanted = content_stamp()
    stamped = workspace.catalog.meta("content")
    if stamped == wanted:
        return
    if stamped and int(stamped.split()[0]) > CONTENT_FORMAT:
        raise StoreError("the index was made by a newer repomem", "upgrade repomem, or run repomem index --rebuild")
    with tables_lock(workspace.folder), write_lock(workspace.folder):
        if stamped:
            workspace.forget_store()
            for cache in (reminder_cache.FOLDER, stored_snapshot.FOLDER):
                delete_files_in(workspace.folder / cache)
            delete_late_answers(workspace.folder)
            workspace.catalog.erase()  # made by older redaction rules: it may contain secrets
            workspace.notices.append("the index was made by another version; it is rebuilt")
        elif workspace.store_folder.exists():  # tables without a catalog
            workspace.forget_store()
        workspace.catalog.set_meta("content", wanted)


def _report(now: Snapshot, found: WorktreeStatus, code: CodeRun, past: index_history.HistoryRun) -> IndexReport:
    versions = now.tree.versions.values()
    reasons = Counter(version.left_out for version in versions if version.left_out) + Counter(code.left_out)
    languages = Counter(version.language or "other" for version in versions if not version.left_out)
    return IndexReport(
        state="partial" if code.missing or past.missing else "indexed",
        head=found.head or "",
        branch=found.branch or "",
        files=sum(languages.values()),
        chunks=sum(version.chunks for version in versions),
        episodes=len(past.episodes),
        parsed=code.parsed,
        taken=code.shared.taken,
        missing_files=code.missing,
        missing_commits=past.missing,
        left_out=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        languages=dict(sorted(languages.items(), key=lambda item: (-item[1], item[0]))),
        dirty=sorted({*found.changed, *found.deleted, *found.untracked, *found.staged})[:DIRTY_KEPT],
        renamed=renames_between(now.workspace.repository, found.head, "") if found.head and found.staged else {},
        faults=code.faults,
    )


def view_of(workspace: Workspace, code: CodeRun) -> View:
    """The view of these versions. Its statistics are updated from those of the most similar known view."""
    versions = tuple(sorted(code.versions))
    same = View(versions, WordStatistics.empty(), WordStatistics.empty())
    known = workspace.catalog.view(same.id)
    if known:
        return known
    base = workspace.catalog.nearest_view(versions) or View((), *[WordStatistics.empty()] * 2)
    added = set(versions) - set(base.versions) - code.tallied
    removed = set(base.versions) - set(versions)
    plus, minus = _tally_of(workspace, added), _tally_of(workspace, removed)
    parsed = code.tally  # counted while parsing: new versions are in no base
    return View(
        versions,
        base.chunk_words.plus(parsed.of_chunks()).plus(plus.of_chunks()).minus(minus.of_chunks()),
        base.file_words.plus(parsed.of_files()).plus(plus.of_files()).minus(minus.of_files()),
    )


def _tally_of(workspace: Workspace, versions: set[int]) -> Tally:
    tally = Tally()
    if not versions:
        return tally
    for rows in grouped_by(workspace.store.words("chunks", sorted(versions)), lambda row: row[0]).values():
        tally.add_file([words for _, _, words in rows])
    return tally


def history_of(workspace: Workspace, head: str | None, past: index_history.HistoryRun) -> History:
    """The history of HEAD, with statistics updated from the most similar known history."""
    name = index_history.history_name(workspace, head, is_whole=not past.missing)
    known = workspace.catalog.history(name)
    if known and known.episodes == past.episodes:
        return known
    base = workspace.catalog.nearest_history(past.episodes)
    counted = set(base.episodes) if base else set()
    live = set(past.episodes)
    plus, minus = Tally(), Tally()
    for tally, ids in ((plus, live - counted - set(past.words)), (minus, counted - live)):
        for _, _, words in workspace.store.words("episodes", sorted(ids)) if ids else ():
            tally.add_file([words])
    for number in live & set(past.words) - counted:
        plus.add_file([past.words[number]])
    counts = (base.words if base else WordStatistics.empty()).plus(plus.of_chunks()).minus(minus.of_chunks())
    return History(name, past.episodes, counts)
