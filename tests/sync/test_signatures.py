"""Writers sign what they share; a line under the id of one who signs counts only with the same key."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from support.memory_scenes import git
from support.samples import workspace_at
from support.sync_team import REF, Team

from repomem.adapters.ledger.lines import line_of
from repomem.adapters.ledger.ref import scratch_for, write_lines
from repomem.adapters.ledger.shared_lines import SharedLine, lines_in, shared_line, signed_bytes
from repomem.adapters.signatures.ed25519 import is_valid, key_of, signed
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.sync.remotes import push_ledger
from repomem.workspace.user.writer_id import writer_id
from repomem.workspace.writer_trust import known_keys

pytest_plugins = ("support.sync_team",)

REAL, FORGED = "Amounts are integers of cents", "Amounts may be floats"
OTHER_SEED = b"\7" * 32


def a_rule(text: str, name: str = "") -> Record:
    origin = Origin("2026-11-22T10:00:00Z", "ana", Source.PERSON)
    return Record(name or new_ulid(), Event.REMEMBER, origin, said=MemoryContent(MemoryKind.RULE, CleanText(text)))


def lines_of(team: Team) -> list[SharedLine]:
    """The lines on the hub."""
    listed = git(team.hub, "ls-tree", "-r", "--name-only", REF).splitlines()
    files = [path for path in listed if path.startswith("writers/")]
    return [
        one
        for path in files
        for one in lines_in(path.split("/")[1], (git(team.hub, "show", f"{REF}:{path}") + "\n").encode())
    ]


def pushed(team: Team, change: Callable[[list[SharedLine]], list[SharedLine]]) -> None:
    """Have somebody with push access replace the lines on the hub."""
    lines = sorted(change(lines_of(team)), key=lambda each: (each.writer, each.id))
    with (
        team.user("eve") as eve,
        workspace_at(eve) as workspace,
        scratch_for(workspace.repository, workspace.folder / "sync") as scratch,
    ):
        old = git(team.hub, "rev-parse", REF)
        assert push_ledger(scratch, "origin", old, write_lines(scratch.repository, lines)) == ""


def test_a_record_that_is_shared_is_signed_by_its_writer_and_twice_the_same(team: Team) -> None:
    team.remember("ana", REAL)
    team.sync("ana")
    first = git(team.hub, "rev-parse", REF)
    [line] = lines_of(team)
    assert line.record
    assert len(line.record.signature) == 43 + 1 + 86
    team.sync("ana")
    assert git(team.hub, "rev-parse", REF) == first


def test_a_sync_shows_the_key_and_the_first_one_is_kept(team: Team) -> None:
    team.remember("ana", REAL)
    team.sync("ana")
    [line] = lines_of(team)
    assert line.record
    [writer] = team.sync("ben").writers
    assert writer.key == key_of(line.record.signature)
    with team.user("ben") as ben, workspace_at(ben) as workspace:
        assert known_keys(workspace) == {writer.id: writer.key}


@pytest.mark.parametrize("is_signed", [False, True])
def test_only_the_key_holder_can_write_under_a_signing_writers_id(team: Team, *, is_signed: bool) -> None:
    team.remember("ana", REAL)
    team.sync("ana")
    team.sync("ben")
    team.trust("ben")
    with team.user("ana"):
        ana = writer_id()
    sign = (lambda data: signed(OTHER_SEED, data)) if is_signed else None
    pushed(team, lambda lines: [*lines, shared_line(ana, a_rule(FORGED), sign)])

    done = team.sync("ben")

    assert (done.received, done.refused) == (0, 1)
    assert team.texts("ben") == {REAL}


@pytest.mark.parametrize("is_signed", [False, True])
def test_no_one_else_can_write_under_the_users_id_even_before_it_signed(team: Team, *, is_signed: bool) -> None:
    team.remember("ben", REAL)
    team.sync("ben")
    with team.user("ana"):
        ana = writer_id()
    sign = (lambda data: signed(OTHER_SEED, data)) if is_signed else None
    pushed(team, lambda lines: [*lines, shared_line(ana, a_rule(FORGED), sign)])
    done = team.sync("ana")
    assert (done.received, done.refused, team.texts("ana")) == (1, 1, {REAL})


def test_a_line_that_somebody_changed_does_not_count(team: Team) -> None:
    team.remember("ana", REAL)
    team.sync("ana")

    def changed(lines: list[SharedLine]) -> list[SharedLine]:
        [line] = lines
        assert line.record
        assert line.record.said
        record = replace(line.record, said=replace(line.record.said, text=CleanText(FORGED)))
        return [replace(line, record=record, line=line_of(record))]

    pushed(team, changed)
    done = team.sync("ben")
    assert (done.received, done.refused, team.texts("ben")) == (0, 1, set())


def test_a_signature_is_valid_for_one_writer_id_only(team: Team) -> None:
    team.remember("ana", REAL)
    team.sync("ana")
    pushed(team, lambda lines: [replace(each, writer="0" * 16) for each in lines])
    assert (team.sync("ben").refused, team.texts("ben")) == (1, set())


def test_of_two_records_with_one_id_the_signed_one_wins(team: Team) -> None:
    name = team.remember("ana", REAL)
    team.sync("ana")
    pushed(team, lambda lines: [*lines, shared_line("0" * 16, a_rule(FORGED, name))])
    team.sync("ben")
    assert team.texts("ben") == {REAL}


def test_unsigned_lines_are_read_as_before(team: Team) -> None:
    team.remember("ana", REAL)
    team.sync("ana")
    pushed(team, lambda lines: [replace(each, record=None, line=unsigned(each)) for each in lines])
    done = team.sync("ben")
    assert (done.received, done.refused, [each.key for each in done.writers]) == (1, 0, [""])
    assert team.texts("ben") == {REAL}


def test_a_clone_passes_on_a_signature_after_the_remote_lost_it(team: Team) -> None:
    team.remember("ana", REAL)
    team.sync("ana")
    team.sync("ben")
    before = lines_of(team)
    git(team.hub, "update-ref", "-d", REF)
    team.sync("ben")
    assert [each.line for each in lines_of(team)] == [each.line for each in before]
    assert team.sync("cem").refused == 0


def test_a_field_of_a_later_version_is_part_of_what_is_signed() -> None:
    line = shared_line("0" * 16, a_rule(REAL), lambda data: signed(OTHER_SEED, data)).line
    fields = json.loads(line.partition(b" ")[2])
    more = b"00000000 " + json.dumps({**fields, "mood": "sad"}).encode() + b"\n"
    assert is_valid(fields["sig"], signed_bytes("0" * 16, line))
    assert not is_valid(fields["sig"], signed_bytes("0" * 16, more))


@pytest.mark.parametrize(
    "signature", ["", ".", "a.b", "é.ü", "A" * 43 + "." + "A" * 86, "A" * 44, "A" * 43 + "=." + "A" * 86]
)
def test_a_malformed_signature_is_invalid(signature: str) -> None:
    assert not is_valid(signature, b"data")


def unsigned(line: SharedLine) -> bytes:
    assert line.record
    return line_of(replace(line.record, signature=""))
