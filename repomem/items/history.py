"""Candidate items from history: similar edits, relevant commits, reverted commits, and co-changes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace

from repomem.adapters.languages.file_roles import is_test
from repomem.brief import order
from repomem.brief.commit_lines import (
    NAMED,
    commit_rendering,
    precedent_rendering,
    reasoned_renderings,
    reverted_rendering,
    siblings_rendering,
    with_change,
    written_text,
)
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.lines import co_change_rendering, registration_rendering
from repomem.brief.reasons import LENGTH
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import DEFINES, whole, words_of
from repomem.core.times import years_between
from repomem.core.types.commits import Edit, Episode
from repomem.history.change_history import ChangeHistory
from repomem.history.episodes import (
    OLD,
    HistoryMatches,
    RelatedEpisode,
    episodes_with_state,
    newest_day,
    recent_episodes,
    related_episodes,
)
from repomem.history.line_authors import line_authors
from repomem.history.live_files import existing
from repomem.history.precedents import precedent
from repomem.history.relevant_reverts import FailedAttempt, failed_attempts_for, with_failed_attempts
from repomem.history.removals import with_removals
from repomem.history.similar_edit_search import SimilarEditSearch, begin_similar_edits, similar_edits_for
from repomem.history.small_changes import small_change
from repomem.items.line_authors import AUTHORS, line_author_items, shown_parts
from repomem.items.named_commits import named_commits
from repomem.items.places import Places
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.co_change import co_changes, registrations
from repomem.ranking.query import Query
from repomem.workspace.snapshot import Snapshot

COMMITS_OF_KINDS = 1_000  # newest, for files edited with a new file: few commits add one
PLACES_OF_KINDS = 3  # first places: a new file may be of the same kind as one of these
COMMITS_READ = 100  # newest of a file, for co-change
STRONG_MATCH = 0.7  # share of the best match's score from which a commit is shown however old
WITH_REASON = 1  # first commits of those that answer a question, shown with their reason
ANSWERS = 0.6  # share of the question that makes the best commit come before all places
_ADDS = lazy_pattern(r"\b(?:new|(?:add|port|implement)(?:s|ed|ing)?|(?:creat|introduc)(?:e[sd]?|ing))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RelevantHistory:
    """The history's evidence for a task."""

    matches: HistoryMatches
    most: int  # matching commits shown
    answer: Episode | None  # the commit that answers the question; shown first


def co_change_items(record: ChangeHistory, places: Sequence[CandidateItem]) -> Iterator[CandidateItem]:
    """One line on the files that changed together with that of the first place."""
    for place in places[:1]:
        path, snapshot = place.item.path, record.snapshot
        commits = list(dict.fromkeys(change.commit for change in reversed(record.changes_of(record.names_of(path)))))
        episodes = snapshot.episodes_by_commit(commits[:COMMITS_READ])
        own = [episodes[commit] for commit in commits if commit in episodes]  # newest first
        found = co_changes(path, own, recent_episodes(snapshot), snapshot.tree.paths)
        if found:
            namesakes = snapshot.tree.namesakes([path, *(other for other, _ in found.others)])
            is_recorded = len(record.commits) == len(snapshot.history.episodes)
            is_whole = is_recorded and len(commits) <= COMMITS_READ
            rendering = co_change_rendering(path, found.commits, found.others, namesakes, is_whole=is_whole)
            yield CandidateItem(*order.CO_CHANGE.nth(0), (rendering,))


def registration_items(snapshot: Snapshot, query: Query, places: Sequence[CandidateItem]) -> Iterator[CandidateItem]:
    """One line on the files that list each new file, if the task adds something to one of the first places."""
    if not _ADDS.search(query.text):
        return
    newest = [row.episode for row in snapshot.newest_episodes(COMMITS_OF_KINDS)]
    for place in places[:PLACES_OF_KINDS]:
        found = registrations(place.item.path, newest, snapshot.tree.paths)
        if found:
            is_whole = len(snapshot.history.episodes) <= COMMITS_OF_KINDS
            rendering = registration_rendering(
                found.folder, found.suffix, found.commits, found.others, is_whole=is_whole
            )
            yield CandidateItem(*order.CO_CHANGE.nth(1), (rendering,))
            return


