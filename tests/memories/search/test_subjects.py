"""Which memories in similar words are about different things."""

import pytest

from repomem.core.records import Anchor, MemoryContent, MemoryKind
from repomem.core.types.text import CleanText
from repomem.memories.search.replacements import may_replace
from repomem.memories.search.subjects import have_different_subjects


def said(text: str, scope: str = "", on: str = "") -> MemoryContent:
    path, _, symbol = on.partition(":")
    anchors = (Anchor(path, symbol),) if on else ()
    return MemoryContent(MemoryKind.FACT, CleanText(text), scope=(scope,) if scope else (), anchors=anchors)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Staging runs Postgres 14", "Production runs Postgres 16"),
        ("The retry limit of the mailer is 5", "The retry limit of the importer is 7"),
        ("API handlers must check the tenant before the query", "Jobs must check the tenant after the query"),
        ("Load balancers of staging come from 10.20.0.0/16", "Load balancers of production come from 10.40.0.0/16"),
        ("On macOS the tests need GNU sed", "On Windows the tests now need Git Bash"),
        (
            "Parsing the lock file (2 MB) takes 410 ms on a laptop",
            "Dumping the lock file (2 MB) takes 95 ms on a server",
        ),
        (
            "The mail queue is called outbox and keeps 5 days",
            "The audit queue of the API is called audit and keeps 9 days",
        ),
    ],
)
def test_the_same_frame_with_another_subject_and_another_value_is_no_change(earlier: str, later: str) -> None:
    assert have_different_subjects(earlier, later)
    assert not may_replace(said(earlier), said(later))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The mailer times out after 30 seconds", "The mailer now times out after 90 seconds"),
        ("Redis is the cache of sessions", "Memcached is the cache of sessions"),  # the value comes first
        ("Deploys happen on Tuesday at 10", "Deploys happen on Thursday at 14"),
        ("We use Postgres 14 in CI", "We use MySQL 8 in CI"),
        ("We use Redis for sessions and it expires in 5 days", "We use MySQL for sessions and it expires in 9 days"),
        ("Readers of the queue run on 5 hosts", "Readers of the queue run on 9 machines"),
        ("We run a pool of threads with 5 slots", "We run a pool of processes with 9 slots"),
        ("The weekly build of main keeps 5 logs", "The daily build of main now keeps 9 logs"),
        ("The old limit of uploads is 5 MB", "The new limit of uploads is 9 MB"),
        ("Uploads go through the queue", "Big uploads no longer use the queue"),
    ],
)
def test_another_value_of_the_same_subject_may_be_a_change(earlier: str, later: str) -> None:
    assert not have_different_subjects(earlier, later)
    assert may_replace(said(earlier), said(later))


@pytest.mark.parametrize(
    ("scope", "may"), [("src/jobs/**", False), ("src/**", True), ("src/api/v2/*.py", True), ("*.py", True)]
)
def test_of_two_scopes_without_a_common_folder_neither_changes_the_other(scope: str, may: bool) -> None:
    assert may_replace(said("Handlers log the tenant", "src/api/**"), said("Nothing logs the tenant", scope)) is may


def test_on_different_code_only_what_states_a_change_may_be_one() -> None:
    one, other = said("create answers 409", on="users.py:create"), said("create answers 410", on="orders.py:create")
    assert not may_replace(one, other)
    assert may_replace(one, said("create no longer answers 409", on="orders.py:create"))
    assert may_replace(said("get checks twice", on="a.py:Cache"), said("get checks once", on="a.py:Cache.get"))
