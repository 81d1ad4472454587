"""The weights of a repository's own: fitted on its history, kept beside its index, and read by every recall.

They replace the shipped ones that they were fitted from. Where other ones are shipped now, or the file is damaged, the
shipped ones serve and a notice says so; losing the file loses a fit.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.adapters.git.run import Repository
from repomem.core.errors import StoreError
from repomem.ranking.trial import Trial
from repomem.workspace.workspace import FOLDER

if TYPE_CHECKING:  # `status` asks too, and ranks nothing
    from repomem.ranking.signals import Weights

FILE = "weights.json"
AGAIN = "the shipped ones serve; repomem eval --fit makes new ones, --unfit drops the file"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where weights come from, and what they were worth when they were kept."""

    since: str  # ISO 8601
    head: str  # the newest commit that they were tried on or before
    trial: Trial


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """Weights that were kept for one repository."""

    weights: "Weights"
    origin: Origin


def folder_of(repository: Repository) -> Path:
    """Where a repository's own weights lie; it need not exist."""
    return repository.common_dir / FOLDER


def serving_weights(folder: Path, notices: list[str]) -> "Weights":
    """What a brief is ranked by; `notices` is added to where there is a file that does not serve."""
    from repomem.ranking.signals import RECALL

    found = own_weights(folder)
    if isinstance(found, OwnWeights):
        return found.weights
    if found and found not in notices:
        notices.append(found)
    return RECALL


def own_weights(folder: Path) -> OwnWeights | str:
    """The weights in a repository's folder; else why what is there does not serve, empty where nothing is."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        text = ""
    from repomem.ranking.signals import RECALL, as_values, weights_from

    try:
        said = json.loads(text)
        if said["from"] != as_values(RECALL):
            return f"this repository's own weights were fitted from others than are shipped now: {AGAIN}"
        return OwnWeights(weights_from(said["weights"]), _origin_from(said["origin"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return f"this repository's own weights in {folder / FILE} cannot be read: {AGAIN}"


def keep_weights(folder: Path, own: OwnWeights) -> None:
    """Keep weights, in place of earlier ones: who reads sees those or these. StoreError where that cannot be done."""
    from repomem.ranking.signals import RECALL, as_values

    said = {"weights": as_values(own.weights), "from": as_values(RECALL), "origin": asdict(own.origin)}
    draft = folder / f"{FILE}.{os.getpid()}"
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(said, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / FILE)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        hint = "check its owner and mode"
        raise StoreError(f"cannot keep the weights in {folder}: {error.strerror}", hint) from error


def drop_weights(folder: Path) -> bool:
    """Let the shipped weights serve again; whether there were others. StoreError where the file cannot be deleted."""
    try:
        (folder / FILE).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        hint = "check its owner and mode"
        raise StoreError(f"cannot delete {folder / FILE}: {error.strerror}", hint) from error
    return True


def _origin_from(said: dict[str, Any]) -> Origin:
    trial = said["trial"]
    was, now = ({name: float(value) for name, value in trial[when].items()} for when in ("before", "after"))
    if not was or was.keys() != now.keys():
        raise ValueError("the two were measured alike")
    parsed = Trial(int(trial["fitted_on"]), int(trial["held_back"]), was, now, float(trial["chance"]))
    return Origin(str(said["since"]), str(said["head"]), parsed)
