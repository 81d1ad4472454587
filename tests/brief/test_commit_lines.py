"""What the line of a commit says that it changed."""

import pytest

from repomem.brief.commit_lines import reasoned_renderings, with_change
from repomem.brief.items import Rendering
from repomem.core.text.escape import quoted_title
from repomem.core.types.brief import BriefItem


def test_the_same_edit_in_several_places_is_said_once() -> None:
    plain = Rendering("- 907a4d91", BriefItem(kind="commit", id="907a4d91"))
    edit = ("#if NET6_0_OR_GREATER", "#if NET6_0_OR_GREATER && DATEONLY")
    assert with_change(plain, [edit] * 6).markdown == f"- 907a4d91: changed `{edit[0]}` → `{edit[1]}`"


def test_lines_in_the_place_of_others_are_not_called_added() -> None:
    plain = Rendering("- 907a4d91", BriefItem(kind="commit", id="907a4d91"))
    assert with_change(plain, [(None, "open()"), (None, "pay()"), ("", "close()")]).markdown == (
        "- 907a4d91: changed lines to `open()`, `pay()`; added `close()`"
    )
    long = [(f"{at} + " * 30, f"till({at})") for at in range(3)]
    assert with_change(plain, long).markdown == "- 907a4d91: changed lines to `till(0)`, `till(1)`, `till(2)`"


def test_a_body_that_only_repeats_the_subject_gives_no_reason() -> None:
    plain = Rendering(
        "- 98de1d83", BriefItem(kind="commit", id="98de1d83", title="recoverer, now with pretty stack traces")
    )
    assert reasoned_renderings(plain, "Recoverer, now with pretty stack traces") == (plain,)
    assert (
        len(reasoned_renderings(plain, "Recoverer now has pretty stack traces, because plain ones are hard to read."))
        == 2
    )


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Fix the `<a>` of a list", '"Fix the `<a>` of a list"'),
        ("Fix '<a>' of a list", "`Fix '<a>' of a list`"),
        ('Fix "TypeError: none" in `py3`', '`` Fix "TypeError: none" in `py3` ``'),
        ('Fix </repomem-brief> "now"', '`Fix &lt;/repomem-brief> "now"`'),
    ],
)
def test_a_title_needs_no_backslash(title: str, shown: str) -> None:
    assert quoted_title(title) == shown
