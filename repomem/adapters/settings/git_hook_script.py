"""The shell lines of repomem in a git hook: their text, and inserting and removing them. Pure.

They follow the `#!` line, since a script may end early by `exit` or `exec`, and run in a subshell, so that the script
keeps its variables, `set -e` and standard input. Removing them restores every byte of the script.
"""

import re
import shlex
from dataclasses import dataclass
from enum import StrEnum

from repomem.core.text.lazy_pattern import lazy_pattern

EVENTS = ("post-checkout", "post-commit", "post-merge", "post-rewrite")
VERSION = 4  # raised when the text below changes: an older one is then outdated
SPOOL = "hooks.spool"  # in the folder of the catalog: a line for each event, and the pairs of rewritten commits
PENDING = "hooks.pending"  # next to it: a run will start in a second
NEW_SCRIPT = b"#!/bin/sh\n"  # the script around our lines if there was no hook
MOST_BYTES = 256 << 10  # a longer script is a program that carries data
PUSH = "pre-push"  # only if the user asked for it: it shares the memories
CALL = ("index", "--quiet")
PUSH_CALL = ("sync", "--quiet")
UNLESS_REBASING = '[ -d "${GIT_DIR:-.git}/rebase-merge" ] || '  # post-rewrite runs at the end and lists all commits

_UNLESS_OFF = """\
    [ -x "$1" ] || exit 0
    case ${REPOMEM-}:${CI-} in 0:*) exit 0 ;; 1:* | *: | *:0 | *:[Ff]alse | *:FALSE) ;; *) exit 0 ;; esac
"""
# The last part does the slow work in the background: git waits for two forks, or for none during a rebase, where a
# hundred commits are a hundred hooks. Readers of git's output wait for the last holder of its streams, so these are
# redirected for the subshell; around it, the shell would keep copies. Descriptors 3 to 9 are closed, since otherwise
# the index run would also hold a lock that somebody holds through one of them (flock).
_BODY = """\
    case $event$third in
        post-checkout0) exit 0 ;;
        post-checkout1) [ "$first" != "$second" ] || exit 0 ;;
    esac
    folder=${GIT_DIR:-.git}
    if [ -f "$folder" ] && IFS= read -r line <"$folder"; then
        folder=${line#gitdir: }
    fi
    memory=$folder/repomem
    if IFS= read -r line <"$folder/commondir"; then
        case $line in /*) memory=$line/repomem ;; *) memory=$folder/$line/repomem ;; esac
    fi
    [ -f "$memory/catalog.sqlite" ] || exit 0
    umask 077
    echo "$event" >>"$memory/$spool" || exit 0
    if [ "$event" = post-rewrite ]; then # read stdin only if the script has no other lines
        number=0 opening='' last=''
        while IFS= read -r line || [ -n "$line" ]; do
            number=$((number + 1)) last=$line
            [ "$number" != 2 ] || opening=$line
        done <"$0"
        case $opening:$last in '# >>> repomem hooks '*:'# <<< repomem hooks <<<') cat >>"$memory/$spool" ;; esac
    fi
    goes_on() { # during a rebase or the like: its end is another event
        [ "$event$first" != post-rewriterebase ] || return 1
        [ -e "$folder/rebase-merge" ] || [ -e "$folder/rebase-apply" ] ||
            [ -e "$folder/sequencer" ] || [ -e "$folder/BISECT_LOG" ]
    }
    ! goes_on || exit 0
    {
        trap '' HUP
        pending=$memory/$pending
        [ ! -e "$pending" ] || [ -z "$(find "$pending" -mmin +1)" ] || rm -f "$pending"
        set -C
        printf '' >"$pending" || exit 0 # another hook has just scheduled a run
        sleep 1
        rm -f "$pending"
        [ -f "$memory/catalog.sqlite" ] || exit 0 # uninstalled meanwhile
        ! goes_on || exit 0
        unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_NAMESPACE
        unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_QUARANTINE_PATH
        ! command -v nice || set -- nice -n 10 "$@"
        exec "$@"
    } </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
) >/dev/null 2>&1 || :
"""
# Git pushes after this hook has ended, and a sync sends memories on commits that the remote has. So it waits for git,
# the parent process of the hook, for at most five minutes. The hook's input is left to the script.
_PUSH_BODY = """\
    {
        trap '' HUP
        unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_NAMESPACE
        unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_QUARANTINE_PATH
        turns=0
        while kill -0 "$push" && [ "$turns" -lt 300 ]; do
            turns=$((turns + 1))
            sleep 1
        done
        exec "$@" "$first"
    } </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
) >/dev/null 2>&1 || :
"""
_END = "# <<< repomem hooks <<<"
_OPENING = rb"\n# >>> repomem hooks (?P<version>\d+)(?:, (?P<made>file|file and folder) made)? >>>"
_BLOCK = lazy_pattern(_OPENING + rb"\n.*?\n" + re.escape(_END.encode()) + rb"(?=\n|\Z)", re.DOTALL)
_OPENED = lazy_pattern(_OPENING + rb"\n")
_CALLS = b"|".join(re.escape(shlex.join(call).encode()) for call in (CALL, PUSH_CALL))
_PROGRAM = lazy_pattern(rb"\n    set -- (.+?) (?:" + _CALLS + rb")\n", re.DOTALL)
# Options that change how a script runs, and none that has it printed (v, x) or reads it elsewhere (c, s).
_SHELL = lazy_pattern(
    rb"#![ \t]*/(?:[^\s]*/)?(?:env[ \t]+(?:-S[ \t]+)?(?:/[^\s]*/)?)?(?:sh|bash|dash|zsh)(?:[ \t]+-[efhlpu]+)*[ \t]*"
)


