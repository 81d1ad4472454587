"""Trusting a repository's own configuration file, by its content."""

from dataclasses import dataclass
from pathlib import Path

from repomem.core.config import REPOSITORY_FILE
from repomem.core.errors import NotFound
from repomem.core.trust import distrust, is_trusted, trust
from repomem.sources.git import Repository


@dataclass(frozen=True, slots=True)
class TrustReport:
    """The file, its content as it would be trusted, and whether it is trusted now."""

    path: Path
    content: str
    is_trusted: bool


def trust_report(start: Path) -> TrustReport:
    """The configuration file of the repository that holds `start`. NotFound where there is none."""
    path, data = _file(start)
    return TrustReport(path, data.decode("utf-8", "replace"), is_trusted(path, data))


def trust_here(start: Path, content: str) -> None:
    """Trust the file as it was shown: if it has changed meanwhile, it is not trusted."""
    path, data = _file(start)
    if data.decode("utf-8", "replace") != content:
        raise NotFound(f"{path} has changed since it was shown", "run repomem trust again and read it")
    trust(path, data)


def distrust_here(start: Path) -> None:
    """Forget that the file was trusted."""
    path, _ = _file(start)
    distrust(path)


def _file(start: Path) -> tuple[Path, bytes]:
    repository = Repository.open(start)
    path = (repository.top or repository.git_dir) / REPOSITORY_FILE
    if not path.is_file() or path.is_symlink():
        raise NotFound(f"there is no {REPOSITORY_FILE} here", "nothing needs to be trusted")
    return path, path.read_bytes()
