"""What a build contains, and the version that it gets from git tags."""

import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.version import Version
from support.repositories import Commit, MakeRepository, RunGit

ROOT = Path(__file__).parent.parent
VERSION_OF = runpy.run_path(str(ROOT / ".ci" / "version.py"))["version"]
SOURCES = ("README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "pyproject.toml", ".gitignore", ".ci/version.py")
WRITTEN = "repomem/version.txt"  # by each build


def package_files() -> set[str]:
    """Every file of the package, but what Python and a build write there."""
    found = (path for path in (ROOT / "repomem").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in found} - {WRITTEN}


def test_a_wheel_contains_the_package_and_nothing_else() -> None:
    assert {each.distribution_path for each in WheelBuilder(str(ROOT)).recurse_included_files()} == package_files()


def test_an_sdist_contains_what_a_build_needs_and_no_tests() -> None:
    found = {each.distribution_path for each in SdistBuilder(str(ROOT)).recurse_included_files()}
    assert found | {"pyproject.toml", "README.md", "LICENSE", ".gitignore"} == package_files() | set(SOURCES)


def test_the_version_is_that_of_the_tag(make_repository: MakeRepository, run_git: RunGit) -> None:
    root = make_repository(Commit({"a": "1"}), Commit({"a": "2"}), Commit({"a": "3"}))
    run_git(root, "tag", "nightly")
    assert VERSION_OF(root) == "0.1.0.dev3"
    run_git(root, "tag", "-a", "v1.2.0", "-m", "1.2.0", "HEAD")
    assert VERSION_OF(root) == "1.2.0"


def test_a_version_after_a_tag_is_later_and_no_index_takes_it(make_repository: MakeRepository, run_git: RunGit) -> None:
    root = make_repository(Commit({"a": "1"}), Commit({"a": "2"}))
    run_git(root, "tag", "v1.2.0rc1", "HEAD~1")
    found = Version(VERSION_OF(root))
    assert Version("1.2.0rc1") < found < Version("1.2.0")
    assert found.local == f"g{run_git(root, 'rev-parse', '--short', 'HEAD')}"


def test_files_within_another_repository_do_not_take_its_tags(make_repository: MakeRepository, run_git: RunGit) -> None:
    root = make_repository(Commit({"copy/a": "1"}))
    run_git(root, "tag", "v7.0.0")
    assert VERSION_OF(root / "copy") == "0.1.0.dev0"


@pytest.mark.slow
def test_a_wheel_built_from_an_sdist_has_its_version(tmp_path: Path, run_git: RunGit) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "repomem", tree / "repomem", ignore=shutil.ignore_patterns("__pycache__", "version.txt"))
    for name in SOURCES:
        (tree / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    run_git(tree, "init", "--quiet")
    run_git(tree, "commit", "--quiet", "--allow-empty", "--message", "a")
    run_git(tree, "tag", "v3.1.0")

    build(tree, "sdist", tmp_path)
    with tarfile.open(tmp_path / "repomem-3.1.0.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    build(tmp_path / "repomem-3.1.0", "wheel", tmp_path)

    with zipfile.ZipFile(tmp_path / "repomem-3.1.0-py3-none-any.whl") as wheel:
        assert wheel.read(WRITTEN) == b"3.1.0\n"


def build(tree: Path, target: str, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=tree, check=True, capture_output=True, env=os.environ | {"PYTHONPATH": ""})
