"""Commands in READMEs and contributor guides: fenced, after a `$` prompt, or inline code."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests.commands import command_facts, generates, is_runnable
from repomem.profile.manifests.manifest import Excerpt, Manifest
from repomem.profile.manifests.working_folder import clones_in, from_root

DEVELOPMENT = lazy_pattern(  # headings of sections for people who change the repository
    r"(?i)\b(?:tests?|testing|develop\w*|contribut\w*|hack\w*|lint\w*|format\w*|(?:code )?style|checks?"
    r"|build(?:ing)?(?: from source)?|compil\w+|commands|working on|pull requests?)\b"
)
README_ASIDE = lazy_pattern(r"(?i)\b(?:install\w*|usage|example\w*|using|integrat\w*|benchmark\w*|your)\b")
HEADING = lazy_pattern(r"(#{1,6})[ \t]+(.+)")
UNDERLINE = lazy_pattern(r"([=~^*+\"'-])\1{2,}\s*")
UPDATES = lazy_pattern(  # headings of sections whose commands change what is expected, or what is used
    r"(?i)[\W\d]*(?:how to )?(?:updat|upgrad|bless|accept(?!ance)|overwrit|record|re-?generat|re-?baselin)\w*\b"
)
MAKEFILE = lazy_pattern(r"(?i)(?:^|\s)`?(?:make|makefiles?)\b")
DEPRECATED = lazy_pattern(
    r"(?i)\b(?:th(?:is|e) (?:\w+ )?(?:method|build)|(makefiles?)) (?:is|are) (?:deprecated|no longer supported)"
)
FENCE_LINE = lazy_pattern(r"[ \t]*([$%>][ ])?(\S.*)")
INLINE_CODE = lazy_pattern(r"`{1,3}([^`\n]{4,120})`{1,3}")
CODE_INDENT = lazy_pattern(r"(?: {4}|\t| {2,3}\$ )")


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of a guide, without prompt and comment if it is code."""

    line: Excerpt
    heads: Sequence[str]  # the headings above it, outermost first
    block: int = 0  # the number of its code block; 0 for prose
    is_prompted: bool = False


def read_guide(manifest: Manifest) -> Iterable[Fact]:
    """The commands in the code blocks of a contributor guide or an agent file."""
    return command_facts(manifest, _commands(manifest, _pieces(manifest)))


def read_mentions(manifest: Manifest) -> Iterable[Fact]:
    """The commands that a guide names within its prose."""
    alone = (command for code in _codes(_pieces(manifest)) for command in from_root([code], manifest.paths))
    return command_facts(manifest, _usable(alone))


def _codes(pieces: Iterable[Piece]) -> Iterator[Excerpt]:
    """The inline code of prose."""
    prose = (piece for piece in pieces if not piece.block)
    codes = (
        (piece, Excerpt(code, piece.line.line)) for piece in prose for code in INLINE_CODE.findall(piece.line.text)
    )
    return (code for piece, code in codes if _is_usual(code, piece.heads))


def read_readme(manifest: Manifest) -> Iterable[Fact]:
    """The commands in the code blocks under a README's headings about development; of prose, what generates files."""
    pieces = [piece for piece in _pieces(manifest) if _is_about_development(piece.heads)]
    mentioned = [code for code in _codes(pieces) if generates(code.text)]
    return command_facts(manifest, [*_commands(manifest, pieces), *_usable(mentioned)])


def deprecates_make(manifest: Manifest) -> bool:
    """Whether a README or guide calls the build with a Makefile deprecated."""
    return any(
        (found := DEPRECATED.search(piece.line.text)) and (found[1] or any(map(MAKEFILE.search, piece.heads[-1:])))
        for piece in _pieces(manifest)
        if not piece.block
    )


def _commands(manifest: Manifest, pieces: Iterable[Piece]) -> Iterator[Excerpt]:
    """The usable commands of code blocks, as they work from the root."""
    clones = clones_in(manifest.text)
    for _, lines in groupby((piece for piece in pieces if piece.block), key=lambda piece: piece.block):
        block = list(lines)
        commands = from_root(_typed(block), manifest.paths, clones=clones, is_guide=True)
        yield from _usable(command for command in commands if _is_usual(command, block[0].heads))


def _typed(block: Sequence[Piece]) -> list[Excerpt]:
    """The lines of a block that are typed: where some have a prompt, the others are output."""
    is_console = any(piece.is_prompted for piece in block)
    return [piece.line for piece in block if piece.is_prompted or not is_console]


def _is_usual(command: Excerpt, heads: Sequence[str]) -> bool:
    """Whether a command is for every change: in a section about updates, only one that generates files is."""
    return generates(command.text) or not any(map(UPDATES.match, heads))


def _usable(pieces: Iterable[Excerpt]) -> Iterator[Excerpt]:
    return (piece for piece in pieces if is_runnable(piece.text, is_of_guide=True))


def _is_about_development(heads: Sequence[str]) -> bool:
    return any(map(DEVELOPMENT.search, heads)) and not README_ASIDE.search(heads[-1])


def _pieces(manifest: Manifest) -> Iterator[Piece]:
    """Each line with the headings above it; a block of code ends at a fence, or at prose if it is indented."""
    heads: list[tuple[int, str]] = []
    is_fenced, before, block = False, "", 1
    for number, line in enumerate(manifest.lines, start=1):
        names = [text for _, text in heads]
        if line.lstrip().startswith(("```", "~~~")):
            is_fenced, block = not is_fenced, block + 1
        elif (is_fenced or CODE_INDENT.match(line)) and (code := FENCE_LINE.fullmatch(line)):
            yield Piece(Excerpt(_without_comment(code[2]), number), names, block, bool(code[1]))
        elif not is_fenced and (head := heading(before, line)):
            heads = [*(each for each in heads if each[0] < head[0]), head]
        else:
            block += bool(line.strip())
            yield Piece(Excerpt(line, number), names)
        before = line


def heading(before: str, line: str) -> tuple[int, str] | None:
    """The level and text of a heading that ends on this line: with hashes, or underlined."""
    if hashed := HEADING.fullmatch(line):
        return len(hashed[1]), hashed[2]
    if before.strip() and UNDERLINE.fullmatch(line) and not before.startswith((" ", "\t")):
        return "=-~^\"'+*".index(line[0]) + 1, before.strip()
    return None


def _without_comment(command: str) -> str:
    return re.split(r"(?:^|\s)#", command, maxsplit=1)[0].strip()
