"""Commands in READMEs and contributor guides: fenced, after a `$` prompt, or inline code."""

import re
from collections.abc import Iterable, Iterator, Sequence

from repomem.core.types.brief import Fact
from repomem.profile.commands import command_facts, is_runnable
from repomem.profile.manifest import Excerpt, Manifest

DEVELOPMENT = re.compile(  # headings of sections for people who change the repository
    r"(?i)\b(?:tests?|testing|develop\w*|contribut\w*|hack\w*|lint\w*|format\w*|(?:code )?style|checks?"
    r"|build(?:ing)?(?: from source)?|compil\w+|commands|working on|pull requests?)\b"
)
README_ASIDE = re.compile(r"(?i)\b(?:install\w*|usage|example\w*|using|integrat\w*|benchmark\w*|your)\b")
HEADING = re.compile(r"(#{1,6})[ \t]+(.+)")
UNDERLINE = re.compile(r"([=~^*+\"'-])\1{2,}\s*")
FENCE_LINE = re.compile(r"[ \t]*(?:[$%>][ ])?(\S.*)")
INLINE_CODE = re.compile(r"`{1,2}([^`\n]{4,120})`{1,2}")
CODE_INDENT = re.compile(r"(?: {4}|\t| {2,3}\$ )")


def read_guide(manifest: Manifest) -> Iterable[Fact]:
    """The commands in the code blocks of a contributor guide or an agent file."""
    return command_facts(manifest, _usable(piece for is_code, piece, _ in _pieces(manifest) if is_code))


def read_mentions(manifest: Manifest) -> Iterable[Fact]:
    """The commands that a guide names within its prose."""
    prose = (piece for is_code, piece, _ in _pieces(manifest) if not is_code)
    codes = (Excerpt(code, piece.line) for piece in prose for code in INLINE_CODE.findall(piece.text))
    return command_facts(manifest, _usable(codes))


def read_readme(manifest: Manifest) -> Iterable[Fact]:
    """The commands in the code blocks under a README's headings about development."""
    pieces = (piece for is_code, piece, heads in _pieces(manifest) if is_code and _is_about_development(heads))
    return command_facts(manifest, _usable(pieces))


def _usable(pieces: Iterable[Excerpt]) -> Iterator[Excerpt]:
    return (piece for piece in pieces if is_runnable(piece.text, is_of_guide=True))


def _is_about_development(heads: Sequence[str]) -> bool:
    return any(map(DEVELOPMENT.search, heads)) and not README_ASIDE.search(heads[-1])


def _pieces(manifest: Manifest) -> Iterator[tuple[bool, Excerpt, list[str]]]:
    """Each line, whether it is code, and the headings above it, outermost first."""
    heads: list[tuple[int, str]] = []
    is_fenced, before = False, ""
    for number, line in enumerate(manifest.lines, start=1):
        if line.lstrip().startswith(("```", "~~~")):
            is_fenced = not is_fenced
        elif is_fenced and (code := FENCE_LINE.fullmatch(line)):
            yield True, Excerpt(_without_comment(code[1]), number), [text for _, text in heads]
        elif not is_fenced and (head := _heading(before, line)):
            heads = [*(each for each in heads if each[0] < head[0]), head]
        elif not is_fenced and CODE_INDENT.match(line) and (code := FENCE_LINE.fullmatch(line)):
            yield True, Excerpt(_without_comment(code[1]), number), [text for _, text in heads]
        else:
            yield False, Excerpt(line, number), [text for _, text in heads]
        before = line


def _heading(before: str, line: str) -> tuple[int, str] | None:
    """The level and text of a heading that ends on this line: with hashes, or underlined."""
    if hashed := HEADING.fullmatch(line):
        return len(hashed[1]), hashed[2]
    if before.strip() and UNDERLINE.fullmatch(line) and not before.startswith((" ", "\t")):
        return "=-~^\"'+*".index(line[0]) + 1, before.strip()
    return None


def _without_comment(command: str) -> str:
    return re.split(r"(?:^|\s)#", command, maxsplit=1)[0].strip()
