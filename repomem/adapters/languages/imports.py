"""Parses an import statement's text into the imported names, with a small reader per language.

The language's query found the statement, so a reader need not recognise it. Statements that it cannot parse are
skipped. Pure.
"""

import re
from collections.abc import Callable, Iterator

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Import

ALL = "*"
DEFAULT = "default"  # how ECMAScript calls the one export that has no name
MOST_NAMES = 500  # of one statement

_AFTER_HASHES = lazy_pattern(r"#.*")
_AFTER_SLASHES = lazy_pattern(r"//.*|/\*.*?\*/", re.DOTALL)
_QUOTED = lazy_pattern(r"""["'`](.*?)["'`]""")
_VERSION = lazy_pattern(r"^v\d+$|\.v\d+$")


def imports_of(statement: str, language: str, modules: int) -> tuple[Import, ...]:
    """The imports of one statement; empty for a language without a reader.

    `modules` counts the inline modules around it, which only Rust has.
    """
    if language not in _READERS:
        return ()
    comments, read = _READERS[language]
    text = " ".join(comments.sub(" ", statement).split()).rstrip("; ")
    found = tuple(read(text))[:MOST_NAMES]
    return tuple(_from_file(each, modules) for each in found) if modules else found


def _from_file(each: Import, modules: int) -> Import:
    """An import as the file around so many inline modules would write it: their `super` is the file itself."""
    parts = each.module.split("::")
    while modules and parts[:1] == ["super"]:
        parts, modules = parts[1:], modules - 1
    is_of_file = each.module.startswith("super") and parts[:1] != ["super"]
    return each._replace(module="::".join(["self", *parts] if is_of_file else parts))


def _python(text: str) -> Iterator[Import]:
    if text.startswith("from"):
        module, _, names = text.removeprefix("from").partition(" import")
        for name, local in _aliased(names.strip(" ()"), " as "):
            yield Import(module.replace(" ", ""), name, "" if name == ALL else local)
    else:
        for module, local in _aliased(text.removeprefix("import"), " as "):
            yield Import(module, "", local)


def _ecmascript(text: str) -> Iterator[Import]:
    quoted = _QUOTED.search(text)
    if not quoted:
        return
    module, before = quoted[1], text[: quoted.start()]
    if "require" in before:
        yield from _required(module, before, text[quoted.end() :])
        return
    is_again = before.startswith("export")  # it takes nothing into the file, but gives it on under that name
    words = re.sub(r"^(?:import|export)\s*(?:type(?:of)?\s+(?!from\b|,))?|\s*\bfrom\s*$", "", before).strip()
    for part in _parts(words):
        if part.startswith("{"):
            for name, local in _aliased(part.strip("{} "), " as "):
                yield Import(module, name.removeprefix("type "), local.removeprefix("type "))
        elif part.startswith("*"):
            yield Import(module, ALL if is_again and " as " not in part else "", part[1:].strip().removeprefix("as "))
        elif part:
            yield Import(module, DEFAULT, part)


def _required(module: str, before: str, after: str) -> Iterator[Import]:
    """`const {a, b: c} = require(…)`, `const a = require(…)`, `const a = require(…).b`."""
    target = before.partition("=")[0].strip()
    name = re.match(r"\)\.(\w+)", after)
    if target.startswith("{"):
        for taken, local in _aliased(target.strip("{} "), ":"):
            yield Import(module, taken, local.partition("=")[0].strip())
    elif target.isidentifier():
        yield Import(module, name[1] if name else "", target)


def _go(text: str) -> Iterator[Import]:
    quoted = _QUOTED.search(text)
    if text.startswith("package "):
        yield Import(text.split()[1], "", "")
    elif quoted:
        local = text[: quoted.start()].strip()
        parts = [part for part in quoted[1].split("/") if not re.fullmatch(r"v\d+", part)]
        name = _VERSION.sub("", parts[-1]) if parts else ""
        yield Import(quoted[1], ALL if local == "." else "", local.strip(".") or name)


def _rust(text: str) -> Iterator[Import]:
    module = re.search(r"\bmod (\w+)$", text)
    if module:
        yield Import(f"self::{module[1]}", "", module[1])
        return
    for path in _braces(re.sub(r"^.*?\buse ", "", text), "::"):
        taken, _, local = path.partition(" as ")
        owner, _, name = taken.strip().removeprefix("::").rpartition("::")
        if name == "self":
            owner, _, name = owner.rpartition("::")
        yield Import(owner, name, "" if name == ALL else local.strip() or name)