def history_items(
    record: ChangeHistory, query: Query, past: RelevantHistory, places: Places
) -> Iterator[CandidateItem]:
    """Commits that wrote the lines shown, lines changed alike, matching commits, and reverts here."""
    first = sorted(places.items, key=lambda place: place.position)
    search = begin_similar_edits(record, [place.item for place in first])
    own = {one.commit: one for one in [*named_commits(record, query.text), *filter(None, [past.answer])]}
    commits = _chosen_commits(record, past, places, own)
    attempts = failed_attempts_for(record, query, places.functions, commits)
    siblings = list(_similar_edit_items(query, search, commits))
    yield from siblings
    shown = {candidate.item.commit for candidate in siblings}
    matching = {one.episode.commit for one in commits}
    precedents = list(_precedent_items(record.snapshot, query, past, shown | matching))
    yield from precedents
    shown |= {candidate.item.commit for candidate in precedents}
    namesakes = record.snapshot.tree.namesakes(one.path for one in places.excerpts)
    written = {one.commit: one for one in line_authors(record, places.excerpts, places.shares)[: 2 * AUTHORS]}
    others = [one for commit, one in written.items() if commit not in shown | matching]
    authors = list(line_author_items(record, places.excerpts, others, namesakes))
    yield from authors
    shown |= {candidate.item.commit for candidate in authors}
    is_alike = _alike_to(record.snapshot, query)
    answers = sum(one.episode.commit in own for one in commits) or int(past.matches.coverage >= ANSWERS)
    for at, one in enumerate(with_removals(record, with_failed_attempts(commits, attempts))):
        if one.kind == "tried" or one.episode.commit not in shown:
            row = order.BEST_COMMIT if at < answers else order.COMMIT
            has_reason = at < min(answers, WITH_REASON)
            change = small_change(record.snapshot, one.episode) if is_alike(one.episode) else ()
            named = replace(one, episode=_with_live_names(record.snapshot, query, one))
            is_named = one.episode.commit in own or _has_name_of(query, named.episode)
            author = None if is_named else written.get(one.episode.commit)
            parts = shown_parts(places.excerpts, author.lines) if author else ()
            written_texts = {written_text(lines, namesakes): about for about, lines in parts}
            alike = record.snapshot.tree.namesakes(file.path for file in named.episode.files)
            renderings = _commit_renderings(named, change, written_texts, alike, has_reason=has_reason)
            yield CandidateItem(*row.nth(at), renderings)
    yield from _reverted_items(attempts, matching)


def _precedent_items(
    snapshot: Snapshot, query: Query, past: RelevantHistory, shown: AbstractSet[str]
) -> Iterator[CandidateItem]:
    """The commit that did the same before, with its files that still exist, unless it is shown already or reverted."""
    found = precedent(query.text, (row.episode for row, _ in past.matches.scored))
    if found is None or found.commit in shown:
        return
    live = existing(snapshot, [each.path for each in found.files])
    if live and episodes_with_state(snapshot, [found])[0].kind != "tried":
        yield CandidateItem(*order.PRECEDENT.nth(0), (precedent_rendering(found, live, snapshot.tree.namesakes(live)),))


def _chosen_commits(
    record: ChangeHistory, past: RelevantHistory, places: Places, own: Mapping[str, Episode]
) -> list[RelatedEpisode]:
    """The question's `own` commits, those that it names and the one that answers it, and then the matching ones."""
    matching = related_commits(record, past.matches, past.most, places)
    first = episodes_with_state(record.snapshot, list(own.values()), only_losses=True)
    return _without_old_weak(record, [*first, *(one for one in matching if one.episode.commit not in own)], own)


def _commit_renderings(
    one: RelatedEpisode,
    change: Sequence[Edit],
    written: Mapping[str, frozenset[str]],
    namesakes: Sequence[str],
    *,
    has_reason: bool,
) -> tuple[Rendering, ...]:
    """The line of a commit: with its reason and, if given, the lines that it changed; then shorter ones.

    `written` has texts about the shown lines that it wrote, each with the code that shows them. If that code does not
    fit, the line names the commit's symbols instead.
    """
    forms = [
        replace(
            commit_rendering(one.episode, one.score, one.state, kind=one.kind, written=text, namesakes=namesakes),
            about=about,
        )
        for text, about in {**written, "": frozenset[str]()}.items()
    ]
    if change:
        forms.insert(0, with_change(forms[0], change))
    if has_reason:
        forms = [each for form in forms for each in reasoned_renderings(form, one.episode.body, LENGTH)]
    return tuple(dict.fromkeys(forms))


