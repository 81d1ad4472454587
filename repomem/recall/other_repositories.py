"""Recall across repositories: selects the others, checks whether they can answer, and adds their items to the brief.

    folders of --also and of the user's groups -> each opened with its own configuration, index and ledger
    -> its own relevance gate -> candidate items for the brief of this repository

No repository is written into another: they are combined only in the brief. A failure of another repository is a
warning; this one's brief is still made.
"""

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from repomem.adapters.git.log import remote_url
from repomem.adapters.git.repository import Repository
from repomem.adapters.sqlite.database import has_catalog
from repomem.brief import order
from repomem.brief.commit_lines import commit_rendering
from repomem.brief.items import CandidateItem
from repomem.brief.other_repositories import OtherAnswers, OtherRepository
from repomem.core.errors import NotFound, RepomemError
from repomem.core.text.escape import visible_path
from repomem.history.change_history import change_history_of
from repomem.items.history import related_commits
from repomem.recall.answer import ready
from repomem.recall.brief import TaskMatches, matches_for
from repomem.recall.open_repository import OpenRepository
from repomem.recall.request import BriefRequest
from repomem.workspace.identity import identity_of, name_in, state_of
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.user.binding import DATA_FOLDER
from repomem.workspace.workspace import Workspace

SECONDS = 0.5  # that a recall waits for another's index to catch up; the rest is indexed in the background
COMMITS = 2  # of each other repository


@dataclass(slots=True)
class OtherRepositories:
    """Other repositories, each opened once and kept open."""

    environ: Mapping[str, str]
    is_for_one: bool = True  # question: nothing is made ready for a later one
    _known: dict[Path, tuple[Repository, OpenRepository]] = field(default_factory=dict)  # by folder

    def answers(self, workspace: Workspace, folders: Sequence[Path], ask: BriefRequest, run: Run) -> OtherAnswers:
        """The matches of the repositories that contain these folders, in order, each once, without this one."""
        found: dict[str, OtherRepository] = {}  # by identity
        warnings: list[str] = []
        for folder in dict.fromkeys(folders):
            path = path_to(workspace, folder)
            try:
                one, gaps = self._answer(folder, workspace, path, ask, run)
            except RepomemError as error:
                hint = f"; {error.hint}" if error.hint else ""
                warnings.append(f"{path} was skipped: {error.message}{hint}")
                continue
            if one is None:
                workspace.notices.append(f"{path} was skipped: it is this repository")
            elif one.repository.id not in found:
                found[one.repository.id] = one
                warnings += gaps
        relevant = [one for one in found.values() if one.candidates]
        return OtherAnswers(tuple(_with_unique_names(workspace, relevant)), tuple(warnings))

    def close(self) -> None:
        """Close all of them."""
        for _, live in self._known.values():
            live.close()
        self._known.clear()

    def _opened(self, folder: Path, path: str) -> OpenRepository:
        """The repository that contains a folder. GitError if there is none, NotFound if it was never indexed."""
        known = self._known.get(folder)
        repository, live = known or (
            Repository.open(folder),
            OpenRepository(folder, self.environ, is_for_one=self.is_for_one),
        )
        if not has_catalog(repository.common_dir / DATA_FOLDER):  # a question must not start an index there
            raise NotFound("nothing is indexed there yet", f"run repomem -C {shlex.quote(path)} index")
        self._known[folder] = repository, live
        return live

    def _answer(
        self, folder: Path, workspace: Workspace, path: str, ask: BriefRequest, run: Run
    ) -> tuple[OtherRepository | None, list[str]]:
        """One repository's matches, and warnings about its index; None if it is this repository."""

        def answer(other: Workspace) -> tuple[OtherRepository | None, list[str]]:
            if _is_same(workspace, other):
                return None, []
            now = ready(other, replace(run, deadline=min(run.deadline, run.clock() + SECONDS)))
            return _matches_in(now.snapshot, path, ask), [f"{path}: {line}" for line in now.warnings]

        found, notices = self._opened(folder, path).answer(answer)
        workspace.notices += [f"{path}: {notice}" for notice in notices]
        return found


def _matches_in(snapshot: Snapshot, path: str, ask: BriefRequest) -> OtherRepository:
    """What another repository has on a task; without candidates if it is not relevant."""
    asked = BriefRequest(ask.text, ask.budget, window=ask.window, kinds=ask.kinds)
    state = replace(state_of(snapshot.workspace, snapshot.worktree), path=path)
    return OtherRepository(state, tuple(_relevant(snapshot, matches_for(snapshot, asked, has_code=False))))


def _relevant(snapshot: Snapshot, matches: TaskMatches) -> Iterator[CandidateItem]:
    """The relevant items; if the gate is in doubt only memories: places would be guesses."""
    if matches.gate.state == "use" or matches.memories.is_relevant:
        yield from matches.memories.items
    if matches.gate.state == "use":
        yield from matches.places.items
        commits = related_commits(change_history_of(snapshot), matches.ranking.past, COMMITS, matches.places)
        for at, one in enumerate(commits):
            namesakes = snapshot.tree.namesakes(file.path for file in one.episode.files)
            rendering = commit_rendering(one.episode, one.score, one.state, namesakes=namesakes)
            yield CandidateItem(*order.COMMIT.nth(at), (rendering,))


def folders_of_groups(workspace: Workspace) -> list[Path]:
    """The other folders of the user's groups that this worktree is in."""
    common = workspace.repository.common_dir
    own = {Path(workspace.root), common.parent if common.name == ".git" else common}
    found: list[Path] = []
    for group in workspace.loaded.config.workspaces.groups:
        folders = [resolved(Path(part)) for part in group.split(os.pathsep) if part]
        if not own.isdisjoint(folders):
            found += [folder for folder in folders if folder not in own]
    return found


def resolved(folder: Path) -> Path:
    """The folder without `~`, `..` and links; unchanged if that fails."""
    try:
        return folder.expanduser().resolve()
    except (OSError, RuntimeError):  # no such user, or links in a circle: opening it fails later
        return folder


def path_to(workspace: Workspace, folder: Path) -> str:
    """The path of a folder, relative to the top of the worktree unless the absolute path is shorter."""
    absolute = visible_path(str(folder))
    try:
        return min(visible_path(os.path.relpath(folder, workspace.root)), absolute, key=len)
    except ValueError:  # another drive
        return absolute


def _is_same(one: Workspace, other: Workspace) -> bool:
    """Whether two are one repository: worktrees of a clone, clones of one URL, or a clone and its origin."""
    if one.repository.common_dir == other.repository.common_dir or identity_of(one) == identity_of(other):
        return True
    return _is_clone_of(one.repository, other.repository) or _is_clone_of(other.repository, one.repository)


def _is_clone_of(one: Repository, other: Repository) -> bool:
    """Whether one was cloned from the folder of the other."""
    url = remote_url(one) or ""
    return url.startswith("/") and resolved(Path(url)) in {other.top, other.common_dir}


def _with_unique_names(workspace: Workspace, found: Sequence[OtherRepository]) -> Iterator[OtherRepository]:
    """The same; two of one name get the start of their identity behind it."""
    named = Counter([name_in(workspace.repository), *(each.name for each in found)])
    for each in found:
        state = each.repository
        name = state.name if named[state.name] == 1 else f"{state.name}-{state.id[:4]}"
        yield replace(each, repository=replace(state, name=name))
