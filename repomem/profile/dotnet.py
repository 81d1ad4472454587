"""Which project or solution `dotnet` takes in a folder: it refuses to choose among several."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from repomem.core.lazy_pattern import lazy_pattern

PROJECT_ARGUMENT = r"(?:'[^']+'|[^\s'-]\S*\.(?:slnx?|slnf|[a-z]+proj)\b)"
_SOLUTION = lazy_pattern(r"[^/]+\.slnx?")
_PROJECT = lazy_pattern(r"[^/]+\.\w*proj")


def runs_testing_platform(files: Mapping[str, str]) -> bool:
    """Whether `dotnet test` starts Microsoft.Testing.Platform, which takes other arguments."""
    return "Microsoft.Testing.Platform" in files.get("global.json", "")


def command_at_root(command: str, files: Mapping[str, str], paths: Iterable[str]) -> tuple[str, str]:
    """A `dotnet` command for the root and the file it takes, named where MSBuild would not choose; empty if unclear."""
    at_root = [path for path in paths if "/" not in path]
    solutions = [path for path in at_root if _SOLUTION.fullmatch(path)]
    projects = [path for path in at_root if _PROJECT.fullmatch(path)]
    if len(solutions) + len(projects) == 1 or (
        len(solutions) == len(projects) == 1 and PurePosixPath(solutions[0]).stem == PurePosixPath(projects[0]).stem
    ):
        return command, (solutions or projects)[0]
    option = " --solution" if command == "dotnet test" and runs_testing_platform(files) else ""
    return (f"{command}{option} {shlex.quote(solutions[0])}", solutions[0]) if len(solutions) == 1 else ("", "")
