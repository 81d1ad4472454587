"""Where `repomem show` says that a memory's code is."""

import pytest

from repomem.cli.recall.show_memory import anchor_text
from repomem.core.records import Anchor
from repomem.memories.show import ShownAnchor
from repomem.memories.status import AnchorLocation, Status

ANCHOR = Anchor("src/a.py", "Gone.render")


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (AnchorLocation(ANCHOR, Status.CURRENT, "src/a.py", "Gone.render"), "src/a.py:Gone.render"),
        (
            AnchorLocation(ANCHOR, Status.DRIFTED, "src/b.py", "Due.render", commit="c3e6ae38"),
            "src/a.py:Gone.render (drifted by c3e6ae38, now src/b.py:Due.render)",
        ),
        (
            AnchorLocation(ANCHOR, Status.DRIFTED, "src/a.py", "Gone.render", commit="c3e6ae38"),
            "src/a.py:Gone.render (drifted by c3e6ae38)",
        ),
        (AnchorLocation(ANCHOR, Status.GONE), "src/a.py:Gone.render (gone)"),
    ],
    ids=["current", "drifted elsewhere", "drifted in place", "gone"],
)
def test_an_anchor_shows_its_original_and_its_current_location(location: AnchorLocation, shown: str) -> None:
    assert anchor_text(ShownAnchor(ANCHOR, location)) == shown
