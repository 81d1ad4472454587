"""Other repositories that are asked beside this one: which they are, whether they can answer, and what they say.

    folders that were given, else those of the user's groups -> each opened with its own configuration, index and ledger
    -> its own gate: what does not bear on the task is silent -> offers for the brief of this repository

Nothing of one is written into another: the brief is where they meet. Whatever is wrong with another is a line of
warning, and the own brief is given all the same.
"""

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from repomem.adapters.git.log import remote_url
from repomem.adapters.git.run import Repository
from repomem.adapters.sqlite.database import has_catalog
from repomem.brief.items import Offer, Section
from repomem.brief.lines import episode_form
from repomem.brief.other_repositories import Also, Elsewhere
from repomem.core.errors import NotFound, RepomemError
from repomem.core.escape import visible_path
from repomem.core.types import Brief
from repomem.history.episodes import related_episodes
from repomem.recall.answer import ready, recall_now
from repomem.recall.brief import RANK, Ask, Found, found_for
from repomem.recall.server import Live, OpenPoll, no_poll
from repomem.workspace.identity import identity_of, name_of, state_of
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import FOLDER, Workspace

SECONDS = 0.5  # that a recall waits for what another's index lacks; the rest is indexed behind its back
EPISODES = 2  # of each other


@dataclass(frozen=True, slots=True)
class _Other:
    repository: Repository
    live: Live


@dataclass(slots=True)
class Others:
    """The other repositories of one that is asked, each opened once for as long as the process lives."""

    environ: Mapping[str, str]
    open_poll: OpenPoll = no_poll
    is_for_one: bool = True  # question: nothing is made ready for a later one
    _known: dict[Path, _Other] = field(default_factory=dict)

    def asked(self, workspace: Workspace, folders: Sequence[Path], ask: Ask, run: Run) -> Also:
        """What the repositories that hold these folders say, in their order: each once, and the own never again."""
        found: dict[str, Elsewhere] = {}  # by identity
        warnings: list[str] = []
        for folder in dict.fromkeys(folders):
            path = path_to(workspace, folder)
            try:
                one, lacks = self._told(folder, workspace, path, ask, run)
            except RepomemError as error:
                hint = f"; {error.hint}" if error.hint else ""
                warnings.append(f"{path} is not asked: {error.message}{hint}")
                continue
            if one is None:
                workspace.notices.append(f"{path} is not asked: it is this repository again")
            elif one.repository.id not in found:
                found[one.repository.id] = one
                warnings += lacks
        bearing = [one for one in found.values() if one.offers]
        return Also(tuple(_named_apart(workspace, bearing)), tuple(warnings))

    def close(self) -> None:
        """Let go of all of them."""
        for other in self._known.values():
            other.live.close()
        self._known.clear()

    def _opened(self, folder: Path, path: str) -> _Other:
        """The repository that holds a folder. GitError where there is none, NotFound where it was never indexed."""
        known = self._known.get(folder)
        if known is None:
            known = _Other(
                Repository.open(folder), Live(folder, self.environ, self.open_poll, is_for_one=self.is_for_one)
            )
        if not has_catalog(known.repository.common_dir / FOLDER):  # asking would begin an index that nobody wanted
            raise NotFound("nothing is indexed there yet", f"run repomem -C {shlex.quote(path)} index")
        self._known[folder] = known
        return known

    def _told(
        self, folder: Path, workspace: Workspace, path: str, ask: Ask, run: Run
    ) -> tuple[Elsewhere | None, list[str]]:
        """What one says, and what its index lacks; None where it is the own repository."""

        def answer(other: Workspace) -> tuple[Elsewhere | None, list[str]]:
            if _is_same(workspace, other):
                return None, []
            now = ready(other, replace(run, deadline=min(run.deadline, run.clock() + SECONDS)))
            return elsewhere(now.snapshot, path, ask), [f"{path}: {line}" for line in now.warnings]

        found, notices = self._opened(folder, path).live.asked(answer)
        workspace.notices += [f"{path}: {notice}" for notice in notices]
        return found


def recall_together(workspace: Workspace, ask: Ask, run: Run, folders: Sequence[Path], others: Others) -> Brief:
    """The brief for a task, with what the repositories that hold these folders have on it."""
    return recall_now(workspace, ask, run, others.asked(workspace, folders, ask, run))


def elsewhere(snapshot: Snapshot, path: str, ask: Ask) -> Elsewhere:
    """What a repository says of a task to somebody who works in another; nothing where it does not bear on it."""
    asked = Ask(ask.text, ask.budget, window=ask.window, kinds=ask.kinds)
    state = replace(state_of(snapshot.workspace, snapshot.worktree), path=path)
    return Elsewhere(state, tuple(_bearing(snapshot, found_for(snapshot, asked, has_code=False))))


def _bearing(snapshot: Snapshot, found: Found) -> Iterator[Offer]:
    """What bears on the task; where the gate is in doubt only what somebody said of it: places would be guesses."""
    if found.gate.state == "use" or found.memories.bears:
        yield from found.memories.offers
    if found.gate.state == "use":
        yield from found.places
        for at, one in enumerate(related_episodes(snapshot, found.past, EPISODES)):
            form = episode_form(one.episode, one.score, one.state)
            yield Offer(Section.HAPPENED, RANK["episode"] + 2 * at, (form,))


def folders_of_groups(workspace: Workspace) -> list[Path]:
    """The other folders of the user's groups that this work tree is in."""
    common = workspace.repository.common_dir
    own = {Path(workspace.root), common.parent if common.name == ".git" else common}
    found: list[Path] = []
    for group in workspace.loaded.config.workspaces.groups:
        folders = [resolved(Path(part)) for part in group.split(os.pathsep) if part]
        if not own.isdisjoint(folders):
            found += [folder for folder in folders if folder not in own]
    return found


def resolved(folder: Path) -> Path:
    """The folder itself, without `~`, `..` and links; as it was given where that cannot be told."""
    try:
        return folder.expanduser().resolve()
    except (OSError, RuntimeError):  # no such user, or links in a circle: it is not found when it is opened
        return folder


def path_to(workspace: Workspace, folder: Path) -> str:
    """The way to a folder from the top of the work tree: short, and the same wherever both lie."""
    try:
        return visible_path(os.path.relpath(folder, workspace.root))
    except ValueError:  # another drive
        return visible_path(str(folder))


def _is_same(one: Workspace, other: Workspace) -> bool:
    """Whether two are one repository: work trees of a clone, clones of one address, or a clone and what it is of."""
    if one.repository.common_dir == other.repository.common_dir or identity_of(one) == identity_of(other):
        return True
    return _is_clone_of(one.repository, other.repository) or _is_clone_of(other.repository, one.repository)


def _is_clone_of(one: Repository, other: Repository) -> bool:
    """Whether one was cloned from the folder of the other."""
    url = remote_url(one) or ""
    return url.startswith("/") and resolved(Path(url)) in {other.top, other.common_dir}


def _named_apart(workspace: Workspace, found: Sequence[Elsewhere]) -> Iterator[Elsewhere]:
    """The same, where two have one name with the start of their identities behind it."""
    named = Counter([name_of(workspace), *(each.name for each in found)])
    for each in found:
        state = each.repository
        name = state.name if named[state.name] == 1 else f"{state.name}-{state.id[:4]}"
        yield replace(each, repository=replace(state, name=name))
