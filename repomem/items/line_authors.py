"""Candidate items for the commits that wrote the lines shown."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from repomem.brief import order
from repomem.brief.commit_lines import author_rendering, reasoned_renderings
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import place_id
from repomem.core.types.commits import Episode
from repomem.history.change_history import ChangeHistory
from repomem.history.landed_again import landed_after
from repomem.history.line_authors import LineAuthor
from repomem.history.lines.patch_lines import line_hash
from repomem.history.messages import changes_layout, follows_linter, is_stated_revert
from repomem.ranking.excerpts import Excerpt
from repomem.workspace.snapshot import Snapshot

AUTHORS = 4  # commits that wrote the lines shown


def line_author_items(
    record: ChangeHistory, excerpts: Sequence[Excerpt], best: Sequence[LineAuthor], namesakes: Sequence[str]
) -> Iterator[CandidateItem]:
    """The commits that wrote most of the lines shown, the newest first: why the code is as it is.

    `namesakes` are the paths that a short path must differ from.
    """
    authors = {one.commit: one for one in best}
    episodes = _substantial(record.snapshot, authors)
    chosen = list(episodes)[:AUTHORS]
    dates = {commit: (episodes[commit].date, record.recorded.order[commit]) for commit in chosen}
    newest = sorted(chosen, key=dates.__getitem__, reverse=True)
    for at, commit in enumerate(newest):
        episode = episodes[commit]
        every = authors[commit].lines
        is_revert = is_stated_revert(episode.subject) and _are_back(record, commit, every, excerpts)
        again = landed_after(record, commit) if is_revert else ""
        renderings: list[Rendering] = []
        for about, lines in shown_parts(excerpts, every):
            plain = author_rendering(episode, lines, namesakes, is_revert=is_revert, again=again)
            plain = replace(plain, about=about)
            renderings += reasoned_renderings(plain, episode.body) if commit == chosen[0] else (plain,)
        yield CandidateItem(*order.LINE_AUTHOR.nth(at), tuple(renderings))


def shown_parts(
    excerpts: Sequence[Excerpt], lines: Mapping[str, Sequence[int]]
) -> Iterator[tuple[frozenset[str], dict[str, list[int]]]]:
    """Lines by path, with the ids of the excerpts (best first) that show them: for all excerpts, then for fewer.

    The worst excerpts may not fit in the budget.
    """
    own = [one for one in excerpts if any(one.start_line <= at <= one.end_line for at in lines.get(one.path, ()))]
    for count in range(len(own), 0, -1):
        shown: dict[str, list[int]] = {}
        for one in own[:count]:
            shown.setdefault(one.path, []).extend(at for at in lines[one.path] if one.start_line <= at <= one.end_line)
        yield frozenset(place_id(one.path, one.start_line, one.end_line) for one in own[:count]), shown


def _are_back(
    record: ChangeHistory, commit: str, lines: Mapping[str, Sequence[int]], excerpts: Sequence[Excerpt]
) -> bool:
    """Whether most lines that a commit wrote had been removed before; "restore the cache" alone may add new code.

    `lines` are line numbers by path, all of them in the excerpts.
    """
    order = record.recorded.order
    texts = {(one.path, at): text for one in excerpts for at, text in enumerate(one.lines, start=one.start_line)}
    found = []
    for path, numbers in lines.items():
        earlier = (one for one in record.changes_of(record.names_of(path)) if order[one.commit] < order[commit])
        lost = set[int]().union(*(one.taken_out for one in earlier))
        found += [line_hash(texts[path, at]) in lost for at in numbers]
    return 2 * sum(found) > len(found)


def _substantial(snapshot: Snapshot, commits: Collection[str]) -> dict[str, Episode]:
    """The commits in their order, without those that only changed layout or followed a linter."""
    episodes = snapshot.episodes_by_commit(commits)
    known = {commit: episodes[commit] for commit in commits if commit in episodes}
    return {
        commit: one for commit, one in known.items() if not (changes_layout(one.subject) or follows_linter(one.subject))
    }
