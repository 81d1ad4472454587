"""The corpus: released packages under permissive licences, each pinned by version and by the sha256 of its file.

Owns `corpus.json` and the downloads. Every file comes through the ordinary client of its registry (pip, npm, apt-get),
with the addresses that this machine is configured for. What is in a file is the business of `archives`.
"""

import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.parsers import has_grammar
from training.archives import Archive
from training.licences import licence_of, permissive

LIST = Path(__file__).with_name("corpus.json")
PROSE_LIST = Path(__file__).with_name("prose_corpus.json")  # read for sentences alone
APT_SOURCES = Path("/etc/apt/sources.list.d/debian.sources")
NO_CODE = frozenset({"markdown", "json", "yaml", "toml", "html", "css"})
SECONDS_PER_PACKAGE = 240  # the largest files take a minute; a client that waits longer is stuck


class CorpusError(Exception):
    """A package that cannot be had, or is not what the list says."""


@dataclass(frozen=True, slots=True)
class Package:
    """One line of the list. `registry` is pypi, npm, debian (a binary package) or debian-source."""

    registry: str
    name: str
    version: str
    licence: str
    language: str  # the one with the most bytes
    file: str
    sha256: str

    @property
    def key(self) -> str:
        """Names the package whatever its version."""
        return f"{self.registry}:{self.name}"


def packages(file: Path = LIST) -> list[Package]:
    """A list, in its order."""
    return [Package(**each) for each in json.loads(file.read_text(encoding="utf-8"))]


def fetch(folder: Path, wanted: Sequence[Package] | None = None) -> list[str]:
    """Download what is missing, check every sha256, and say what could not be had; all of LIST without `wanted`."""
    failed = []
    for package in packages() if wanted is None else wanted:
        try:
            _fetched(package, folder)
        except CorpusError as error:
            failed.append(f"{package.key}: {error}")
    return failed


def path_of(package: Package, folder: Path) -> Path:
    """Where the file of a package lies."""
    return folder / package.registry / package.file


def add(wanted: Iterable[tuple[str, str]], folder: Path, file: Path = LIST) -> list[str]:
    """Put the newest release of each (registry, name) on a list; say which ones were refused, and why."""
    known = {package.key: package for package in packages(file)} if file.exists() else {}
    refused = []
    for registry, name in wanted:
        if f"{registry}:{name}" in known:
            continue
        try:
            package = _newest(registry, name, folder)
        except CorpusError as error:
            refused.append(f"{registry}:{name}: {error}")
            continue
        known[package.key] = package
        _write(known.values(), file)
    return refused


def _write(every: Iterable[Package], file: Path) -> None:
    lines = [json.dumps(asdict(package)) for package in sorted(every, key=lambda p: (p.registry, p.name))]
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _fetched(package: Package, folder: Path) -> Path:
    path = path_of(package, folder)
    if not path.exists():
        _download(package.registry, package.name, package.version, folder)
    if not path.exists():
        raise CorpusError(f"{package.file} is not what its registry has now")
    if _sha256(path) != package.sha256:
        raise CorpusError(f"{package.file} has another sha256 than the list")
    return path


def _newest(registry: str, name: str, folder: Path) -> Package:
    path = _download(registry, name, "", folder)
    licence = licence_of(Archive(path), _copyright_file(path))
    if not permissive(licence):
        path.unlink()
        raise CorpusError(f"licence {licence or 'unknown'}")
    version = _version(registry, name, path)
    return Package(registry, name, version, licence, _language(Archive(path)), path.name, _sha256(path))


def _language(archive: Archive) -> str:
    """The language that most bytes are written in; empty where no file is code."""
    sizes: Counter[str] = Counter()
    for path, data in archive.files():
        language = language_of(path)
        if has_grammar(language) and language not in NO_CODE:
            sizes[language] += len(data)
    return max(sizes, key=lambda language: (sizes[language], language), default="")