def _with_live_names(snapshot: Snapshot, query: Query, one: RelatedEpisode) -> Episode:
    """The commit with its most informative symbols, or its files; those that the question names come first.

    If lines of it remain, symbols that no longer exist are left out; otherwise symbols in tests are, since tests do not
    count for what remains.
    """
    symbols = one.episode.symbols
    if not one.remains:
        symbols = tuple(each for each in symbols if not is_test(each.rpartition(":")[0])) or symbols
        return replace(one.episode, symbols=symbols)
    if snapshot.lacks_files and symbols:
        return one.episode  # an unread file may define them
    names = {symbol: whole(symbol.rpartition(":")[2]) for symbol in symbols}
    counts = snapshot.view.chunk_words.frequencies([DEFINES + name for name in names.values()])
    symbols = tuple(symbol for symbol, name in names.items() if counts.get(DEFINES + name))
    if not symbols:
        return _with_live_files(snapshot, one.episode)
    wanted = set(query.names)
    return replace(one.episode, symbols=tuple(sorted(symbols, key=lambda symbol: names[symbol] not in wanted)))


def _has_name_of(query: Query, episode: Episode) -> bool:
    """Whether the question names one of a commit's symbols."""
    names = set(query.names)
    return any(whole(symbol.rpartition(":")[2]) in names for symbol in episode.symbols)


def _with_live_files(snapshot: Snapshot, episode: Episode) -> Episode:
    """A commit with its files that still exist first; others, such as news fragments after a release, are counted."""
    live = set(existing(snapshot, [each.path for each in episode.files]))
    here = tuple(each for each in episode.files if each.path in live)
    gone = tuple(each for each in episode.files if each.path not in live)
    files = (*here, *gone) if len(here) >= NAMED or not here else here
    return replace(episode, symbols=(), files=files)


def _alike_to(snapshot: Snapshot, query: Query) -> Callable[[Episode], bool]:
    """Tells whether a commit's subject has most of the task's first line, or an identifier that both spell."""
    task = Query(query.text.strip().partition("\n")[0])
    scorer = scorer_for(task.words, snapshot.history.words)

    def is_alike(episode: Episode) -> bool:
        is_near = scorer.coverage(frequencies_of(words_of(episode.title).split(), scorer.forms)) >= ANSWERS
        return is_near or not set(task.identifiers).isdisjoint(Query(episode.title).identifiers)

    return is_alike


def related_commits(record: ChangeHistory, matches: HistoryMatches, most: int, places: Places) -> list[RelatedEpisode]:
    """The matching commits that changed a file of the places; in others, only the message matches."""
    names = {name for path in {each.item.path for each in places.items} for name in record.names_of(path)}
    is_answer = matches.coverage >= ANSWERS

    def is_about(episode: Episode) -> bool:
        return is_answer or not names.isdisjoint(file.path for file in episode.files)

    return related_episodes(record.snapshot, matches, most, is_about)


def _without_old_weak(
    record: ChangeHistory, commits: Sequence[RelatedEpisode], own: Mapping[str, Episode]
) -> list[RelatedEpisode]:
    """The commits without old ones that match weakly or of which nothing remains, since the code has moved on.

    The best match and the question's `own` commits are always shown, except old ones whose files are gone and that were
    not reverted.
    """
    today = max([newest_day(record.snapshot), *(one.episode.date for one in commits)])

    def is_kept(one: RelatedEpisode) -> bool:
        is_best = one.score == 1 or one.episode.commit in own
        is_strong = is_best or one.score >= STRONG_MATCH
        has_code = not one.is_lost and (is_best or one.remains)
        return years_between(one.episode.date, today) <= OLD or (is_strong and (has_code or one.kind == "tried"))

    return [one for one in commits if is_kept(one)]


def _reverted_items(attempts: Sequence[FailedAttempt], shown: set[str]) -> Iterator[CandidateItem]:
    """The reverted commits that are not shown already, each once."""
    by_commit: dict[str, FailedAttempt] = {}
    for each in attempts:
        if each.before.commit not in shown:
            by_commit.setdefault(each.before.commit, each)
    for at, each in enumerate(by_commit.values()):
        rendering = reverted_rendering(each.change, each.before, each.after)
        yield CandidateItem(*order.REVERTED_COMMIT.nth(at), (rendering,))


def _similar_edit_items(
    query: Query, search: SimilarEditSearch, commits: Sequence[RelatedEpisode]
) -> Iterator[CandidateItem]:
    """The lines elsewhere that a commit changed in the same way as a line of a place."""
    found = similar_edits_for(query, search, [one.episode.commit for one in commits])
    episodes = search.history.snapshot.episodes_by_commit([one.commit for one in found])
    for at, one in enumerate(found):
        if one.commit in episodes:
            rendering = siblings_rendering(episodes[one.commit], one.siblings, one.spots, one.later)
            yield CandidateItem(*order.SIBLING_LINES.nth(at), (rendering,))