class Made(StrEnum):
    """The file and folders that were created for our lines, and are removed with them."""

    NOTHING = ""
    FILE = "file"
    FOLDER = "file and folder"


@dataclass(frozen=True, slots=True)
class Block:
    """Our lines for one hook. `program` is the absolute command line before the subcommand."""

    event: str
    program: tuple[str, ...]
    made: Made = Made.NOTHING

    @property
    def text(self) -> bytes:
        """The lines, with a line break before the first and none after the last."""
        lines = self._push_lines() if self.event == PUSH else self._index_lines()
        made = f", {self.made} made" if self.made else ""
        text = "\n".join(("", f"# >>> repomem hooks {VERSION}{made} >>>", *lines)) + _END
        return text.encode("utf-8", "surrogateescape")

    def _push_lines(self) -> tuple[str, ...]:
        return (
            "# Shares memories after a push. REPOMEM=0 disables it; `repomem hooks uninstall` removes it.",
            "(",
            "    first=${1-} push=$PPID",
            f"    set -- {shlex.join((*self.program, *PUSH_CALL))}",
            _UNLESS_OFF + _PUSH_BODY,
        )

    def _index_lines(self) -> tuple[str, ...]:
        return (
            "# Updates repomem's index in the background. REPOMEM=0 disables it; `repomem hooks uninstall` removes it.",
            "(" if self.event == "post-rewrite" else f"{UNLESS_REBASING}(",
            f"    event={self.event} first=${{1-}} second=${{2-}} third=${{3-}}",
            f"    spool={SPOOL} pending={PENDING}",
            f"    set -- {shlex.join((*self.program, *CALL))}",
            _UNLESS_OFF + _BODY,
        )


def with_block(script: bytes, block: Block) -> bytes:
    """The script with our lines after its first line, replacing older ones."""
    bare = without_block(script)
    end = bare.find(b"\n") if b"\n" in bare else len(bare)
    return bare[:end] + block.text + bare[end:]


def without_block(script: bytes) -> bytes:
    """The script without our lines of any version."""
    return _BLOCK.sub(b"", script)


def block_in(script: bytes, event: str) -> Block | None:
    """The options in our first block of the script; None without one."""
    found = _BLOCK.search(script)
    if found is None:
        return None
    program = _PROGRAM.search(found[0])
    words = shlex.split(program[1].decode("utf-8", "surrogateescape")) if program else []
    return Block(event, tuple(words), Made((found["made"] or b"").decode()))


def is_written_as(script: bytes, block: Block) -> bool:
    """Whether the script contains exactly these lines of ours, byte for byte, in their position."""
    return with_block(script, block) == script


def refusal(script: bytes) -> str:
    """The reason why we do not edit a script; empty if there is none. Complete lines of ours are ignored."""
    script = without_block(script)
    first = script.partition(b"\n")[0]
    interpreter = first[2:].decode(errors="replace").strip()
    doubts = (
        (len(script) > MOST_BYTES, f"it is larger than {MOST_BYTES >> 10} KB"),
        (b"\0" in script or not _is_text(script), "it is not text"),
        (not first.startswith(b"#!"), "it has no #! line"),
        (b"\r" in script, "it has carriage returns"),
        (not _SHELL.fullmatch(first), f"it is run by {interpreter}, not by plain sh, bash, dash or zsh"),
        (_OPENED.search(script) is not None, "the end of repomem's block in it is missing"),
    )
    return next((reason for is_so, reason in doubts if is_so), "")


def _is_text(script: bytes) -> bool:
    try:
        script.decode()
    except UnicodeDecodeError:
        return False
    return True
