"""Encodes a file's imports and uses as text for one column of the store, and decodes the uses of a few names.

There is a line for each import (`i`, module, name, local) and for each definition that uses something (`@`, qualified
name, its type if it is a method), followed by a line for each name that it uses: kind with line numbers, name,
receiver. Fields are separated by tabs; empty fields at the end of a line are omitted.
"""

from collections.abc import Collection, Iterable, Iterator

from repomem.core.types.code import Import, Use

_MEANINGS = {  # the kind of a use, and whether it is of a local name
    letter: (kind, letter.isupper())
    for kind, letters in {"call": "cC", "class": "nN", "type": "tT"}.items()
    for letter in letters
}
_CODES = {meaning: code for code, meaning in _MEANINGS.items()}
_SEPARATORS = str.maketrans("\t\n", "  ")


def packed_imports(imports: Iterable[Import]) -> str:
    """The imports of a file as lines, without duplicates."""
    return "".join(_line("i", *one) for one in dict.fromkeys(imports))


def packed_uses(uses: Iterable[Use]) -> str:
    """Uses as lines, one for all uses of a name in the same definition."""
    scopes: dict[tuple[str, str], dict[tuple[str, str, str], list[str]]] = {}
    for use in uses:
        entries = scopes.setdefault((use.within, use.owner), {})
        code = _CODES[use.kind, use.is_local]
        entries.setdefault((code, use.name, use.receiver), []).append(str(use.line))
    packed = []
    for scope, entries in scopes.items():
        packed.append(_line("@", *scope))
        for (code, name, receiver), lines in entries.items():
            packed.append(_line(code + ",".join(lines), name, receiver))
    return "".join(packed)


def _line(*fields: str) -> str:
    line = "\t".join(fields)
    if "\n" in line or line.count("\t") >= len(fields):  # a field has a separator
        line = "\t".join(field.translate(_SEPARATORS) for field in fields)
    return line.rstrip("\t") + "\n"


def unpacked(text: str, names: Collection[str]) -> tuple[tuple[Import, ...], tuple[Use, ...]]:
    """All imports in a packed text, and its uses of these names and of their import aliases."""
    lines = text.split("\n")
    imports = tuple(Import(*_fields(line, 4)[1:]) for line in lines if line.startswith("i\t"))
    wanted = {*names, *(one.local for one in imports if one.local and one.name in names)}
    return imports, tuple(_uses_in(lines, wanted))


def _uses_in(lines: Iterable[str], wanted: Collection[str]) -> Iterator[Use]:
    scope = "@"
    for line in lines:
        if line.startswith("@"):
            scope = line
        elif line.partition("\t")[2].partition("\t")[0] in wanted and line[0] in _MEANINGS:
            head, name, receiver = _fields(line, 3)
            _, within, owner = _fields(scope, 3)
            kind, is_local = _MEANINGS[head[0]]
            for number in head[1:].split(","):
                yield Use(name, kind, int(number), receiver, within, owner, is_local)


def _fields(line: str, count: int) -> list[str]:
    fields = line.split("\t")
    return fields + [""] * (count - len(fields))
