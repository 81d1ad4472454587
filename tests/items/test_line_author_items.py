"""Which of the commits that wrote the lines shown are named."""

from support.repositories import Commit, MakeRepository
from support.samples import ready_at

from repomem.history.change_history import change_history_of
from repomem.history.line_authors import line_authors
from repomem.items.line_authors import AUTHORS, line_author_items
from repomem.ranking.excerpts import Excerpt


def test_a_commit_whose_message_is_about_the_task_is_named_before_those_that_wrote_more(
    make_repository: MakeRepository,
) -> None:
    parts = [
        f"def part_{at}(parcel):\n    parcel.weigh_{at}()\n    return parcel.stamp_{at}()\n" for at in range(AUTHORS)
    ]
    short = "def late(parcel):\n    return parcel.wait_for_courier()\n"
    texts = ["".join(parts[: at + 1]) for at in range(AUTHORS)]
    commits = [Commit({"a.py": text}, f"Part {at}") for at, text in enumerate(texts)]
    folder = make_repository(*commits, Commit({"a.py": texts[-1] + short}, "Wait for a late courier"))
    with ready_at(folder) as it:
        record = change_history_of(it.snapshot)
        excerpt = Excerpt("a.py", 1, tuple((texts[-1] + short).splitlines()), 1.0)
        best = line_authors(record, [excerpt], {})
        plain, asked = (
            [each.item.title for each in line_author_items(record, [excerpt], best, [], relevance)]
            for relevance in (lambda _: 1.0, lambda episode: 5.0 if "courier" in episode.subject else 1.0)
        )
    assert "Wait for a late courier" not in plain
    assert asked[0] == "Wait for a late courier"
    assert len(plain) == len(asked) == AUTHORS
