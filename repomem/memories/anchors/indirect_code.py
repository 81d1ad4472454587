"""Further anchors for code one step away from an anchor: a method of a type, a called function, or a used constant.

The fingerprint of a type omits its methods, that of a function its callees and the values of constants, so neither
shows changes of that code. The definition of a called function is found with `git grep`, without opening the index.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from repomem.adapters.git.grep import lines_with_words
from repomem.adapters.languages.file_roles import role_of
from repomem.core.records import CALLED, CLAIMS, CONSTANT, MEMBER, Anchor, MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import last_part
from repomem.core.text.words import distinctive_stems, stems_of
from repomem.core.types.code import FUNCTIONS, Role, SymbolPrint
from repomem.memories.anchors.find_anchors import EVERYDAY, TRANSPARENT
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import stored_files
from repomem.memories.anchors.locate import anchor_on
from repomem.workspace.workspace import Workspace

THIN = 40  # tokens; a longer function does work itself, and only callees that the text names count
MOST_BEHIND = 2  # further anchors of a memory
NEAR_BEST = 0.7  # share of the best member's score that another one needs
FEWEST_SHARED = 2  # words with a member whose name is not among them, or with a constant
COMMON_WORDS = stems_of("and are for from get has into its not new return self set that the this with when where which")
MOST_NAMES = 8  # of a function's calls that are looked up
LONGEST_LINE = 400  # characters read of a line that may import a name
MOST_FILES = 8  # with a likely definition: more of them, and the names identify nothing
_CALL = lazy_pattern(r"(?<![\w$.])((?:[A-Za-z_$][\w$]*(?:\.|::|->))*[A-Za-z_$][\w$]*)\s*(?:<[\w, ]*>)?\(")
_NAME = lazy_pattern(r"(?<![\w.])[A-Za-z_]\w+")
_NUMBER = lazy_pattern(r"(?<![\w.])\d+(?:[._]\d+)*")
_OWN = frozenset(["", "self", "cls", "this", "$this", "super", "Self", "parent", "static"])  # the function's own type
_JOINT = lazy_pattern(r"\.|::|->")
# A name after a keyword or type, a method of Go, a method of JavaScript: what parses otherwise is left out later.
_LIKELY = (
    r"^(?!\s*(?:return|await|yield|throw|raise|if|elif|else|while|until|unless|case|when|not|and|or|in|new|delete)\b)"
    r"[^=.()]*[A-Za-z_>*&][ \t*&]+({0})[ \t]*[(<=:]"
    r"|func[ \t]*\([^)]*\)[ \t]*({0})[ \t]*[(\[]"
    r"|^[ \t]+({0})[ \t]*\([^;]*\{{[ \t]*$"
)
_BINDS = (  # `const name = …`, `const { name } = …`, `import name …`, `from … import name`, `use …::name`
    r"^\s*(?:(?:const|let|var)\s+)?(?:\{{[^}}]*)?(?<![\w$.]){0}(?![\w$])[^=(]*(?<![=!<>])=(?![=>])"
    r"|^\s*(?:import|from|use|export)\b.*(?<![\w$]){0}(?![\w$(])"
)


def indirect_anchors(
    workspace: Workspace, prints: Fingerprints, kind: MemoryKind, text: str, anchors: Sequence[Anchor]
) -> tuple[Anchor, ...]:
    """Anchors on the code behind these ones that the text of a memory is about, at most MOST_BEHIND."""
    if kind not in CLAIMS:
        return ()
    prints.learn((each.blob, each.path) for each in anchors if each.symbol)
    behind = [one for each in anchors if each.symbol for one in _behind(workspace, prints, text, each)]
    new = [one for one in dict.fromkeys(behind) if one not in anchors]
    return tuple(new[:MOST_BEHIND])


def _behind(workspace: Workspace, prints: Fingerprints, text: str, anchor: Anchor) -> Iterator[Anchor]:
    here = prints.of(anchor.blob)
    if anchor.kind:
        members = [one for one in here if one.kind in FUNCTIONS and one.qualified.startswith(f"{anchor.symbol}.")]
        sources = {one: prints.text_of(anchor.blob, anchor.path, one).decode("utf-8", "replace") for one in members}
        members = relevant_members(text, anchor.symbol, sources)
        yield from (replace(anchor_on(anchor.path, anchor.blob, one), derived=MEMBER) for one in members)
        return
    own = next((one for one in here if one.qualified == anchor.symbol and one.print == anchor.print), None)
    body = prints.text_of(anchor.blob, anchor.path, own).decode("utf-8", "replace") if own else ""
    calls = _calls(body, anchor.symbol)
    names = [name for name in calls if anchor.tokens <= THIN or _is_named(name, text)]
    if names:
        file = b"\n".join(prints.lines_of(anchor.blob, anchor.path)).decode("utf-8", "replace")
        for each in _code_called(workspace, prints, anchor.path, names):
            if _is_spelled(each, text) or _may_call(calls[last_part(each.symbol)], each, anchor, file):
                yield replace(each, derived=CALLED)
    yield from _constants(prints, text, anchor, body)


def relevant_members(text: str, symbol: str, sources: Mapping[SymbolPrint, str]) -> list[SymbolPrint]:
    """The members of a type that a text is about, by the words of their names and bodies; the best first.

    A word counts by how few members have it, and twice in a name.
    """
    about = _words(text) - _words(last_part(symbol))
    names = {one: _words(last_part(one.qualified)) for one in sources}
    words = {one: _words(source) | names[one] for one, source in sources.items()}
    having = Counter(word for each in words.values() for word in each)
    weights = {word: math.log((len(sources) + 1) / count) for word, count in having.items()}
    scores = {
        one: sum(weights[word] * (1 + (word in names[one])) for word in about & words[one])
        for one in sources
        if about & names[one] or len(about & words[one]) >= FEWEST_SHARED
    }
    best = max(scores.values(), default=0.0)
    ranked = sorted(scores, key=lambda one: (-scores[one], one.start_line))
    return [one for one in ranked if scores[one] > 0 and scores[one] >= NEAR_BEST * best][:MOST_BEHIND]


def _constants(prints: Fingerprints, text: str, anchor: Anchor, body: str) -> Iterator[Anchor]:
    """Anchors on the constants of the same file that a function uses and a text is about."""
    used = set(_NAME.findall(body))
    of_file = [one for one in prints.of(anchor.blob) if one.kind == "constant" and one.qualified in used]
    sources = {one: prints.text_of(anchor.blob, anchor.path, one).decode("utf-8", "replace") for one in of_file}
    for one in stated_constants(text, sources):
        yield replace(anchor_on(anchor.path, anchor.blob, one), derived=CONSTANT)


def stated_constants(text: str, sources: Mapping[SymbolPrint, str]) -> list[SymbolPrint]:
    """The constants that a text is about: it has words of the name, or a word and a number of the value."""
    words, numbers = _words(text), set(_NUMBER.findall(text))
    shared = {
        one: len(words & _words(one.qualified)) + bool(numbers.intersection(_NUMBER.findall(source)))
        for one, source in sources.items()
        if words & _words(one.qualified)
    }
    return [one for one, count in shared.items() if count >= FEWEST_SHARED]


def _words(text: str) -> frozenset[str]:
    return distinctive_stems(text, COMMON_WORDS)


def _is_named(name: str, text: str) -> bool:
    """Whether a text has every word of a called name."""
    words = _words(name)
    return bool(words) and words <= _words(text)


def _calls(body: str, symbol: str) -> dict[str, set[str]]:
    """The last names of a function's calls, in order, with what each is called on; without itself and built-ins."""
    calls: dict[str, set[str]] = {}
    for names in (_JOINT.split(name) for name in _CALL.findall(body)):
        if names[-1] not in {last_part(symbol), *EVERYDAY}:
            calls.setdefault(names[-1], set()).add("".join(names[-2:-1]))
    return calls


