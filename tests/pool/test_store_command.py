"""`repomem store` as a process: streams, exit codes, and what it says."""

import json
import os

import pytest
from support.command_line import MakePlace, new_place

from pool.conftest import SECRET, Storage

KEPT = ("AWS_", "REPOMEM_STORE_URI", "LANCEDB_")


@pytest.fixture
def make_place(tmp_path_factory: pytest.TempPathFactory) -> MakePlace:
    return lambda sample: new_place(tmp_path_factory.mktemp("place"), sample)


def test_it_sets_up_tells_and_prunes(make_place: MakePlace, storage: Storage, s3: str) -> None:
    place = make_place("ledgerly")
    uri = storage.at(s3)
    environment = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    refused = place.run("store", "status", env=environment)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == f"error: {uri}: not set up yet: run repomem store init\n"
    unnamed = place.run("store", "init", env={**environment, "REPOMEM_STORE_URI": ""})
    assert (unnamed.code, unnamed.err.splitlines()[0]) == (1, "error: no shared storage is given")
    folder = place.run("store", "init", "/tmp/x", env=environment)
    assert folder.err.splitlines()[0] == "error: /tmp/x is a folder of this machine, not shared storage"
    nowhere = place.run("store", "prune", "--all", env={**environment, "REPOMEM_STORE_URI": ""})
    assert (nowhere.code, nowhere.err.splitlines()[0]) == (1, "error: no shared storage is configured")
    made = place.run("store", "init", uri, env=environment)
    assert (made.code, made.out, made.err) == (0, f"{uri} passed the test, and is now set up\n", "")
    again = place.run("store", "init", uri, env={**environment, "REPOMEM_STORE_URI": ""})
    assert again.out == f"{uri} was already set up, and works\n"
    assert again.err.startswith("hint: each user adds two lines to ")
    status = place.run("store", "status", "--format", "json", env=environment)
    told = json.loads(status.out)
    assert (told["schema"], told["uri"], told["tables"], told["failure"]) == ("repomem.store/1", uri, [], "")
    asked = place.run("store", "prune", "--all", env=environment)
    assert (asked.code, asked.err.splitlines()[0]) == (1, "error: nothing was deleted")
    assert place.run("store", "prune", "--all", "--yes", env=environment).out == "nothing to delete\n"
    assert SECRET not in refused.err + made.out + again.err + status.out + asked.err
