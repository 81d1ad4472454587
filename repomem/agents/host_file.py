"""repomem's entries in one file of a host: their state, installing and removing them.

The order of every change: read the file, remove our entries, add the wanted ones, save the receipt, replace the file in
one step. After an error the file is as it was.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from repomem.adapters.settings.block import (
    HASH_MARKS,
    MARKDOWN_MARKS,
    block_added,
    block_in,
    block_replaced,
    toml_of,
    toml_table_added,
    toml_table_removed,
    without_block,
)
from repomem.adapters.settings.edits import Edit, applied, text_of, value_at
from repomem.adapters.settings.files import read_foreign, replace_foreign
from repomem.adapters.settings.json_text import read_json
from repomem.adapters.settings.merge import Merge, merged_json
from repomem.adapters.settings.removal import without_empty, without_paths
from repomem.agents.edit_backups import (
    EXPORT,
    Receipt,
    digest_of,
    drop_receipt,
    keep_receipt,
    missing_folders,
    receipt_of,
    was_created,
)
from repomem.agents.entries import SERVER, Words, is_foreign_server, is_there, own_entries, server_words, words_in
from repomem.agents.rules_block import RULES_TITLE, is_only_rules
from repomem.agents.wanted_entries import Entry, Form, Target
from repomem.core.errors import ForeignError
from repomem.core.text.lazy_pattern import lazy_pattern

TAKEN = f"it has an MCP server of another program, called {SERVER!r}"
RENAME = "rename or remove that server, then run the command again"
NO_OBJECT: dict[str, Any] = {}
_PROGRAM = lazy_pattern(r"^const PROGRAM: string\[\] = (\[.*\])$", re.MULTILINE)  # of the plugin for OpenCode


class EntryState(StrEnum):
    """The state of an entry."""

    INSTALLED = "installed"
    ABSENT = "absent"
    OUTDATED = "outdated"  # of another installation or version of repomem
    BROKEN = "broken"  # its program no longer exists
    FOREIGN = "another program's"  # a server with our name
    REFUSED = "refused"


NOT_OURS = frozenset([EntryState.ABSENT, EntryState.FOREIGN, EntryState.REFUSED])


@dataclass(frozen=True, slots=True)
class EntryReport:
    """One entry, and the program that it starts if that is another installation."""

    name: str
    state: EntryState
    program: str = ""


Made = Sequence[tuple[str, ...]]


def entry_states(target: Target, host: str) -> tuple[EntryReport, ...]:
    """The state of each entry in the file. Raises ForeignError if the file is unreadable or ambiguous."""
    content = read_foreign(target.path).content
    target = with_kept_rules(target, content)
    if content is None:
        return tuple(EntryReport(entry.name, EntryState.ABSENT) for entry in target.entries)
    return tuple(_states(target, content, receipt_of(target.path, host)))


def is_complete(states: Sequence[EntryReport]) -> bool:
    """Whether every entry is installed."""
    return all(each.state is EntryState.INSTALLED for each in states)


def install_target(target: Target, host: str) -> bool:
    """Add our entries to the file; returns whether it changed. Raises RepomemError if it is left alone."""
    before, receipt = read_foreign(target.path), receipt_of(target.path, host)
    target = with_kept_rules(target, before.content)
    states = () if before.content is None else tuple(_states(target, before.content, receipt))
    if states and is_complete(states):
        return False
    if any(each.state is EntryState.FOREIGN for each in states):
        raise ForeignError(TAKEN, RENAME)
    base = None if before.content is None else _without_ours(target, host, before.content, receipt)
    merge = _added(target, base)
    content = applied(base or b"", merge.edits)
    folders = missing_folders(target.path) or (receipt.folders if receipt else ())
    made = tuple(tuple(map(str, path)) for path in merge.made)
    keep_receipt(target.path, host, Receipt(merge.edits, digest_of(content), made, base is None, folders))
    try:
        replace_foreign(before, content)
    except ForeignError:  # file and receipt stay as they were
        if receipt:
            keep_receipt(target.path, host, receipt)
        else:
            drop_receipt(target.path, host)
        raise
    return True


def uninstall_target(target: Target, host: str) -> bool:
    """Remove our entries from the file; returns whether it changed. Raises ForeignError if it is left alone.

    Rules that `repomem export` wrote stay: only `remove_export` saves what a person changed in them.
    """
    before, receipt = read_foreign(target.path), receipt_of(target.path, host)
    content = before.content
    if content is not None and with_kept_rules(target, content) != target:
        content = _with_only_rules(target, content)
        replace_foreign(before, content)
        _leave_to_export(target.path, host, receipt)
        return content != before.content
    if content is not None and (receipt or _holds_ours(target, content)):
        content = _without_ours(target, host, content, receipt)
        replace_foreign(before, content)
    for name in (host, EXPORT):
        drop_receipt(target.path, name)
    return content != before.content


def with_kept_rules(target: Target, content: bytes | None) -> Target:
    """The target with the rules that `repomem export` wrote into its file, which installing does not remove."""
    if content is None or target.form not in {Form.MARKDOWN, Form.WHOLE} or b"repomem" not in content:
        return target
    block = block_in(content, MARKDOWN_MARKS)
    if block is None or RULES_TITLE not in block:
        return target
    if target.form is Form.MARKDOWN:
        return replace(target, text=target.text + "\n" + block[block.index(RULES_TITLE) :])
    return replace(target, text=target.text + content[len(without_block(content, MARKDOWN_MARKS)) :].decode())


def _with_only_rules(target: Target, content: bytes) -> bytes:
    """The file without the instructions above its exported rules; Cursor's file is unchanged, since it needs them."""
    block = block_in(content, MARKDOWN_MARKS) or ""
    if target.form is not Form.MARKDOWN or is_only_rules(block):
        return content
    return block_replaced(content, MARKDOWN_MARKS, block[block.index(RULES_TITLE) :])


