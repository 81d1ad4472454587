"""How many secrets are taken out, how often something else is, and how quickly.

python -m benchmarks secrets MIRROR [--samples N] [--misses]

Samples are generated from `secret_formats.txt`, a list of formats that knows nothing of our rules, each in several
surroundings. A sample counts as taken out only where no eight characters in a row of its random part are left. What is
redacted in the files of the pinned repositories that the mirror has is false unless `secret_labels.txt` judges it a key
or password, of whatever worth; `--misses` prints what was missed and what was marked.
"""

import argparse
import random
import re
import string
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from benchmarks.inputs import Pinned, git, section
from benchmarks.results import machine, save, table
from repomem.core.secrets.redact import redact

FORMATS = Path(__file__).with_name("secret_formats.txt")
JUDGED = Path(__file__).with_name("secret_labels.txt")
SEED = 36
LEFT = 8  # characters of a secret in a row: fewer tell nothing
MOST_BYTES = 1 << 20  # of a file: larger ones are not indexed
# Repositories whose sources are samples of secrets: what is marked there is what should be.
OF_SECRETS = frozenset({"gitleaks+gitleaks"})

_CLASSES = {
    "a": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "t": string.ascii_uppercase + "234567",
    "b": string.ascii_letters + string.digits + "+/",
    "w": string.ascii_letters + string.digits + "_-",
}
_SLOT = re.compile(
    r"\{(?:(?P<kind>[alubhHdtw]):(?P<length>\d+)|(?P<uuid>uuid|UUID)|(?P<pem>pem|pemline):(?P<of>\w*))\}"
)
SURROUNDINGS = (
    'TOKEN = "{}"\n',
    "TOKEN={}\n",
    "export TOKEN='{}'\n",
    '  "token": "{}",\n',
    "  token: {}\n",
    "curl https://api.example.com/v1?token={}&page=2\n",
    "It worked with {}. Then it did not.\n",
    "Use `{}` for now\n",
    "run --token={} --verbose\n",
    "\\n{}\\n",
    "\u4ee4\u724c\uff1a{}\u3002\n",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A generated secret in its surroundings, and the random parts that must not be left."""

    group: str
    kind: str
    text: str
    parts: tuple[str, ...]

    def is_left_in(self, text: str) -> bool:
        """Whether a telling piece of the secret still stands in a text."""
        for part in self.parts:
            size = min(LEFT, len(part))
            if any(part[at : at + size] in text for at in range(len(part) - size + 1)):
                return True
        return False


def formats() -> Iterator[tuple[str, str, str]]:
    """Group, kind and format of each line of the list."""
    group = ""
    for line in FORMATS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            group = line.strip("[]")
        elif line and not line.startswith("#"):
            kind, _, pattern = line.partition(" ")
            yield group, kind, pattern.strip()


def samples(count: int, seed: int = SEED) -> Iterator[Sample]:
    """`count` samples of each kind; the same for the same seed."""
    for group, kind, pattern in formats():
        chance = random.Random(f"{seed} {kind}")
        for number in range(count):
            yield _sample(group, kind, pattern, chance, number)


def _sample(group: str, kind: str, pattern: str, chance: random.Random, number: int) -> Sample:
    before, mark, rest = pattern.partition("«")
    secret, _, after = rest.partition("»") if mark else (pattern, "", "")
    parts: list[str] = []

    def filled(match: re.Match[str]) -> str:
        made = _made(match, chance)
        parts.extend(_telling(made))
        return made

    before = _SLOT.sub(lambda match: _made(match, chance), before) if mark else ""
    whole = before + _SLOT.sub(filled, secret) + after
    around = "{}\n" if mark or group != "marked" else SURROUNDINGS[number % len(SURROUNDINGS)]
    text = f"first = 1\n{around.replace('{}', whole)}last = 2\n"
    return Sample(group, kind, text, tuple(parts))


def _telling(made: str) -> list[str]:
    """The random parts of what fills a slot: of a private key its lines."""
    lines = re.split(r"\\n|\n", made)
    return [line for line in lines if not line.startswith("-----") and len(line) > 4]


def _made(match: re.Match[str], chance: random.Random) -> str:
    if match["uuid"]:
        digits = "".join(chance.choices(_CLASSES["h"], k=32))
        made = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        return made.upper() if match["uuid"] == "UUID" else made
    if match["pem"]:
        name = " ".join(filter(None, (match["of"], "PRIVATE " + "KEY")))
        lines = ["".join(chance.choices(_CLASSES["b"], k=64)) for _ in range(chance.randint(3, 25))]
        text = "\n".join((f"-----BEGIN {name}-----", *lines, lines[0][:40] + "==", f"-----END {name}-----"))
        return text if match["pem"] == "pem" else text.replace("\n", "\\n") + "\\n"
    return "".join(chance.choices(_CLASSES[match["kind"]], k=int(match["length"])))


def recall(count: int) -> tuple[dict[str, Any], list[Sample]]:
    """How many of the samples of each group are taken out, and those that are not."""
    missed = [sample for sample in samples(count) if sample.is_left_in(redact(sample.text))]
    of_group = Counter(group for group, _, _ in formats())
    rows = {}
    for group, kinds in of_group.items():
        of = [sample for sample in missed if sample.group == group]
        rows[group] = {
            "kinds": kinds,
            "samples": kinds * count,
            "missed": len(of),
            "recall": round(1 - len(of) / (kinds * count), 4),
            "kinds_with_a_miss": dict(sorted(Counter(sample.kind for sample in of).items())),
        }
    return rows, missed


@dataclass(frozen=True, slots=True)
class Mark:
    """One redaction in a real file."""

    repository: str
    path: str
    line: int
    kind: str
    before: str  # the line as it was

    @property
    def is_judged(self) -> bool:
        """Whether somebody looked, and found it to be a key or password, of whatever worth."""
        return f"{self.repository} {self.path} {self.kind}" in JUDGED.read_text(encoding="utf-8").splitlines()


def marks_in(repository: str, path: str, text: str) -> Iterator[Mark]:
    """What is redacted in a text, line by line: a redaction keeps the number of lines."""
    clean = redact(text)
    if clean is not text:
        for number, (before, after) in enumerate(zip(text.split("\n"), clean.split("\n"), strict=True), 1):
            if before != after:
                for kind in re.findall(r"\[REDACTED:([\w-]+):", after) or ["rest of a key"]:
                    yield Mark(repository, path, number, kind, before)


def texts_of(bare: Path, commit: str) -> Iterator[tuple[str, str]]:
    """Path and text of each text file of a commit in a bare clone, as far as the clone holds them."""
    entries = [entry.partition("\t") for entry in git(bare, "ls-tree", "-r", "-z", commit).split("\0")]
    paths = {path: head.split(" ")[2] for head, _, path in entries if path and head.startswith("100")}
    asked = "\n".join(paths.values()).encode()
    told = subprocess.run(["git", "-C", str(bare), "cat-file", "--batch"], input=asked, capture_output=True, check=True)
    answer = BytesIO(told.stdout)
    for path in paths:
        *_, kind_or_size = answer.readline().split()
        if kind_or_size != b"missing":
            data = answer.read(int(kind_or_size) + 1)[:-1]
            if len(data) <= MOST_BYTES and b"\0" not in data:
                yield path, data.decode("utf-8", "replace")


def false_redactions(mirror: Path) -> tuple[list[dict[str, Any]], list[Mark]]:
    """What is redacted in the files of each pinned repository of the mirror, and the CPU seconds that looking took."""
    rows, marks = [], []
    for pinned in (Pinned(spec["repository"], spec["commit"]) for spec in section("undone")):
        bare = pinned.place(mirror)
        if not bare.is_dir():
            continue
        name = bare.parent.name
        row: dict[str, Any] = {"repository": name.replace("+", "/"), "lines": 0, "bytes": 0, "seconds": 0.0}
        found: list[Mark] = []
        for path, text in texts_of(bare, pinned.commit):
            row["lines"] += text.count("\n") + 1
            row["bytes"] += len(text.encode())
            begun = time.process_time()
            redact(text)
            row["seconds"] += time.process_time() - begun
            found += [mark for mark in marks_in(name, path, text) if mark.kind != "rest of a key"]
        row["seconds"] = round(row["seconds"], 3)
        row["redactions"] = len(found)
        row["false"] = 0 if name in OF_SECRETS else sum(not mark.is_judged for mark in found)
        rows.append(row)
        marks += found
    return rows, marks


def main(arguments: list[str]) -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks secrets")
    options.add_argument("mirror", type=Path)
    options.add_argument("--samples", type=int, default=22, help="of each kind")
    options.add_argument("--misses", action="store_true", help="print what was missed, and what was marked")
    given = options.parse_args(arguments)
    where = machine()
    found, missed = recall(given.samples)
    rows, marks = false_redactions(given.mirror)
    ordinary = [row for row in rows if row["repository"].replace("/", "+") not in OF_SECRETS]
    total = {
        key: round(sum(row[key] for row in ordinary), 3) for key in ("lines", "bytes", "seconds", "redactions", "false")
    }
    figures = {
        "recall": found,
        "false_per_10000_lines": round(10_000 * total["false"] / total["lines"], 4),
        "megabytes_per_second": round(total["bytes"] / total["seconds"] / 1e6, 1),
        "real_code": total,
        "repositories": rows,
    }
    save("secrets", where, figures)
    head = ("group", "kinds", "samples", "missed", "recall")
    print(table(head, [(group, *[row[key] for key in head[1:]]) for group, row in found.items()]))
    print({key: figures[key] for key in ("false_per_10000_lines", "megabytes_per_second", "real_code")})
    if given.misses:
        for sample in missed:
            print(sample.group, sample.kind, repr(sample.text[10:-9]))
        for mark in marks:
            if mark.repository not in OF_SECRETS:
                print(
                    mark.repository,
                    mark.path,
                    mark.line,
                    mark.kind,
                    "judged" if mark.is_judged else "",
                    mark.before[:160],
                )
