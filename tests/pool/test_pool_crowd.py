"""Many writers at once, some of them killed: what was kept is there, once, and nothing else."""

import asyncio
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from lancedb.db import AsyncConnection
from obstore import list as listed, put

from pool.pool_writer import BATCH, entry_of
from repomem.pool.marker import objects
from repomem.pool.schema import ENTRIES, TableName
from repomem.pool.tables import Pool

HERE = Path(__file__).parent
GIVEN = 30  # entries of each writer


def start(uri: str, writer: str, first: int) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    command = [sys.executable, str(HERE / "pool_writer.py"), uri, writer, str(first), str(GIVEN)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("writers", [2, 8])
def test_fault_16_writers_at_once_lose_nothing_and_double_nothing(pool: str, writers: int) -> None:
    # pairs are two processes of one machine, which write to one table; every second one says what its neighbour says
    crowd = [start(pool, f"{number // 2:016x}", GIVEN * (number // 2)) for number in range(writers)]
    doomed = random.Random(writers).sample(crowd, writers // 3)
    for process in doomed:
        assert process.stdout
        process.stdout.readline()
        time.sleep(random.Random(process.pid).random() / 4)
        process.kill()
    printed = [process.communicate(timeout=120)[0] for process in crowd]
    assert [process.returncode for process in crowd if process not in doomed] == [0] * (writers - len(doomed))
    kept = {int(number) for out in printed for number in out.split()}
    everything = {at.to_bytes(20, "big") for at in range(GIVEN * writers)}
    with closing(Pool.open(pool, "crowd", "f" * 16)) as told:
        found = told.find_entries("1.a", everything)
        assert found.faults == []
        acknowledged = {at.to_bytes(20, "big") for number in kept for at in range(number, number + BATCH)}
        assert acknowledged <= set(found.places)
        places = {key: each[0] for key, each in found.places.items()}
        assert told.entries(places) == {key: entry_of(key) for key in places}
        assert len({name.writer for name in told.names}) == (writers + 1) // 2


def given(uri: str, writer: str, number: int) -> None:
    """One batch of a process."""
    with closing(Pool.open(uri, "crowd", writer)) as one:
        one.add_entries("1.a", {at.to_bytes(20, "big"): entry_of(bytes([at])) for at in range(number, number + BATCH)})


def test_of_two_that_begin_at_once_one_makes_the_table(pool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    create = AsyncConnection.create_table

    async def slow(self: AsyncConnection, name: str, *arguments: object, **options: object) -> object:
        made.append(name)
        await asyncio.sleep(0.5)  # the other one looks for the table meanwhile
        return await create(self, name, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(AsyncConnection, "create_table", slow)
    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda number: given(pool, "a" * 16, number), [0, BATCH]))
    with closing(Pool.open(pool, "crowd", "f" * 16)) as told:
        assert len(told.find_entries("1.a", {at.to_bytes(20, "big") for at in range(2 * BATCH)}).places) == 10
    assert len(made) == 1


def test_a_table_of_which_there_is_but_a_folder_is_made(pool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repomem.pool.tables.MAKING_LOOKS", 1)
    name = TableName(ENTRIES, "1.a", "a" * 16)
    put(objects(pool), f"crowd/{name}.lance/_transactions/0-begun.txn", b"")  # the first that is written of one
    with closing(Pool.open(pool, "crowd", "a" * 16)) as one:
        assert one.names == [name]
    given(pool, "a" * 16, 0)
    with closing(Pool.open(pool, "crowd", "f" * 16)) as told:
        assert [each.rows for each in told.facts()] == [BATCH]


def test_a_table_that_is_listed_before_it_is_made_is_waited_for(pool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    create = AsyncConnection.create_table

    async def slow(self: AsyncConnection, name: str, *arguments: object, **options: object) -> object:
        made.append(name)
        put(objects(pool), f"crowd/{name}.lance/_transactions/0-begun.txn", b"")
        with ThreadPoolExecutor(1) as other:  # begins when the folder is there, and goes on when the table is
            asked = other.submit(given, pool, "a" * 16, BATCH)
            await asyncio.sleep(0.5)
            table = await create(self, name, *arguments, **options)  # type: ignore[arg-type]
            await asyncio.to_thread(asked.result)
        return table

    monkeypatch.setattr(AsyncConnection, "create_table", slow)
    given(pool, "a" * 16, 0)
    with closing(Pool.open(pool, "crowd", "f" * 16)) as told:
        assert [each.rows for each in told.facts()] == [2 * BATCH]
    assert len(made) == 1


def test_a_table_whose_maker_was_killed_is_made_by_the_next_and_its_claim_goes_with_it(
    pool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repomem.pool.tables.MAKING_LOOKS", 1)
    put(objects(pool), f"crowd/{TableName(ENTRIES, '1.a', 'a' * 16)}.claim", b"")
    given(pool, "a" * 16, 0)
    with closing(Pool.open(pool, "crowd", "a" * 16)) as one:
        [name] = one.names
        assert [each.rows for each in one.facts()] == [BATCH]
        one.drop([name])
    assert [each["path"] for page in listed(objects(pool), prefix="crowd") for each in page] == []