def _leave_to_export(path: Path, host: str, receipt: Receipt | None) -> None:
    """Drop a host's receipt; the export's says from now on what was created for the host."""
    if receipt:
        export = receipt_of(path, EXPORT) or Receipt((), "")
        folders = tuple(dict.fromkeys((*receipt.folders, *export.folders)))
        is_new = receipt.is_new_file or export.is_new_file
        keep_receipt(path, EXPORT, replace(export, is_new_file=is_new, folders=folders))
    drop_receipt(path, host)


def folders_made(targets: Sequence[Target], host: str) -> tuple[str, ...]:
    """The folders created for these files, innermost first; files may share one."""
    receipts = filter(None, (receipt_of(target.path, name) for target in targets for name in (host, EXPORT)))
    folders = dict.fromkeys(folder for receipt in receipts for folder in receipt.folders)
    return tuple(sorted(folders, key=len, reverse=True))


def remove_empty(folders: Sequence[str]) -> None:
    """Delete the empty ones of these folders."""
    for folder in folders:
        with suppress(OSError):
            Path(folder).rmdir()


def _states(target: Target, content: bytes, receipt: Receipt | None) -> Iterator[EntryReport]:
    if target.form is Form.JSON:
        yield from _json_states(target, read_json(content).value)
        return
    for entry in target.entries:
        yield _text_state(target, entry, content, receipt)


def _json_states(target: Target, value: Any) -> Iterator[EntryReport]:
    known = set()
    for entry in target.entries:
        there, wanted = value_at(value, entry.path), words_in(entry.value)
        known.add(wanted)
        if not entry.is_element and is_foreign_server(there):
            yield EntryReport(entry.name, EntryState.FOREIGN)
            continue
        if entry.is_element:
            others = {words_in(each.value) for each in target.entries if each.path == entry.path and each is not entry}
            found = [own.words for own in own_entries(there, entry.path) if own.words not in others]
        else:
            found = [] if there is None else [server_words(there)]
        known.update(found)
        yield _state(entry.name, wanted, found)
    left = [own.words for own in own_entries(value) if own.words not in known] if not target.command else []
    if left:
        yield _state("what an earlier version added", (), left)


def _text_state(target: Target, entry: Entry, content: bytes, receipt: Receipt | None) -> EntryReport:
    if target.form is Form.TOML:
        there = value_at(toml_of(content), entry.path)
        if is_foreign_server(there):
            return EntryReport(entry.name, EntryState.FOREIGN)
        return _state(entry.name, words_in(entry.value), [] if there is None else [server_words(there)])
    if target.form is Form.MARKDOWN:
        block = block_in(content, MARKDOWN_MARKS)
        if block is None or is_only_rules(block):
            return EntryReport(entry.name, EntryState.ABSENT)
        return EntryReport(entry.name, EntryState.INSTALLED if block == target.text else EntryState.OUTDATED)
    if content == target.text.encode():
        return EntryReport(entry.name, EntryState.INSTALLED)
    if not _is_our_file(target, content, receipt):
        raise ForeignError("repomem did not write it, or it was changed since", "move it away and install again")
    found = _plugin_words(content)
    return _state(entry.name, (), [found]) if found else EntryReport(entry.name, EntryState.OUTDATED)


