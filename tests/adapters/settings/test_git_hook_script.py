"""Lines of ours in a hook: they go in behind the first line and come out again, and leave the rest as it was."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from repomem.adapters.settings.git_hook_script import (
    EVENTS,
    MOST_BYTES,
    NEW_SCRIPT,
    Block,
    Made,
    block_in,
    is_written_as,
    refusal,
    with_block,
    without_block,
)

SHAPES = Path(__file__).parents[3] / "fixtures" / "hooks"
PROGRAM = ("/opt/repomem/bin/python", "-P", "-m", "repomem")
BLOCK = Block("post-commit", PROGRAM)


def later(script: bytes) -> bytes:
    """As another version would have written it."""
    return script.replace(b"# >>> repomem hooks 4", b"# >>> repomem hooks 7").replace(b"umask 077", b"umask 007")


@pytest.mark.parametrize("name", sorted(path.name for path in SHAPES.iterdir()))
def test_fault_29_a_script_comes_back_byte_by_byte(name: str) -> None:
    script = (SHAPES / name).read_bytes()
    assert without_block(with_block(script, BLOCK)) == script


@given(st.binary(max_size=200), st.sampled_from([b"#!/bin/sh", b"#!/usr/bin/env bash", b""]), st.sampled_from(Made))
def test_fault_29_any_bytes_come_back(rest: bytes, first: bytes, made: Made) -> None:
    script = first + b"\n" + rest if rest else first
    extended = with_block(script, Block("post-merge", PROGRAM, made))
    assert without_block(extended) == script
    assert with_block(extended, Block("post-merge", PROGRAM, made)) == extended


@pytest.mark.parametrize("made", Made)
@pytest.mark.parametrize("program", [PROGRAM, ('/a b/it\'s "py" $x `y`\nz\\',), ("/\udcff/python", "-P")])
def test_hook_lines_encode_their_options(program: tuple[str, ...], made: Made) -> None:
    block = Block("post-rewrite", program, made)
    script = with_block(NEW_SCRIPT, block)
    assert block_in(script, "post-rewrite") == block
    assert is_written_as(script, block)


def test_hook_lines_follow_the_first_line_once() -> None:
    script = b"#!/bin/sh\nexit 0\n"
    twice = with_block(with_block(script, Block("post-commit", ("/old",))), BLOCK)
    assert twice.startswith(b"#!/bin/sh\n# >>> repomem hooks ")
    assert (twice.count(b"\n# >>>"), twice.count(b"\n# <<<")) == (1, 1)
    assert twice.endswith(b"\n# <<< repomem hooks <<<\nexit 0\n")


def test_lines_of_another_version_are_known_and_replaced() -> None:
    script = later(with_block(b"#!/bin/sh\ntrue\n", BLOCK))
    found = block_in(script, "post-commit")
    assert found == BLOCK
    assert not is_written_as(script, BLOCK)
    assert with_block(script, BLOCK) == with_block(b"#!/bin/sh\ntrue\n", BLOCK)
    assert without_block(script) == b"#!/bin/sh\ntrue\n"


def test_a_script_without_our_lines_has_no_block() -> None:
    assert block_in(b"#!/bin/sh\n# repomem hooks\n", "post-commit") is None


@pytest.mark.parametrize(
    "first",
    [
        *("#!/bin/sh", "#! /bin/sh ", "#!/bin/sh -e", "#!/bin/bash -eu", "#!/usr/bin/env sh"),
        *("#!/usr/bin/env -S bash -e", "#!/usr/local/bin/zsh", "#!/bin/dash", "#!/nix/store/x-bash-5/bin/bash -p"),
    ],
)
def test_a_shell_script_may_be_extended(first: str) -> None:
    assert refusal(f"{first}\ntrue\n".encode()) == ""
    assert refusal(with_block(f"{first}\ntrue\n".encode(), BLOCK)) == ""


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (b"", "it has no #! line"),
        (b"true\n", "it has no #! line"),
        (b"\xef\xbb\xbf#!/bin/sh\n", "it has no #! line"),
        (b"#!/bin/sh\r\ntrue\r\n", "it has carriage returns"),
        (b"#!/bin/sh\n\0", "it is not text"),
        (b"#!/bin/sh\n# Gr\xfc\xdfe\n", "it is not text"),
        (b"#!/bin/sh\n" + b"#" * MOST_BYTES, "it is larger than 256 KB"),
        (b"#!/usr/bin/python3\n", "it is run by /usr/bin/python3, not by plain sh, bash, dash or zsh"),
        (b"#!/usr/bin/fish\n", "it is run by /usr/bin/fish, not by plain sh, bash, dash or zsh"),
        (b"#!/bin/sh -v\n", "it is run by /bin/sh -v, not by plain sh, bash, dash or zsh"),
        (b"#!/bin/sh -ex\n", "it is run by /bin/sh -ex, not by plain sh, bash, dash or zsh"),
        (b"#!/bin/bash -c true\n", "it is run by /bin/bash -c true, not by plain sh, bash, dash or zsh"),
        (b"#!/bin/sh\n# >>> repomem hooks 4 >>>\ntrue\n", "the end of repomem's block in it is missing"),
    ],
)
def test_in_doubt_a_script_is_left_alone(script: bytes, reason: str) -> None:
    assert refusal(script) == reason


@pytest.mark.parametrize("event", EVENTS)
def test_the_lines_are_plain_shell(event: str) -> None:
    text = Block(event, PROGRAM).text
    assert text.isascii()
    for bashism in (b"[[", b"local ", b"function ", b"&>", b"<<<$", b"$'", b"source "):
        assert bashism not in text


def test_a_block_of_the_first_version_is_recognised_replaced_and_removed() -> None:
    script = b"#!/bin/sh\necho ours\n"
    old = with_block(script, BLOCK).replace(b"repomem hooks 4 >>>", b"repomem hooks 1 >>>")
    first, comment, *rest = old.split(b"\n# ", 2)
    line, below = rest[0].split(b"\n", 1)
    old = b"\n".join([first, b"# " + comment, b"# Tells repomem of commits. REPOMEM=0 switches it off.", below])
    assert line.startswith(b"Updates repomem's index")
    assert block_in(old, "post-commit") == BLOCK
    assert not is_written_as(old, BLOCK)
    assert with_block(old, BLOCK) == with_block(script, BLOCK)
    assert without_block(old) == script