def _dotted(text: str) -> Iterator[Import]:
    """Java, Kotlin, Scala: `package a.b`, `import [static] a.b.C`, `import a.b.{C, D => E}`, `import a.b.C as D`."""
    keyword, _, rest = text.partition(" ")
    if keyword == "package":
        yield Import(rest.split("{")[0].split(":")[0].strip().replace(" ", ""), "", "")
        return
    for part in _parts(rest.removeprefix("static ")):
        for path in _braces(part, "."):
            taken, _, local = path.replace(" => ", " as ").partition(" as ")
            owner, _, name = taken.replace(" ", "").rpartition(".")
            is_all = name in {"*", "_", "given"}
            yield Import(owner, ALL if is_all else name, "" if is_all else local.strip() or name)


def _c_sharp(text: str) -> Iterator[Import]:
    words = re.sub(r"^(?:global )?(?:using|namespace)(?: static)?(?: unsafe)?\s+", "", text)
    if text.startswith("namespace"):
        yield Import(words.split("{")[0].strip(), "", "")
    elif "=" in words:
        local, _, path = words.partition("=")
        owner, _, name = path.strip().rpartition(".")
        yield Import(owner, name, local.strip())
    else:
        yield Import(words, ALL, "")


def _php(text: str) -> Iterator[Import]:
    keyword, _, rest = text.partition(" ")
    if keyword == "namespace":
        yield Import(rest.split("{")[0].strip(), "", "")
        return
    for part in _parts(re.sub(r"^(?:function|const) ", "", rest)):
        for path in _braces(part, "\\"):
            taken, _, local = path.partition(" as ")
            owner, _, name = taken.strip().strip("\\").rpartition("\\")
            yield Import(owner, name, local.strip() or name)


def _ruby(text: str) -> Iterator[Import]:
    quoted = _QUOTED.search(text)
    if quoted:
        is_near = text.startswith("require_relative") and not quoted[1].startswith(".")
        yield Import(f"./{quoted[1]}" if is_near else quoted[1], ALL, "")


def _include(text: str) -> Iterator[Import]:
    found = re.search(r"""["<](.+)[">]""", text)
    if found:
        yield Import(found[1], ALL, "")


def _elixir(text: str) -> Iterator[Import]:
    """`alias A.B`, `alias A.{B, C}`, `alias A.B, as: C`, `import A.B`; what `use` brings in cannot be known."""
    keyword, _, rest = text.partition(" ")
    path, *options = _parts(rest)
    local = re.search(r"\bas: (\w+)", " ".join(options))
    for module in _braces(path, "."):
        if keyword == "import":
            yield Import(module, ALL, "")
        elif keyword == "alias" or local:
            yield Import(module, "", local[1] if local else module.rpartition(".")[2])


def _aliased(names: str, joint: str) -> Iterator[tuple[str, str]]:
    """The name and local name of each item of a comma-separated list."""
    for each in names.split(","):
        name, _, local = each.partition(joint)
        if name.strip():
            yield name.strip(), local.strip() or name.strip()


def _parts(text: str) -> list[str]:
    """Split at commas outside braces."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _braces(path: str, joint: str) -> Iterator[str]:
    """Each path that a path with groups in braces expands to: `a::{b, c::{d}}` gives `a::b` and `a::c::d`."""
    stem, opening, rest = path.partition("{")
    if not opening:
        yield path.strip()
        return
    for part in _parts(rest.rpartition("}")[0]):
        for each in _braces(part, joint):
            yield f"{stem.strip()}{each}" if stem.strip().endswith(joint) or not stem.strip() else each


_READERS: dict[str, tuple[re.Pattern[str], Callable[[str], Iterator[Import]]]] = {
    "python": (_AFTER_HASHES, _python),
    **dict.fromkeys(("javascript", "typescript", "tsx"), (_AFTER_SLASHES, _ecmascript)),
    "go": (_AFTER_SLASHES, _go),
    "rust": (_AFTER_SLASHES, _rust),
    **dict.fromkeys(("java", "kotlin", "scala"), (_AFTER_SLASHES, _dotted)),
    "c_sharp": (_AFTER_SLASHES, _c_sharp),
    "php": (_AFTER_SLASHES, _php),
    "ruby": (_AFTER_HASHES, _ruby),
    "elixir": (_AFTER_HASHES, _elixir),
    **dict.fromkeys(("c", "cpp", "objc"), (_AFTER_SLASHES, _include)),
}