def _state(name: str, wanted: Words, found: Sequence[Words]) -> EntryReport:
    others = [words for words in found if words != wanted]
    if not found:
        return EntryReport(name, EntryState.ABSENT)
    if not others:
        return EntryReport(name, EntryState.INSTALLED if is_there(wanted) else EntryState.BROKEN)
    broken = [words for words in others if not is_there(words)]
    program = next(iter([*broken, *others]))[:1]
    return EntryReport(name, EntryState.BROKEN if broken else EntryState.OUTDATED, *program)


def _holds_ours(target: Target, content: bytes) -> bool:
    """Whether the file has an entry of repomem, without looking at receipts."""
    if b"repomem" not in content:
        return False  # an unreadable file counts as having none
    if target.form is Form.JSON:
        return any(own_entries(read_json(content).value))
    if target.form is Form.WHOLE:
        return _is_our_file(target, content, None)
    return block_in(content, MARKDOWN_MARKS if target.form is Form.MARKDOWN else HASH_MARKS) is not None


def _added(target: Target, base: bytes | None) -> Merge:
    content = base or b""
    if target.form is Form.JSON:
        return merged_json(content, target.wanted)
    if target.form is Form.TOML:
        return Merge((toml_table_added(content, target.entries[0].path, target.text),), ())
    if target.form is Form.MARKDOWN:
        return Merge((block_added(content, MARKDOWN_MARKS, target.text),), ())
    return Merge((Edit(0, content, target.text.encode()),), ())


def _without_ours(target: Target, host: str, content: bytes, receipt: Receipt | None) -> bytes | None:
    """The file without our edits, to the byte if the receipt allows; None if it would not exist."""
    if target.form is Form.WHOLE:
        if not _is_our_file(target, content, receipt):
            raise ForeignError("repomem did not write it, or it was changed since", "delete it by hand")
        return None
    made = receipt.made if receipt else ()
    if receipt and receipt.is_of(content):
        left = receipt.undone(content)
    else:
        left = _removed(target, content, made)
        undone = receipt.undone(content) if receipt else left
        left = undone if _is_as_good(target, undone, left, made) else left
    return None if was_created(target.path, host) and _is_empty(target, left, made) else left


def _removed(target: Target, content: bytes, made: Made) -> bytes:
    """The file without our entries and the empty containers made for them."""
    if target.form is Form.TOML:
        return toml_table_removed(content, target.entries[0].path)
    if target.form is Form.MARKDOWN:
        return without_block(content, MARKDOWN_MARKS)
    content = without_paths(content, [own.place for own in own_entries(read_json(content).value)])
    return without_empty(content, made)


def _is_as_good(target: Target, undone: bytes, removed: bytes, made: Made) -> bool:
    """Whether undoing the text of a file that others changed gives the same value as removing by structure."""
    if target.form is not Form.JSON:
        return undone.split() == removed.split()
    with suppress(ForeignError):
        ours, theirs = read_json(undone), read_json(removed)
        is_same = (ours.value or NO_OBJECT) in (theirs.value or NO_OBJECT, _bare(theirs.value, made))
        return is_same and len(ours.last_commas) <= len(theirs.last_commas)
    return False


def _is_empty(target: Target, content: bytes, made: Made) -> bool:
    if target.form is not Form.JSON:
        return not content.strip()
    settings = read_json(content)
    return not _bare(settings.value, made) and not settings.comments


def _bare(value: Any, made: Made) -> Any:
    """The value without the top-level plain values that were added."""
    if not isinstance(value, dict):
        return value or NO_OBJECT
    return {key: each for key, each in value.items() if (key,) not in made or isinstance(each, dict | list)}


def _is_our_file(target: Target, content: bytes, receipt: Receipt | None) -> bool:
    """Whether the file is unchanged since some installation wrote it."""
    if receipt and receipt.is_of(content):
        return True
    return _PROGRAM.sub("", text_of(content)) == _PROGRAM.sub("", target.text)


def _plugin_words(content: bytes) -> Words:
    found = _PROGRAM.search(text_of(content))
    return tuple(json.loads(found[1])) if found else ()