def _is_spelled(called: Anchor, text: str) -> bool:
    """Whether a text has every word of a function's name: of more than one, or with a word of its type."""
    name, owner = last_part(called.symbol), called.symbol.rpartition(".")[0]
    if len(_words(name)) > 1:
        return _is_named(name, text)
    is_whole = re.search(rf"(?i:(?<!\w){re.escape(name)})(?![_A-Z])", text)  # "execute_write" does not name `execute`
    return bool(is_whole) and _is_named(last_part(owner), text)


def _may_call(receivers: Iterable[str], called: Anchor, anchor: Anchor, file: str) -> bool:
    """Whether an anchor's calls on these receivers may mean this code: its type or module is known to be theirs.

    `values.remove()` is not `ThreadLocal.remove`, unless a line of the file has both `values` and `ThreadLocal`.
    """
    owner = called.symbol.rpartition(".")[0]
    path = PurePosixPath(called.path)
    owners = {last_part(owner)} if owner else {path.stem, path.parent.name} - TRANSPARENT
    names = "|".join(map(re.escape, owners))
    for receiver in receivers:
        if receiver in _OWN:
            is_near = owner in {"", anchor.symbol.rpartition(".")[0]}
            is_other = called.path != anchor.path and _is_bound(last_part(called.symbol), names, file)
            if (is_near and not is_other) or re.search(rf"\b(?:{names})\b", file):
                return True
        elif receiver.casefold() in map(str.casefold, owners) or _is_declared(receiver, names, file):
            return True
    return False


def _is_bound(name: str, names: str, file: str) -> bool:
    """Whether a file imports or assigns a name, and not from a module of one of these names."""
    binds = re.compile(_BINDS.format(re.escape(name)))
    lines = [line for line in file.splitlines() if name in line and binds.search(line[:LONGEST_LINE])]
    return bool(lines) and not any(re.search(rf"(?<![\w$])(?:{names})(?![\w$])", line) for line in lines)


def _is_declared(receiver: str, names: str, file: str) -> bool:
    """Whether a line of a file has a receiver and one of these names, as words."""
    words = [re.compile(rf"(?<![\w$])(?:{each})(?![\w$])") for each in (re.escape(receiver), names)]
    lines = (line for line in file.splitlines() if receiver in line)
    return bool(names) and any(all(word.search(line) for word in words) for line in lines)


def _code_called(workspace: Workspace, prints: Fingerprints, path: str, names: Sequence[str]) -> Iterator[Anchor]:
    """Anchors on the definitions of names that the file of the call, or else one other source, defines once."""
    wanted = names[:MOST_NAMES]
    defines = re.compile(_LIKELY.format("|".join(map(re.escape, wanted))))
    lines = lines_with_words(workspace.repository, "HEAD", wanted, PurePosixPath(path).suffix)
    rows = (line.split(":", 2) for line in lines if line.count(":") > 1)
    paths = dict.fromkeys([path, *(file for file, _, text in rows if defines.search(text))])
    sources = [each for each in paths if role_of(each, "", {}) is Role.SOURCE]
    if len(sources) > MOST_FILES:
        return
    blobs = {each: blob for each, blob, _ in stored_files(workspace, sources)}
    prints.learn((blob, each) for each, blob in blobs.items())
    for name in wanted:
        defined = [
            anchor_on(each, blob, one)
            for each, blob in blobs.items()
            for one in prints.of(blob)
            if one.kind in FUNCTIONS and last_part(one.qualified) == name
        ]
        nearest = [each for each in defined if each.path == path] or defined
        if len(nearest) == 1:
            yield from nearest
