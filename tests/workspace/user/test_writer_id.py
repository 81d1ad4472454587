"""The id of who writes: made once, kept for its user alone."""

import os
import re
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from repomem.workspace.user.writer_id import writer_id


def kept(home: Path) -> Path:
    return home / ".local/share/repomem/writer"


def test_the_id_is_made_once_and_private_to_the_user(sealed_environment: Path) -> None:
    first = writer_id()
    assert re.fullmatch(r"[0-9a-f]{16}", first)
    assert writer_id() == first
    assert kept(sealed_environment).read_text() == first + "\n"
    assert kept(sealed_environment).stat().st_mode & 0o777 == 0o600


def test_processes_that_begin_together_agree() -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
        assert len(set(processes.map(_asked, range(8)))) == 1


def _asked(_: int) -> str:
    return writer_id()


@pytest.mark.parametrize("content", ["", "short\n", "../../../etc/passwd\n", "0123456789ABCDEF\n"])
def test_a_file_that_holds_no_id_is_rewritten(sealed_environment: Path, content: str) -> None:
    kept(sealed_environment).write_text(content)
    made = writer_id()
    assert re.fullmatch(r"[0-9a-f]{16}", made)
    assert writer_id() == made


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="root writes wherever it likes")
def test_an_id_that_cannot_be_stored_is_new_each_time(sealed_environment: Path) -> None:
    kept(sealed_environment).parent.chmod(0o500)
    assert writer_id() != writer_id()


def test_the_id_is_new_each_time_if_its_folder_cannot_be_made(sealed_environment: Path) -> None:
    shutil.rmtree(kept(sealed_environment).parent)
    kept(sealed_environment).parent.write_text("a file stands here")
    assert writer_id() != writer_id()
