"""The changed lines of commits, each with git's function context line."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO

from repomem.adapters.git.log import NO_WALK, cut_off_commits
from repomem.adapters.git.repository import Repository
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import Hunk

LINES_KEPT = 400  # of a hunk: a new file of ordinary length whole, so that all its definitions are found
LINE_LENGTH = 300  # characters; a definition's name is at its start
HUNKS_KEPT = 500  # of a commit; more is a reformat
DIFF_LINES_KEPT = 20_000  # of a hunk of a change that is judged: no line of it may be missed
DIFF_HUNKS_KEPT = 20_000

HEADINGS = Path(__file__).with_name("headings.gitattributes")
OUTERMOST = r"^([A-Za-z_$@}].*)$"  # whatever begins in the first column ends the definition above
ANNOTATIONS = r"(@[A-Za-z_.]+(\([^)]*\))?[ \t]+)*"  # as in `@Test void opens() {`
# Git's own patterns know the other languages. Lines that start with "!" exclude matches. Headings stay indented.
PATTERNS = {
    "bash": (
        r"^([ \t]*(function[ \t]+[A-Za-z_][A-Za-z0-9_:.-]*|[A-Za-z_][A-Za-z0-9_:.-]*[ \t]*\([ \t]*\)).*)$",
        OUTERMOST,
    ),
    "cpp": (  # git's own finds none in a namespace or class that indents what is in it
        r"!^[ \t]*[A-Za-z_][A-Za-z_0-9]*:[ \t]*($|/[/*])",
        OUTERMOST,
        (
            r"!^[ \t]+(case|catch|co_await|co_return|co_yield|default|delete|do|else|for|goto|if|new|return|sizeof|"
            r"switch|throw|typedef|using|while)[^A-Za-z0-9_]"
        ),
        r"!;[ \t]*$",
        r"^([ \t]+(template[ \t]*<.*>[ \t]*)?(class|enum|struct|union)[ \t]+[A-Za-z_].*)$",
        (
            r"^([ \t]+([A-Za-z_][A-Za-z0-9_:<>,*&]*[ \t*&]+)+~?[A-Za-z_][A-Za-z0-9_:~]*[ \t]*"
            r"\(.*(\)|\{|const|noexcept|override|final)[ \t]*)$"
        ),
    ),
    "csharp": (  # git's own skips signatures with `?`, and strips the indentation
        (
            r"!^[ \t]*(and|await|case|catch|do|else|fixed|for|foreach|from|goto|if|in|is|join|let|lock|not|or|"
            r"orderby|out|return|select|switch|throw|try|using|var|when|where|while|yield|"
            r"[Ii]nsert|[Uu]pdate|[Dd]elete|INSERT|SELECT|UPDATE|DELETE|FROM|JOIN|WHERE)[^A-Za-z0-9_]"  # SQL in strings
        ),
        (
            r"^([ \t]*(\[[^]]*\][ \t]*)*(public|private|protected|internal|static|abstract|override|virtual|sealed|"
            r"extern|partial|readonly)[ \t].*)$"
        ),
        r"^([ \t]*([a-z]+[ \t]+)*(class|struct|interface|enum|record|namespace)[ \t]+[A-Za-z_@].*)$",
        r"!;[ \t]*$",  # a statement, or a local function of one line
        (
            r"^([ \t]*(\[[^]]*\][ \t]*)*([A-Za-z_@][A-Za-z0-9_.@]*(<[^=;]*>)?[][?*]*[ \t]+)+"
            r"[A-Za-z_@][A-Za-z0-9_.@]*(<[^()=;]*>)?[ \t]*\(.*)$"
        ),
    ),
    "elixir": (r"^([ \t]*(def(macrop?|module|impl|protocol|p)?|test)[ \t].*)$", OUTERMOST),
    "golang": (
        r"!^[A-Za-z_][A-Za-z0-9_]*:[ \t]*$",  # a label
        r"^([ \t]*type[ \t].*(struct|interface)[ \t]*.*)$",
        OUTERMOST,
    ),
    "java": (
        r"!^[ \t]*(catch|do|for|if|instanceof|new|return|switch|throw|while)[^A-Za-z0-9_]",
        rf"^([ \t]*{ANNOTATIONS}([a-z-]+[ \t]+)*(class|enum|interface|record)[ \t]+.*)$",
        (
            rf"^([ \t]*{ANNOTATIONS}([A-Za-z_<>&][][?&<>.,A-Za-z_0-9]*[ \t]+)+"
            r"[A-Za-z_][A-Za-z_0-9]*[ \t]*\([^;]*)$"
        ),
    ),
    "kotlin": (rf"^([ \t]*{ANNOTATIONS}([a-z]+[ \t]+)*(fun|class|interface|object)[ \t]+.*)$",),
    "php": (
        r"^([ \t]*((public|protected|private|static|abstract|final)[ \t]+)*function.*)$",
        r"^([ \t]*((final|abstract|readonly)[ \t]+)*(class|enum|interface|trait)[ \t].*)$",
    ),
    "python": (r"^([ \t]*(class|(async[ \t]+)?def)[ \t].*)$", OUTERMOST),
    "ruby": (
        r"^([ \t]*(class|module|def)[ \t].*)$",
        (  # blocks of tests, routes and tasks: what changed in them is not in the method above
            r"^([ \t]*(describe|context|it|specify|feature|scenario|shared_examples|test|should|get|post|put|patch|"
            r"delete|route|namespace|task|included|class_methods|configure|helpers)[ \t(]*([\"':A-Z{].*)?[ \t]do"
            r"([ \t]*\|[^|]*\|)?[ \t]*)$"
        ),
        OUTERMOST,
    ),
    "rust": (
        r"!^where([ \t]|$)",
        (
            r"^([ \t]*(pub(\([^)]+\))?[ \t]+)?((async|const|unsafe|extern([ \t]+\"[^\"]+\"))[ \t]+)*"
            r"(struct|enum|union|mod|trait|fn|impl|macro_rules!)[< \t]+[^;]*)$"
        ),
        OUTERMOST,
    ),
    "javascript": (
        r"!^[ \t]*(if|for|while|switch|catch|return|else|do|await|throw|with)[^A-Za-z0-9_$]",
        (
            r"^([ \t]*(export[ \t]+)?(default[ \t]+)?(declare[ \t]+)?(abstract[ \t]+)?(async[ \t]+)?"
            r"(function|class|interface|enum|namespace)[ \t*].*)$"
        ),
        (
            r"^([ \t]*(export[ \t]+)?(const|let|var)[ \t]+[A-Za-z_$][A-Za-z0-9_$]*[^=]*=[ \t]*(async[ \t]*)?"
            r"(function|class|[A-Za-z_$][A-Za-z0-9_$]*[ \t]*=>"
            r"|\(([^()]*(\([^()]*\)[^()]*)*\)[^=()]*=>|[ \t]*[{[]?[ \t]*$|[^()]*,[ \t]*$)).*)$"
        ),
        r"^([ \t]*[A-Za-z_$][A-Za-z0-9_$.]*[ \t]*[:=][ \t]*(async[ \t]+)?function.*)$",
        (
            r"^([ \t]+((static|async|public|private|protected|override|get|set)[ \t]+)*"
            r"[#A-Za-z_$][A-Za-z0-9_$]*(<[^()]*>)?[ \t]*\(.*\{)[ \t]*$"
        ),
        (  # a method whose parameters are on the following lines; without a modifier it may be a call
            r"^([ \t]+((static|async|public|private|protected|override|get|set)[ \t]+)+"
            r"[#A-Za-z_$][A-Za-z0-9_$]*(<[^()]*>)?[ \t]*\([^()]*)$"
        ),
        OUTERMOST,
    ),
    "swift": (
        (
            r"^([ \t]*((@[A-Za-z]+|[a-z]+(\([a-z]+\))?)[ \t]+)*"
            r"(func|class|struct|enum|protocol|extension|actor)[ \t]+[A-Za-z_].*)$"
        ),
        r"^([ \t]*([a-z]+[ \t]+)*((init|subscript)[?!]?[ \t]*[<(]|deinit[ \t]*\{).*)$",
        OUTERMOST,
    ),
    "scala": (
        r"^([ \t]*(([a-z]+(\[[a-z]+\])?[ \t]+)*(def|class|object|trait|enum|given)[ \t]+[A-Za-z_`].*))$",
        OUTERMOST,
    ),
    "lua": (
        r"^([ \t]*(local[ \t]+)?function[ \t]+[A-Za-z_].*)$",
        r"^([ \t]*(local[ \t]+)?[A-Za-z_][A-Za-z0-9_.]*[ \t]*=[ \t]*function.*)$",
        OUTERMOST,
    ),
    "haskell": (
        r"^((data|newtype|class|instance|type|module)[ \t].*)$",
        r"^([a-z_][A-Za-z0-9_']*[ \t]*::.*)$",
    ),
    "zig": (
        r'^([ \t]*(pub[ \t]+|export[ \t]+|inline[ \t]+|extern[ \t]+("[a-z]+"[ \t]+)?)*fn[ \t]+.*)$',
        (
            r"^([ \t]*(pub[ \t]+)?const[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*=[ \t]*"
            r"((packed|extern)[ \t]+)?(struct|enum|union|opaque).*)$"
        ),
        OUTERMOST,
    ),
    "dart": (
        r"!^[ \t]*(if|for|while|switch|catch|return|else|do|await|throw|assert)[^A-Za-z0-9_$]",
        r"^([ \t]*([a-z]+[ \t]+)*(class|mixin|extension|enum|typedef)[ \t]+[A-Za-z_].*)$",
        r"^([ \t]*[A-Za-z_][A-Za-z0-9_<>?, \t.]*\(.*\)[ \t]*(async\*?|sync\*)?[ \t]*(\{|=>).*)$",
        OUTERMOST,
    ),
}

DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv")  # the same under every configuration
PATCH = (
    "--format=commit %H",
    "-p",
    "-M",
    "--unified=0",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--ignore-submodules=all",
)
HUNK_START = lazy_pattern(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
ESCAPE = lazy_pattern(rb"\\([0-7]{3}|.)", re.DOTALL)
ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def touched(repository: Repository, commits: Iterable[str]) -> Iterator[Hunk]:
    """The hunks of each commit, in the given order, without merges.

    Empty in a partial clone, which lacks the bytes; without commits at the boundary of a shallow clone.
    """
    if repository.is_partial:
        return
    cut_off = cut_off_commits(repository)
    feed = [commit for commit in commits if commit not in cut_off]
    if not feed:  # git would take the head
        return
    with repository.stream(*_with_headings(), *NO_WALK, *PATCH, feed=feed) as output:
        yield from _hunks(output, LINES_KEPT, HUNKS_KEPT)


def between(repository: Repository, base: str, head: str, paths: Sequence[str] = ()) -> Iterator[Hunk]:
    """The hunks between `base` and `head`, or the tracked files of the worktree if `head` is empty.

    With `paths` only those of these files.
    """
    sides = [base, *[head] * bool(head)]
    named = [f":(top,literal){path}" for path in paths]
    with repository.stream(*_with_headings(), *DIFF, "--no-relative", *PATCH[1:], *sides, "--", *named) as output:
        yield from _hunks(output, DIFF_LINES_KEPT, DIFF_HUNKS_KEPT)


def line_changes(repository: Repository, before: str, after: str = "", path: str = "") -> Iterator[Hunk]:
    """The hunks between two commits, or two blobs as COMMIT:PATH, ignoring white space; a renamed file counts as new.

    Without `after` those between a commit and a path of the worktree. Empty in a partial clone, which lacks the bytes.
    """
    if repository.is_partial:
        return
    options = (*DIFF, "--no-relative", "-w", *PATCH[1:], "--no-renames")
    sides = [before, *[after] * bool(after)]
    with repository.stream(*options, *sides, "--", *[f":(top,literal){path}"] * bool(path)) as output:
        yield from _hunks(output, DIFF_LINES_KEPT, DIFF_HUNKS_KEPT)


def _with_headings() -> list[str]:
    """The settings for git to find function context lines in each language."""
    settings = [f"core.attributesFile={HEADINGS}"]
    texts = {name: "\n".join(patterns).replace(r"\t", "\t") for name, patterns in PATTERNS.items()}  # POSIX has no \t
    settings += [f"diff.{name}.xfuncname={text}" for name, text in texts.items()]
    return list(chain.from_iterable(("-c", setting) for setting in settings))


def old_lines(repository: Repository, parent: str, commit: str) -> dict[str, list[range]]:
    """Each path that both have to the ranges of old lines that a commit removed or added lines after."""
    found: dict[str, list[range]] = {}
    path, left = "", 0
    with repository.stream(*DIFF, "--no-renames", *PATCH[3:], parent, commit) as output:
        for line in output:
            if left:  # no text in a hunk is taken for a header
                left -= not line.startswith(b"\\")
            elif line.startswith(b"--- "):
                path = header_path(line[4:])
            elif start := HUNK_START.match(line):
                first, removed, added = int(start[1]), int(start[2] or 1), int(start[4] or 1)
                left = removed + added
                found.setdefault(path, []).append(range(first, first + max(removed, 1)))
    return found


def header_path(name: bytes) -> str:
    """The path of a `---` or `+++` line; empty for /dev/null."""
    name = unquoted(name.rstrip(b"\n").removesuffix(b"\t"))
    return "" if name == b"/dev/null" else os.fsdecode(name[2:])


def unquoted(path: bytes) -> bytes:
    """A path as it is; git quotes those with quotes, backslashes or control bytes."""
    return ESCAPE.sub(_unescaped, path[1:-1]) if path.startswith(b'"') else path


def _hunks(output: IO[bytes], most_lines: int, most_hunks: int) -> Iterator[Hunk]:
    """The hunks of a patch. Lines are counted, so that a line of text is never mistaken for a header."""
    commit, path, count = "", "", 0
    for line in output:
        if line.startswith(b"commit "):
            commit, count = line[7:].strip().decode(), 0
        elif line.startswith((b"--- ", b"+++ ")):
            path = header_path(line[4:]) or path  # of a deleted file the old one
        elif start := HUNK_START.match(line):
            old_first, removed, first, added, heading = start.groups()
            gone = int(removed or 1)
            written = enumerate(lines_of_hunk(output, gone + int(added or 1)))
            lines = tuple(_text(line[1:]) for at, line in written if at < most_lines)
            count += 1
            if count <= most_hunks:
                yield Hunk(commit, path, _text(heading), lines, min(gone, len(lines)), int(first), int(old_first))


def lines_of_hunk(output: IO[bytes], count: int) -> Iterator[bytes]:
    """The next `count` lines that a hunk removes or adds, each with its sign."""
    while count and (line := output.readline()):
        if not line.startswith(b"\\"):  # "\ No newline at end of file"
            count -= 1
            yield line


def _text(line: bytes) -> str:
    return line[: 4 * LINE_LENGTH].decode("utf-8", "replace").rstrip()[:LINE_LENGTH]


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8)]) if len(code) == 3 else ESCAPED.get(code, code)
