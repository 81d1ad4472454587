"""`repomem profile`: what this repository is, slot by slot, each line with its source."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, workspace_at
from repomem.cli.terminal.formats import Format, is_rich, out_json, out_table
from repomem.profile.slots import Action, Slot

if TYPE_CHECKING:
    from repomem.profile.slots import Profile

SCHEMA = "repomem.profile/1"


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What the command line asks for; without a slot the profile is only printed."""

    directory: Path
    slot: Slot | None = None
    text: str = ""
    action: Action = Action.REPLACE
    format: Format = Format.TEXT


def profile_command(request: ProfileRequest) -> None:
    """Correct a slot where that is asked for, and print the profile of a work tree as it was last indexed."""
    from repomem.profile.corrections import correct, corrections_of
    from repomem.profile.profile import profile_of

    form = request.format
    with workspace_at(request.directory) as workspace:
        if request.slot:
            correct(workspace, request.slot, request.action, request.text, speaker())
        profile = profile_of(workspace, corrections_of(workspace))
    if form is Format.JSON:
        out_json(_json(profile))
    elif is_rich():
        out_table("Profile", ("slot", "", "source"), [(line.slot, line.said, line.source) for line in profile.lines])
    else:
        out("".join(f"{line.whole}\n" for line in profile.lines))


def _json(profile: "Profile") -> dict[str, object]:
    slots = [{"slot": line.slot, "text": line.said, "source": line.source} for line in profile.lines]
    return {"schema": SCHEMA, "tokens": profile.tokens, "slots": slots}
