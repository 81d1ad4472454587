"""Trusting a repository's own configuration file, by its content, and the writers whose memories a sync brings."""

from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.git.run import Repository
from repomem.core import trust as listed
from repomem.core.config import REPOSITORY_FILE
from repomem.core.errors import ConfigError, NotFound
from repomem.workspace.identity import identity_of
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TrustReport:
    """The file, its content as it would be trusted, and whether it is trusted now."""

    path: Path
    content: str
    is_trusted: bool


def trust_report(start: Path) -> TrustReport:
    """The configuration file of the repository that holds `start`. NotFound where there is none."""
    path, data = _file(start)
    return TrustReport(path, data.decode("utf-8", "replace"), listed.is_trusted(path, data))


def trust_here(start: Path, content: str) -> None:
    """Trust the file as it was shown: if it has changed meanwhile, it is not trusted."""
    path, data = _file(start)
    if data.decode("utf-8", "replace") != content:
        raise NotFound(f"{path} has changed since it was shown", "run repomem trust again and read it")
    listed.trust(path, data)


def distrust_here(start: Path) -> None:
    """Forget that the file was trusted."""
    path, _ = _file(start)
    listed.distrust(path)


def trusted_writers(workspace: Workspace) -> frozenset[str]:
    """The ids of the writers who are trusted in this repository, by the user's word or by the configuration."""
    return frozenset([*listed.trusted_writers(identity_of(workspace)), *workspace.loaded.config.sync.trust])


def trust_writer(workspace: Workspace, writer: str, names: str) -> None:
    """Believe a writer in this repository; `names` are those that he gives."""
    listed.trust_writer(identity_of(workspace), writer, names)


def distrust_writer(workspace: Workspace, writer: str) -> None:
    """Believe him no longer. ConfigError where the configuration says otherwise."""
    if writer in workspace.loaded.config.sync.trust:
        raise ConfigError(f"the option sync.trust names {writer}", "take it out there: repomem config says where")
    listed.distrust_writer(identity_of(workspace), writer)


def _file(start: Path) -> tuple[Path, bytes]:
    repository = Repository.open(start)
    path = (repository.top or repository.git_dir) / REPOSITORY_FILE
    if not path.is_file() or path.is_symlink():
        raise NotFound(f"there is no {REPOSITORY_FILE} here", "nothing needs to be trusted")
    return path, path.read_bytes()
