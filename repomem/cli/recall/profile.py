"""`repomem profile`: facts about this repository by slot, each line with its source."""

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, tell
from repomem.cli.terminal.formats import Format, is_rich, out_json, out_table
from repomem.core.text.counts import counted
from repomem.memories.learned.profile_lines import learned_lines
from repomem.profile.profile import correct, corrections_in, profile_of
from repomem.profile.profile_lines import MOST_TOKENS, Action, Profile, Slot
from repomem.workspace.freshness import is_behind
from repomem.workspace.ledger import records_here
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.profile/1"
BEHIND = "files have changed since these facts were read; to update them: repomem index"


def profile_command(workspace: Workspace, slot: str | None, text: str, action: Action, form: Format) -> None:
    """Print the profile of a worktree as last indexed, or one slot or label; with text or an action correct a slot."""
    only = slot if not text and action is Action.REPLACE else None  # printed, not corrected
    if slot and only is None:
        correct(workspace, Slot(slot), action, text, speaker())
    records = records_here(workspace)
    profile = profile_of(workspace, corrections_in(records), learned_lines(records), only)
    if is_behind(workspace):
        tell(BEHIND)
    if form is Format.JSON:
        out_json(_json(profile))
    elif is_rich():
        out_table(
            "Profile", ("slot", "fact", "source"), [(line.slot, line.shown, line.source) for line in profile.lines]
        )
        out(_left_out(profile))
    else:
        out("".join(f"{line.whole}\n" for line in profile.lines) + _left_out(profile))


def _left_out(profile: Profile) -> str:
    """How many facts do not fit, as a line; empty if all do."""
    return f"Left out: {counted(profile.omitted, 'fact')} beyond {MOST_TOKENS} tokens.\n" if profile.omitted else ""


def _json(profile: Profile) -> dict[str, object]:
    slots = [{"slot": line.slot, "text": line.shown, "source": line.source} for line in profile.lines]
    return {"schema": SCHEMA, "tokens": profile.tokens, "slots": slots, "omitted": profile.omitted}
