"""The version, from git tags; hatchling runs this for every build, and writes it to repomem/version.txt.

The tag v1.2.0 gives 1.2.0, and seven commits later 1.2.0.post7+g0123abc, which no index accepts. A clone without tags
has a version before the first release; an sdist has the one in its metadata.
"""

import re
import subprocess
from pathlib import Path

FIRST = "0.1.0"  # the first release, until there is a tag
DESCRIBED = re.compile(r"v(?P<release>.+)-(?P<commits>\d+)-(?P<commit>g[0-9a-f]+)")


def version(root: Path = Path(__file__).parent.parent) -> str:
    """The version of the tree in a folder."""
    metadata = root / "PKG-INFO"
    if metadata.exists():
        [found] = re.findall(r"^Version: (.+)$", metadata.read_text(encoding="utf-8"), re.MULTILINE)
        return str(found)
    if not (root / ".git").exists():  # a copy of the files, perhaps within another repository
        return f"{FIRST}.dev0"
    if found := DESCRIBED.fullmatch(_git(root, "describe", "--tags", "--long", "--match", "v[0-9]*")):
        release, commits, commit = found.groups()
        return release if commits == "0" else f"{release}.post{commits}+{commit}"
    return f"{FIRST}.dev{_git(root, 'rev-list', '--count', 'HEAD') or 0}"


def _git(root: Path, *words: str) -> str:
    """What git prints; empty if it fails or is not installed."""
    try:
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
