"""Storage that is not what it should be: it is refused, or the index goes on without it, within its deadline."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from obstore import put

from pool.conftest import SECRET, Storage, Team, indexed
from pool.pool_writer import DEADLINES
from pool.servers import forbidding, forgetful, gone, silent
from repomem.core.errors import ConfigError, StoreError
from repomem.core.packages import install_hint
from repomem.pool.admin import pool_status, set_up_pool
from repomem.pool.marker import MARK, objects
from repomem.workspace.workspace import opened

DEADLINE = 0.6  # seconds, instead of five
Serve = Callable[[], AbstractContextManager[str]]


@pytest.fixture
def hurried(storage: Storage) -> None:
    for name in DEADLINES:
        storage.patch.setattr(f"repomem.pool.tables.{name}", DEADLINE)
    storage.patch.setattr("repomem.pool.admin.SETUP_SECONDS", 5 * DEADLINE)


def test_fault_16_storage_that_ignores_conditions_is_refused_and_gets_no_mark(storage: Storage, team: Team) -> None:
    folder = team.clone("first")
    with forgetful() as address, opened(folder, os.environ) as workspace:
        uri = storage.at(address)
        with pytest.raises(StoreError) as refused:
            set_up_pool(workspace, uri)
        assert refused.value.message == f"{uri} overwrites existing files despite conditional writes"
        assert "S3, R2, MinIO" in refused.value.hint
        assert indexed(folder)[1] == [
            f"continued without shared storage: {uri}: not set up yet: run repomem store init"
        ]


@pytest.mark.parametrize(
    ("serve", "said"),
    [(silent, "no answer within"), (gone, "sending request: Connection refused"), (forbidding, "necessary privileges")],
    ids=["silent", "gone", "forbidding"],
)
def test_fault_16_an_index_goes_on_without_storage_and_tells_no_secret(
    storage: Storage, team: Team, serve: Serve, said: str, request: pytest.FixtureRequest
) -> None:
    folder = team.clone("first")
    if serve is silent:  # others answer, on a busy machine late
        request.getfixturevalue("hurried")
    with serve() as address:
        uri = storage.at(address)
        report, told = indexed(folder)
        assert (report.state, report.taken, report.missing_files) == ("indexed", 0, 0)
        assert all(notice.startswith(f"continued without shared storage: {uri}: ") for notice in told)
        assert said in told[0]
        assert SECRET not in str(told)
        assert os.environ["AWS_ACCESS_KEY_ID"] not in str(told)
        with opened(folder, os.environ) as workspace, pytest.raises(StoreError):
            set_up_pool(workspace, uri)


@pytest.mark.usefixtures("hurried")
def test_fault_16_storage_that_never_answers_costs_its_deadline_once(storage: Storage, team: Team) -> None:
    folder = team.clone("first")
    with silent() as address:
        storage.at(address)
        start = time.monotonic()
        _, told = indexed(folder)
        silent_seconds = time.monotonic() - start
    storage.off()
    start = time.monotonic()
    indexed(team.clone("second"))
    assert len(told) == 1
    assert silent_seconds < 10 * DEADLINE + 3 * (time.monotonic() - start)  # no test asserts a time: this is a bound


def test_fault_16_a_bucket_that_is_not_there_is_named(storage: Storage, team: Team, s3: str) -> None:
    folder = team.clone("first")
    uri = storage.at(s3, "no-such-bucket")
    with opened(folder, os.environ) as workspace, pytest.raises(StoreError, match="no-such-bucket") as refused:
        set_up_pool(workspace, uri)
    assert refused.value.hint == "check store.uri: repomem config"


def test_fault_15_a_pool_of_a_newer_format_is_left_alone(storage: Storage, team: Team, s3: str) -> None:
    folder = team.clone("first")
    uri = storage.at(s3)
    put(objects(uri), MARK, b'{"format": 2}')
    newer = "the shared storage there has format 2; this repomem supports 1 (upgrade repomem)"
    assert indexed(folder)[1] == [f"continued without shared storage: {uri}: {newer}"]
    put(objects(uri), MARK, b"somebody else's")
    with opened(folder, os.environ) as workspace, pytest.raises(StoreError, match="was not written by repomem"):
        pool_status(workspace)


@pytest.mark.parametrize(
    "uri",
    [
        "ftp://host/x",
        "s3://key:secret@bucket/x",
        "s3://",
        "s3://bucket?token=abc",
        "s3+ddb://bucket/x",
        "https://x/y",
        "db://x",
    ],
)
def test_an_address_that_is_none_is_refused_and_not_repeated(
    storage: Storage, team: Team, monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    monkeypatch.setenv("REPOMEM_STORE_URI", uri)
    with opened(team.clone("first"), os.environ) as workspace, pytest.raises(ConfigError) as refused:
        pool_status(workspace)
    assert "secret" not in refused.value.message
    assert "token" not in refused.value.message


def test_without_the_extra_the_index_says_how_to_install_it(
    storage: Storage, team: Team, s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = storage.at(s3)
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    said = f"{uri} needs obstore, which is not installed ({install_hint('pool')})"
    assert indexed(team.clone("first"))[1] == [f"continued without shared storage: {said}"]
