"""Processes that write memories, killed at random moments by SIGKILL: is all there that they said was kept?

Three processes at a time remember, supersede, confirm, forget, purge, note, import, consolidate, index, watch and run
git's hook in one repository, and say so once each call has returned. Each is killed at a moment of its own. Then every
record that was acknowledged must be in every copy of the ledger, once; what was purged must be gone; no copy may need
mending; and in the end nothing may be broken.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import results
from benchmarks.inputs import git
from benchmarks.processes import repomem, run
from repomem.adapters.ledger.file import FILE
from repomem.adapters.ledger.lines import plain
from repomem.core.errors import RepomemError
from repomem.core.records import Event, MemoryContent, MemoryKind, Record, digest_of_id
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.memories.forget import forget
from repomem.memories.ledger_files import import_lines, verify_copies
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.review import confirm
from repomem.memories.search.search_documents import documents_of
from repomem.memories.snapshots.snapshot import memories_now
from repomem.sessions.lifecycle import note, start
from repomem.workspace.ledger import Speaker, ledger_of, origin_of
from repomem.workspace.workspace import Workspace, opened

__all__ = ["documents_of", "main"]  # imported before the fork, so that the children need not

AT_ONCE = 3
ROUNDS_IN_ONE = 15  # in one repository: a ledger of thousands of records would slow all down
LONGEST = 3.0  # seconds until the kill; a deed takes about a tenth of one, indexing one or two, more where it is busy
NOT_DONE = frozenset({"purging", "failed", "refused"})
PERSON, AGENT = Speaker(is_person=True), Speaker(tool="benchmark")
CODE = "def retry(times):\n    delay = 1\n    for _ in range(times):\n        delay *= 2\n    return delay\n"


@dataclass(slots=True)
class Acknowledged:
    """What the killed processes said was done; ids, but `about` has (event, target)."""

    kept: dict[str, str] = field(default_factory=dict)  # id to text, empty where it has none of its own
    about: set[tuple[str, str]] = field(default_factory=set)
    purging: set[str] = field(default_factory=set)  # begun, whether or not it ended
    purged: dict[str, str] = field(default_factory=dict)
    deeds: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    @property
    def free(self) -> list[tuple[str, str]]:
        """Id and text of the memories that nobody has begun to purge."""
        return [(name, text) for name, text in self.kept.items() if text and name not in self.purging]

    def add(self, line: str) -> None:
        """One line of a process; a line that was cut off acknowledges nothing."""
        deed, name, text = json.loads(line)
        self.deeds[deed] += 1
        if deed == "failed":
            self.failures.append(text)
        elif deed == "purging":
            self.purging.add(name)
        elif deed == "purge":
            self.purged[name] = text
        elif deed in {Event.CONFIRM.value, Event.FORGET.value}:
            self.about.add((deed, name))
        elif deed != "refused" and name:
            self.kept[name] = text


@dataclass(frozen=True, slots=True)
class Round:
    """Kills at about the same time, and what was found after them."""

    seconds: list[float]
    acknowledged: int  # since the repository was made
    lost: int
    doubled: int
    came_back: int  # of what was purged
    unsound: int  # copies that lacked something or held bad lines after the next writer
    files: int  # beside the ledger, but for LanceDB's


@dataclass(slots=True)
class Figures:
    """What all rounds came to."""

    seed: int
    deeds: dict[str, int] = field(default_factory=dict)
    residue: int = 0  # files in which a purged text was found in the end
    broken: int = 0  # repositories of which `repomem doctor` says so in the end
    failures: list[str] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill, look, and keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks memory-kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    figures = measured(given.kills, given.seed)
    results.save("memory-kills", results.machine(), asdict(figures))
    print(results.table(["", "count"], [list(each) for each in counts(figures).items()]))


def measured(kills: int, seed: int) -> Figures:
    """Kill that many processes, and see what was lost."""
    chance, found, left = random.Random(seed), Figures(seed), kills // AT_ONCE
    deeds: Counter[str] = Counter()
    while left > 0:
        with TemporaryDirectory() as work:
            done, said, residue, broken = _repository_of_rounds(Path(work), min(left, ROUNDS_IN_ONE), chance)
        deeds, left = deeds + said.deeds, left - len(done)
        found.rounds += done
        found.failures += said.failures
        found.residue += residue
        found.broken += broken
        lost = sum(each.lost for each in found.rounds)
        print(f"{len(found.rounds) * AT_ONCE} of {kills} kills, {lost} lost", file=sys.stderr, flush=True)
    found.deeds = dict(sorted(deeds.items()))
    return found


def counts(figures: Figures) -> dict[str, int]:
    """What the rounds came to."""
    rounds = figures.rounds
    return {
        "kills": len(rounds) * AT_ONCE,
        "deeds acknowledged": sum(count for deed, count in figures.deeds.items() if deed not in NOT_DONE),
        "deeds that failed": len(figures.failures),
        "lost": sum(each.lost for each in rounds),
        "there twice": sum(each.doubled for each in rounds),
        "purged, and there again": sum(each.came_back for each in rounds) + figures.residue,
        "copies that stayed unsound": sum(each.unsound for each in rounds),
        "broken, as doctor has it": figures.broken,
        "most files beside the ledger": max((each.files for each in rounds), default=0),
    }


def _repository_of_rounds(work: Path, rounds: int, chance: random.Random) -> tuple[list[Round], Acknowledged, int, int]:
    """Some rounds in one new repository; in the end the files that hold a purged text, and whether it is broken."""
    home, folder = work / "home", work / "repository"
    for each in (home, folder, work / "tmp"):
        each.mkdir()
    os.environ.update(HOME=str(home), XDG_DATA_HOME=str(home / "data"), TMPDIR=str(work / "tmp"))
    git(folder, "init", "-q")
    (folder / "net.py").write_text(CODE)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "net")
    run(repomem("index", "--quiet"), folder)
    run(repomem("hooks", "install"), folder)
    said = Acknowledged()
    done = [_round(folder, said, chance) for _ in range(rounds)]
    run(repomem("index", "--quiet"), folder)
    run(repomem("recall", "retry"), folder)
    is_sound = subprocess.run(repomem("doctor"), cwd=folder, capture_output=True, check=False).returncode == 0
    return done, said, _residue(work, said), not is_sound


def _round(folder: Path, said: Acknowledged, chance: random.Random) -> Round:
    seconds = [chance.uniform(0.0, LONGEST) for _ in range(AT_ONCE)]
    shares = [said.free[place::AT_ONCE] for place in range(AT_ONCE)]  # nobody purges what another speaks of
    started = [_started(folder, chance.randrange(1 << 30), share) for share in shares]
    begun = time.monotonic()
    for at, (process, _) in sorted(zip(seconds, started, strict=True)):
        time.sleep(max(0.0, at - (time.monotonic() - begun)))
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
    for _, pipe in started:
        with os.fdopen(pipe) as told:
            for line in told:
                if line.endswith("\n"):
                    said.add(line)
    return _looked_at(folder, said, seconds)


def _looked_at(folder: Path, said: Acknowledged, seconds: list[float]) -> Round:
    with opened(folder, os.environ) as workspace:
        first = ledger_of(workspace).records()
        ledger_of(workspace).settle()
        copies = verify_copies(workspace)
        lines = [(copy.folder / FILE).read_bytes().splitlines() for copy in copies]
    there = {record.id for record in first}
    wanted = said.kept.keys() - said.purging
    about = {(r.event.value, target) for r in first for target in r.targets}
    missing = wanted - there
    missing |= {name for event, name in said.about if name not in said.purging and (event, name) not in about}
    doubled = sum(len(each) - len({_id_in(line) for line in each}) for each in lines)
    back = sum(name in there for name in said.purged)
    back += sum(digest_of_id(name) not in {t for event, t in about if event == Event.PURGE} for name in said.purged)
    unsound = sum(bool(copy.missing or copy.bad_lines) for copy in copies) + (bool(first) and len(copies) < 2)
    files = [path for path in workspace.folder.rglob("*") if path.is_file() and "store" not in path.parts]
    return Round(seconds, len(wanted), len(missing), doubled, back, unsound, len(files))


def _id_in(line: bytes) -> str:
    return str(json.loads(line.partition(b" ")[2])["id"])


def _residue(work: Path, said: Acknowledged) -> int:
    """In how many files a purged text, which is like no other, can still be read."""
    texts = [text.encode() for text in said.purged.values() if text]
    data = [path.read_bytes() for path in work.rglob("*") if path.is_file()]
    return sum(any(text in each for text in texts) for each in data)


# The processes that are killed


def _started(folder: Path, seed: int, mine: list[tuple[str, str]]) -> tuple[int, int]:
    """A process of its own group that writes until it is killed; its id, and what it says."""
    out, into = os.pipe()
    process = os.fork()
    if process:
        os.setpgid(process, process)  # here, since it may be killed before it does anything
        os.close(into)
        return process, out
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        _write_for_ever(folder, random.Random(seed), mine, into)
    finally:
        os._exit(1)


def _write_for_ever(folder: Path, chance: random.Random, mine: list[tuple[str, str]], into: int) -> None:
    def tell(deed: str, name: str = "", text: str = "") -> None:
        os.write(into, json.dumps([deed, name, text]).encode() + b"\n")

    deeds = list(DEEDS)
    while True:
        deed = chance.choices(deeds, [DEEDS[each][1] for each in deeds])[0]
        try:
            with opened(folder, os.environ) as workspace:
                DEEDS[deed][0](_Writer(workspace, chance, mine, tell))
        except RepomemError as error:  # the other process forgot the memory, or ended the session
            tell("refused", "", f"{deed}: {error.message}")
        except Exception as error:  # noqa: BLE001  # told, and the next deed is done
            tell("failed", "", f"{deed}: {error!r}")


@dataclass(frozen=True, slots=True)
class _Writer:
    """What one deed works with; `mine` has the id and text of memories that it may change."""

    workspace: Workspace
    chance: random.Random
    mine: list[tuple[str, str]]
    tell: Callable[..., None]

    def text(self) -> str:
        return f"The {self.chance.randbytes(6).hex()} waits for {self.chance.randbytes(6).hex()}"

    def taken(self) -> tuple[str, str] | None:
        return self.mine.pop(self.chance.randrange(len(self.mine))) if self.mine else None


def _remember(it: _Writer) -> None:
    text, speaker = it.text(), it.chance.choice([PERSON, AGENT])
    outcome, _ = remember(it.workspace, NewMemory(text, on=("net.py:retry",) * it.chance.randrange(2)), speaker)
    it.tell("remember", outcome.id, text)
    it.mine.append((outcome.id, text))


def _supersede(it: _Writer) -> None:
    if old := it.taken():
        text = it.text()
        outcome, _ = remember(it.workspace, NewMemory(text, supersedes=(old[0],)), PERSON)
        it.tell("supersede", outcome.id, text)


def _forget(it: _Writer) -> None:
    old, known = it.taken(), memories_now(it.workspace)
    if old and old[0] in known.states:  # not forgotten before
        forget(it.workspace, known, old[0], PERSON, is_purge=False)
        it.tell("forget", old[0])


def _purge(it: _Writer) -> None:
    old, known = it.taken(), memories_now(it.workspace)
    if old and old[0] in known.states:
        it.tell("purging", old[0])
        forget(it.workspace, known, old[0], PERSON, is_purge=True)
        it.tell("purge", *old)


def _confirm(it: _Writer) -> None:
    if it.mine:
        name = it.chance.choice(it.mine)[0]
        confirm(it.workspace, [name], PERSON)
        it.tell("confirm", name)


def _note(it: _Writer) -> None:
    session, _ = start(it.workspace, AGENT, it.text())
    it.tell("session start", session.id)
    for _ in range(3):
        it.tell("session note", note(it.workspace, replace(AGENT, session=session.id), it.text())[1].id)


def _import(it: _Writer) -> None:
    origin = origin_of(it.workspace, AGENT)
    made = [
        Record(new_ulid(), Event.REMEMBER, origin, said=MemoryContent(MemoryKind.FACT, CleanText(text)))
        for text in (it.text(), it.text(), it.text())
    ]
    import_lines(it.workspace, [json.dumps(plain(record)).encode() for record in made])
    for record in made:
        it.tell("import", record.id)


def _index(it: _Writer) -> None:
    from repomem.index.run import index
    from repomem.workspace.run import Run

    (it.workspace.repository.top or Path()).joinpath("more.py").write_text(f"def more():\n    return '{it.text()}'\n")
    index(it.workspace, Run())
    it.tell("index")


def _hook(it: _Writer) -> None:
    """What git runs after a commit; the run that it starts is killed with it."""
    top = it.workspace.repository.top or Path()
    subprocess.run(["sh", top / ".git" / "hooks" / "post-commit"], cwd=top, check=True)
    time.sleep(it.chance.uniform(0.0, 2.0))
    it.tell("hook")


def _watch(it: _Writer) -> None:
    """A watcher that sees a change and starts a run, which outlives it."""
    top = it.workspace.repository.top or Path()
    with subprocess.Popen(repomem("watch", "--quiet"), cwd=top, stderr=subprocess.DEVNULL) as watcher:
        top.joinpath("watched.py").write_text(f"def watched():\n    return '{it.text()}'\n")
        time.sleep(it.chance.uniform(0.5, 2.5))
        watcher.kill()
    it.tell("watch")


def _consolidate(it: _Writer) -> None:
    from repomem.memories.consolidate.run import consolidate

    consolidate(it.workspace)
    it.tell("consolidate")


DEEDS: dict[str, tuple[Callable[[_Writer], None], float]] = {
    "remember": (_remember, 8.0),
    "supersede": (_supersede, 2.0),
    "forget": (_forget, 1.0),
    "purge": (_purge, 4.0),
    "confirm": (_confirm, 1.0),
    "note": (_note, 1.0),
    "import": (_import, 1.0),
    "index": (_index, 0.7),
    "consolidate": (_consolidate, 0.3),
    "hook": (_hook, 0.3),
    "watch": (_watch, 0.3),
}