def _copyright_file(path: Path) -> Path | None:
    """The packaging beside a Debian source, which holds its copyright file."""
    stem = path.name.split("_")[0]
    return (
        next(iter(sorted(path.parent.glob(f"{stem}_*.debian.tar.*"))), None)
        if path.parent.name == "debian-source"
        else None
    )


def _download(registry: str, name: str, version: str, folder: Path) -> Path:
    """Run the client of a registry in its own folder, and give the file that is the package."""
    place = folder / registry
    place.mkdir(parents=True, exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in place.iterdir()}
    try:
        done = subprocess.run(
            _command(registry, name, version, folder.absolute()),
            cwd=place,
            capture_output=True,
            text=True,
            timeout=SECONDS_PER_PACKAGE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CorpusError("no answer in time") from error
    # of a Debian source the packaging may be gone while the sources themselves are still there
    if done.returncode and not (registry == "debian-source" and ".orig.tar" in done.stdout):
        raise CorpusError(done.stderr.strip().rpartition("\n")[2])
    new = [path for path in place.iterdir() if before.get(path) != path.stat().st_mtime_ns or name in path.name]
    return _package_among(new, name)


def _package_among(paths: Sequence[Path], name: str) -> Path:
    """The package's own file: not the packaging of a Debian source, nor its description."""
    own = [path for path in paths if not path.name.endswith((".dsc", ".asc")) and ".debian.tar" not in path.name]
    own = [path for path in own if path.is_file() and ".orig-" not in path.name]
    normal = name.lower().replace("/", "-").lstrip("@").replace("_", "-")
    named = [path for path in own if path.name.lower().replace("_", "-").startswith(f"{normal}-")]
    if not named:
        raise CorpusError("the client left no file")
    return max(named, key=lambda path: (path.stat().st_mtime_ns, path.name))


def _command(registry: str, name: str, version: str, folder: Path) -> list[str]:
    pip = ["pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    at = (
        {"pypi": f"{name}=={version}", "npm": f"{name}@{version}"}.get(registry, f"{name}={version}")
        if version
        else name
    )
    commands = {
        "pypi": [*pip, "--only-binary", ":all:", "--platform", "any", "--python-version", "3.11", at],
        "npm": ["npm", "pack", "--silent", at],
        "debian": ["apt-get", "-c", str(_apt(folder)), "download", at],
        "debian-source": ["apt-get", "-c", str(_apt(folder)), "source", "--download-only", at],
    }
    return commands[registry]


def _apt(folder: Path) -> Path:
    """The configuration of an apt of our own, with the sources of this machine and their source packages."""
    root = folder / "apt"
    configuration = root / "apt.conf"
    if configuration.exists():
        return configuration
    for each in ("lists/partial", "cache/archives/partial", "parts"):
        (root / each).mkdir(parents=True, exist_ok=True)
    sources = APT_SOURCES.read_text(encoding="utf-8").replace("Types: deb\n", "Types: deb deb-src\n")
    (root / "parts" / "debian.sources").write_text(sources, encoding="utf-8")
    settings = {
        "Dir::State": root,
        "Dir::State::status": "/var/lib/dpkg/status",
        "Dir::Cache": root / "cache",
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": root / "parts",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
    }
    configuration.write_text("".join(f'{key} "{value}";\n' for key, value in settings.items()), encoding="utf-8")
    subprocess.run(["apt-get", "-c", str(configuration), "--quiet", "update"], check=True, capture_output=True)
    return configuration


def _version(registry: str, name: str, path: Path) -> str:
    if registry == "npm":
        return str(json.loads(Archive(path).text("package.json"))["version"])
    if registry == "pypi":
        return path.name.split("-")[1]
    if registry == "debian":
        return path.name.split("_")[1].replace("%3a", ":")
    described = max(path.parent.glob(f"{name}_*.dsc"), key=lambda dsc: dsc.stat().st_mtime_ns)
    lines = described.read_text(encoding="utf-8").splitlines()
    return next(line.partition(": ")[2] for line in lines if line.startswith("Version: "))


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
