"""What changes with the file of the first place, from the commits that are recorded of it."""

from collections.abc import Iterator, Sequence

from repomem.brief.items import Offer, Section
from repomem.brief.lines import together_form
from repomem.history.change_history import ChangeHistory
from repomem.history.episodes import episodes_by_commit, recent_episodes
from repomem.ranking.co_change import MOST_FILES, co_changes

COMMITS_READ = 100  # newest of the file
RANK = 24.9  # after the first definitions, before the paths of further files
PLACE = 50.0  # at the end of its section


def together_for(record: ChangeHistory, places: Sequence[Offer]) -> Iterator[Offer]:
    """One line on the files that changed with that of the first place."""
    for place in places[:1]:
        path = place.forms[0].item.path
        snapshot = record.snapshot
        commits = list(dict.fromkeys(change.commit for change in reversed(record.changes_of(record.names_of(path)))))
        episodes = episodes_by_commit(snapshot, commits[:COMMITS_READ])
        own = [episodes[commit] for commit in commits if commit in episodes]  # newest first
        found = co_changes(path, own, recent_episodes(snapshot), snapshot.tree.paths)
        if found:
            form = together_form(path, found.commits, MOST_FILES, found.others)
            yield Offer(Section.WHERE, RANK, (form,), place=PLACE)
