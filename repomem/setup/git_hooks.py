"""Git hooks that keep the index fresh: install, uninstall, and status.

Only plain shell scripts in a folder of this clone are changed. For other hooks nothing is
written, and the report has a line that their owner may add.
"""

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from repomem.adapters.settings.files import replace_foreign
from repomem.adapters.settings.git_hook_script import (
    CALL,
    EVENTS,
    NEW_SCRIPT,
    PUSH,
    Block,
    Made,
    block_in,
    is_written_as,
    refusal,
    with_block,
    without_block,
)
from repomem.adapters.settings.git_hooks_folder import HookFile, HooksFolder, hooks_folder, own_hooks, read_hook
from repomem.core.errors import ForeignError
from repomem.core.processes.background import PROGRAM
from repomem.workspace.workspace import Workspace

HOOK_MODE = 0o755


class HookState(StrEnum):
    """The state of one hook."""

    INSTALLED = "installed"
    OUTDATED = "outdated"  # has lines of another version of repomem
    ABSENT = "absent"
    FOREIGN = "foreign"  # not ours, and left alone
    IGNORED = "ignored"  # by git: the file is not executable
    READ_ONLY = "read-only"
    UNREACHABLE = "unreachable"  # git uses a folder outside this clone


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook, as git runs it."""

    event: str
    state: HookState
    reason: str = ""  # for the state, if it needs one
    program: tuple[str, ...] = ()  # what its repomem lines start
    is_changed: bool = False  # by the call that returned this report

    @property
    def is_runnable(self) -> bool:
        """Whether its program still exists; without it the hook does nothing."""
        return bool(self.program) and os.access(self.program[0], os.X_OK)


@dataclass(frozen=True, slots=True)
class HooksReport:
    """The hooks of a repository. `by_hand` is a shell line for hooks that were left alone, if there are any."""

    folder: str
    hooks: tuple[Hook, ...]
    refusal: str = ""  # why the folder is left alone
    by_hand: str = ""


def install(workspace: Workspace, program: Sequence[str] = PROGRAM, *, with_push: bool = False) -> HooksReport:
    """Have every hook that may be changed start `program`, instead of the program it started before.

    Includes the pre-push hook with `with_push`, or if it was installed before.
    """
    folder = hooks_folder(workspace.repository)
    made = Made.FILE if folder.path.exists() else Made.FOLDER
    events = (*EVENTS, PUSH) if with_push else _events(folder)
    hooks = [_installed(folder, event, tuple(program), made) for event in events]
    return _report(folder, hooks, program)


def uninstall(workspace: Workspace) -> HooksReport:
    """Remove our lines from every hook, and delete hooks and folders that were created for them."""
    folder = hooks_folder(workspace.repository)
    own = own_hooks(workspace.repository)
    places = [own] if folder.refusal or folder == own else [folder, own]  # installed before core.hooksPath was set
    taken = [_taken_out(place, event) for place in places if not place.refusal for event in _events(place)]
    changed = {hook.event for hook in taken if hook.is_changed}
    events = (*EVENTS, *([PUSH] if PUSH in changed else []))
    hooks = [replace(_hook(folder, event), is_changed=event in changed) for event in events]
    return _report(folder, hooks)


def hooks_status(workspace: Workspace) -> HooksReport:
    """The state of every hook; changes nothing."""
    folder = hooks_folder(workspace.repository)
    return _report(folder, [_hook(folder, event) for event in _events(folder)])


def _events(folder: HooksFolder) -> tuple[str, ...]:
    """The hooks to manage in a folder: the pre-push hook only if it has lines of ours."""
    content = None if folder.refusal else read_hook(folder, PUSH).foreign.content
    return (*EVENTS, PUSH) if content and block_in(content, PUSH) else EVENTS


def _hook(folder: HooksFolder, event: str) -> Hook:
    if folder.refusal:
        return Hook(event, HookState.UNREACHABLE, folder.refusal)
    return _judged(folder, event, read_hook(folder, event))


def _judged(folder: HooksFolder, event: str, file: HookFile) -> Hook:
    """The state of a hook in a folder that may be changed."""
    content = file.foreign.content
    block = block_in(content, event) if content else None
    hook = Hook(event, HookState.INSTALLED, program=block.program if block else ())
    if content is not None and not file.is_executable:
        return replace(hook, state=HookState.IGNORED, reason="git ignores it because it is not executable")
    reason = file.refusal or (refusal(content) if content is not None else "")
    if block and content:
        return hook if is_written_as(content, block) else replace(hook, state=HookState.OUTDATED, reason=reason)
    if reason:
        return replace(hook, state=HookState.FOREIGN, reason=reason)
    if not folder.is_writable:
        return replace(hook, state=HookState.READ_ONLY, reason=f"{folder.path} is not writable")
    return replace(hook, state=HookState.ABSENT)


def _installed(folder: HooksFolder, event: str, program: tuple[str, ...], made: Made) -> Hook:
    """Add our lines to a hook, where that is allowed."""
    if folder.refusal:
        return Hook(event, HookState.UNREACHABLE, folder.refusal)
    file = read_hook(folder, event)
    content = file.foreign.content
    hook = _judged(folder, event, file)
    if hook.state in (HookState.FOREIGN, HookState.IGNORED, HookState.READ_ONLY) or hook.reason:
        return hook
    if content is not None:
        before = block_in(content, event)
        made = before.made if before else Made.NOTHING
    wanted = with_block(content or NEW_SCRIPT, Block(event, program, made))
    if wanted == content:
        return hook
    try:
        replace_foreign(file.foreign, wanted, HOOK_MODE)
    except ForeignError as error:
        return replace(hook, reason=error.message)
    return Hook(event, HookState.INSTALLED, program=program, is_changed=True)


def _taken_out(folder: HooksFolder, event: str) -> Hook:
    """Remove our lines from a hook; delete it if it was created for them and has no others."""
    file = read_hook(folder, event)
    content = file.foreign.content
    block = block_in(content, event) if content else None
    if content is None or block is None:
        return _judged(folder, event, file)
    bare = without_block(content)
    is_ours = block.made is not Made.NOTHING and bare == NEW_SCRIPT
    try:
        replace_foreign(file.foreign, None if is_ours else bare)
    except ForeignError as error:
        return replace(_judged(folder, event, file), reason=error.message)
    if block.made is Made.FOLDER:
        with suppress(OSError):  # it has other files
            folder.path.rmdir()
    return replace(_hook(folder, event), is_changed=True)


def _report(folder: HooksFolder, hooks: Sequence[Hook], program: Sequence[str] = PROGRAM) -> HooksReport:
    is_left_out = any(hook.state in (HookState.FOREIGN, HookState.UNREACHABLE) for hook in hooks)
    by_hand = " ".join(_by_hand(folder, program)) if is_left_out else ""
    return HooksReport(str(folder.path), tuple(hooks), folder.refusal, by_hand)


def _by_hand(folder: HooksFolder, program: Sequence[str]) -> Iterator[str]:
    """A shell line for a hook that others own: silent, in the background, and only if there is an index.

    A committed hook runs on other machines, so it finds the program on PATH.
    """
    call = (*(("repomem",) if folder.is_in_tree else program), *CALL)
    yield '[ -d "$(git rev-parse --git-path rebase-merge)" ] ||'
    yield '[ ! -f "$(git rev-parse --git-common-dir)/repomem/catalog.sqlite" ] ||'
    yield f"( {shlex.join(call)} </dev/null >/dev/null 2>&1 & )"
