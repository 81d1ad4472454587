"""Extracts decisions, rules, gotchas and open work from a session, word for word.

Reads turn by turn: statements that are rejected, reverted or retracted later become failed attempts. Only the final
message of an agent's or sub-agent's turn counts; earlier messages are plans. Where the patterns find nothing in a
sentence, the classifier's finding counts.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.dialogue_state import LONGEST_TEXT, LONGEST_WHY, DialogueState, Noted, Option, Stated, is_same_text
from repomem.capture.statements import picked_options, replies
from repomem.capture.statements.agent_statements import agent_kind
from repomem.capture.statements.attempts import WORD_OF_ATTEMPTS, gives_up, is_attempt, is_parked
from repomem.capture.statements.classifier.find import FoundStatement, found_in
from repomem.capture.statements.classifier.scores import LogOdds
from repomem.capture.statements.classifier.stated import stated_of, with_subject
from repomem.capture.statements.clauses import LONGEST, clauses_of, unlabelled
from repomem.capture.statements.named_choices import NamedChoice, named_choice
from repomem.capture.statements.noise import without_noise
from repomem.capture.statements.not_statements import is_question
from repomem.capture.statements.open_work import is_taken_up, open_work, persons_threads_in, threads_in
from repomem.capture.statements.outcome import agent_sentences
from repomem.capture.statements.person_statements import names_no_thing, person_kind, takes_place
from repomem.capture.statements.reasons import SHORT_ANSWER, considered_in
from repomem.capture.statements.sentences import Clause, Sentence, masked, sentences_of
from repomem.capture.statements.source_sentences import with_sentences
from repomem.capture.turns import Turn
from repomem.core.records import MemoryKind
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.sessions.command_notes import TRIED

MOST_STATED = 20  # statements of a session, with open work: a long one has a dozen or more; still more are a document
MOST_THREADS = 5  # of these, open work

_PLACE = lazy_pattern(r"[.:][^#]*\Z")  # what follows the place of the sentence in the key of a statement
_POINTS_BACK = lazy_pattern(r"(?i)it\b")
_PROPOSES = lazy_pattern(
    r"(?i)^(?:i(?:'d| would)? (?:recommend|suggest|propose)"
    r"|i'd (?!need|have|love|like|guess|expect|say|be\b|rather not))\s*"
)
_HAPPENED = lazy_pattern(r"(?i)\b(?:was|were|had|did|took|broke|lost|went|got|cost|made|bit|hit|\w{3,}ed)\b")
_FOLLOWS = lazy_pattern(r"(?i)so\b(?! that\b)")
_SUGGESTS_RULE = lazy_pattern(r"(?is)should (?P<what>every .+)\?")


@dataclass(frozen=True, slots=True)
class Statements:
    """What a session states, valid at its end."""

    stated: Sequence[Stated]
    tried: Sequence[Noted]
    unsure: Sequence[Stated]  # sentences that may state nothing lasting


def statements_in(turns: Sequence[Turn], log_odds: LogOdds, noise: Sequence[str]) -> Statements:
    """The statements of a session, without those like `noise`."""
    session = DialogueState()
    has_worked = False
    every = found_in(turns, log_odds).items()
    found = {at: [one for one in some if not _is_done(one, turns[at + 1 :])] for at, some in every}
    for at, turn in enumerate(turns):
        has_worked = has_worked or turn.has_work
        before = turns[at - 1] if at else Turn(None, ())
        if turn.asked:
            sentences = sentences_of(turn.asked.text, is_prompt=True)
            _read_prompt(session, turn.asked, sentences, before, at)
            chosen = named_choice(sentences, [one.final for one in reversed(turns[max(at - 2, 0) : at])])
            if chosen and chosen.is_alone:
                _take_choice(session, turn.asked, chosen, at)
            _read_found(session, [one for one in found.get(at, ()) if one.message.is_persons], at)
            if chosen:
                _take_choice(session, turn.asked, chosen, at)
        commands = (step.text for step in turn.steps if step.kind is StepKind.RAN and not step.is_refused)
        if any(map(replies.REVERTS_EDITS.search, commands)):
            session.drop_decisions(at - 1, "the agent reverted its edits")
        for inner in turn.subagents:
            _read_agent(session, inner, at, has_worked=inner.has_work)
        _read_agent(session, turn, at, has_worked=has_worked)
        if not _is_declined(turn):
            _read_found(session, [one for one in found.get(at, ()) if not one.message.is_persons], at)
    is_of_work = any(step.kind is not StepKind.SAID for turn in turns for step in turn.steps)
    threads = list(threads_in(turns)) if is_of_work else []
    stated = session.valid([turn.edited for turn in turns])
    known = {one.text for one in stated}
    labelled = [one for one in persons_threads_in(turns) if not any(one.text in text for text in known)]
    open_ends = [one for one in (*session.parked, *labelled, *threads) if one.text not in known]
    kept = _bounded(without_noise(stated, noise), without_noise(open_ends, noise))
    texts = [one.text for one in kept]
    unsure = [one.stated for one in session.unsure if not any(is_same_text(one.stated.text, text) for text in texts)]
    return Statements(with_sentences(kept, turns), session.tried, without_noise(unsure, noise))


def _bounded(stated: Sequence[Stated], threads: Sequence[Stated]) -> list[Stated]:
    """At most MOST_STATED statements in session order; the person's take precedence, then the agent's."""
    every = [*stated, *threads[:MOST_THREADS]]
    ranked = sorted(every, key=lambda one: (one.kind is MemoryKind.THREAD, not one.is_persons))[:MOST_STATED]
    return [one for one in every if one in ranked]


def _read_prompt(session: DialogueState, asked: Step, sentences: Sequence[Sentence], before: Turn, turn: int) -> None:
    """Apply a prompt: retractions first, then its statements."""
    final, count = agent_sentences(before.final), len(session.active)
    if sentences and replies.refuses(asked.text, final[-1].text if final else ""):
        session.drop_decisions(turn - 1, sentences[0].text)
    elif replies.accepts(asked.text):
        suggested = _suggested(final, before.final) if replies.MAKES_IT_LAST.search(asked.text) else []
        for proposed in (*_accepted(final, before.final), *suggested):
            session.take(proposed, turn)
    for sentence in sentences:
        _apply_retraction(session, asked, sentence, turn)
    if sentences and replies.DENIES.search(sentences[0].masked):
        session.forget_turn(turn - 1)
    session.tried += [_tried(asked, sentence, sentences) for sentence in sentences if is_attempt(sentence)]
    has_room = len(session.active) < count
    if choice := _choice(session.offered, asked, sentences):
        session.choose(choice, turn)
    picking = {one.place for one in sentences if picked_options.picked_option([one], session.offered)}
    for clause in (each for each in clauses_of(sentences) if each.place not in picking):
        if new := _persons(asked, clause, before.final):
            subject = sentences[clause.place - 1].text if clause.place else ""
            why = new.why or (_reason_before(sentences, clause) if _FOLLOWS.match(clause.whole) else "")
            text = one_line(with_subject(new.text, subject), LONGEST_TEXT)
            session.take(replace(new, text=text, why=one_line(why, LONGEST_WHY)), turn)
        elif has_room and takes_place(clause):
            own = replace(clause, why=clause.why or _reason_before(sentences, clause))
            session.take(_stated(asked, own, MemoryKind.DECISION, own.text, is_persons=True), turn)


def _choice(offered: Sequence[Option], asked: Step, sentences: Sequence[Sentence]) -> Stated | None:
    """The option that a prompt picks by its label, with what else it says as the reason."""
    picked = picked_options.picked_option(sentences, offered)
    why = picked_options.reason_of_choice(sentences)
    return picked and _chosen(asked, "0:choice", picked_options.worded_choice(picked, offered), why)


def _take_choice(session: DialogueState, asked: Step, named: NamedChoice, at: int) -> None:
    """Add a prompt's choice, if nothing else was found in the prompt."""
    if not any(one.stated.key.startswith(f"{asked.key}#") for one in session.active):
        session.take(_chosen(asked, f"{named.place}.0", named.text, named.why), at)


def _chosen(asked: Step, place: str, text: str, why: str) -> Stated:
    """The person's decision for something that the agent offered."""
    return Stated(
        key=f"{asked.key}#{place}",
        at=asked.at,
        kind=MemoryKind.DECISION,
        text=one_line(text, LONGEST_TEXT),
        why=one_line(why, LONGEST_WHY),
        is_persons=True,
    )


def _reason_before(sentences: Sequence[Sentence], clause: Clause) -> str:
    """The sentence before a clause, as its reason; empty if that is too short or a retraction."""
    before = next((sentence for sentence in sentences if sentence.place == clause.place - 1), None)
    is_reason = before and len(before.text.split()) > SHORT_ANSWER and not replies.TAKES_BACK.search(before.masked)
    return before.text if before and is_reason else ""


def _apply_retraction(session: DialogueState, asked: Step, sentence: Sentence, turn: int) -> None:
    """Drop the statements that a sentence retracts, and record the work that it postpones."""
    if len(sentence.text) > LONGEST:
        return
    is_sure = bool(replies.TAKES_BACK.search(sentence.masked)) and not is_question(sentence.masked)
    if is_sure or replies.TURNS_DOWN.search(sentence.masked) or replies.CORRECTS.search(sentence.masked):
        session.take_back(sentence.text, turn, is_sure=is_sure)
    if is_parked(sentence):
        session.parked.append(open_work(asked, sentence, is_persons=True))


def _persons(asked: Step, clause: Clause, offered: Sequence[Step]) -> Stated | None:
    if names_no_thing(clause) or picked_options.picks(clause):
        option = picked_options.option_labelled(clause.text, offered)
        return _stated(asked, clause, MemoryKind.DECISION, option, is_persons=True) if option else None
    kind = person_kind(clause) or (MemoryKind.DECISION if picked_options.is_option(clause, offered) else None)
    return _stated(asked, clause, kind, clause.text, is_persons=True) if kind else None


def _read_agent(session: DialogueState, turn: Turn, at: int, *, has_worked: bool) -> None:
    """Apply the agent's turn: attempts, and statements unless its work was declined."""
    session.offer(picked_options.options_in(turn.final))
    for step in turn.steps:
        if step.kind is StepKind.SAID and WORD_OF_ATTEMPTS.search(step.text):
            sentences = sentences_of(step.text, is_prompt=False)
            session.tried += [_tried(step, sentence, sentences) for sentence in sentences if is_attempt(sentence)]
            pairs = itertools.pairwise(sentences)
            session.tried += [_tried(step, before, sentences) for before, after in pairs if gives_up(after, before)]
    if _is_declined(turn):
        return
    tells_of_work = turn.has_work or (has_worked and not (turn.asked and replies.ASKS_WHY.search(turn.asked.text)))
    for step in turn.final:
        sentences = sentences_of(step.text, is_prompt=False)
        attempts = {sentence.place for sentence in sentences if is_attempt(sentence)}
        for clause in clauses_of(sentences):
            kind = agent_kind(clause, has_worked=tells_of_work)
            if kind and (clause.place not in attempts or clause.rejected):
                rejected = clause.rejected or considered_in(sentences, clause.place)
                session.take(_stated(step, clause, kind, clause.text, rejected=rejected), at)


def _is_declined(turn: Turn) -> bool:
    """Whether a turn's work was declined, or waits for the person's leave."""
    said = agent_sentences(turn.final)
    return turn.ends_refused or bool(not turn.has_work and said and replies.ASKS_LEAVE.search(said[-1].text))


def _is_done(found: FoundStatement, later: Sequence[Turn]) -> bool:
    """Whether it is open work that a later turn does."""
    is_open = found.kind is MemoryKind.THREAD and not found.message.is_persons
    return is_open and any(is_taken_up(sentence.text, later) for sentence in found.sentences)


def _read_found(session: DialogueState, found: Sequence[FoundStatement], turn: int) -> None:
    """Add the classifier's findings in a message, except sentences that a pattern matched."""
    if not found:
        return
    keys = [*(one.stated.key for one in session.active), *(one.key for one in session.tried)]
    read = {_PLACE.sub("", key) for key in keys}
    reasons = " ".join(one.stated.why for one in session.active)
    for one in found:
        others = [
            each
            for each in one.sentences
            if _key_of(one, each.place) not in read and each.text.rstrip(" .") not in reasons
        ]
        if len(others) == len(one.sentences):
            session.take(stated_of(one), turn)
            continue
        for sentence in others:  # beside one that a pattern matched
            if sentence.place in one.sure:
                _take_beside(session, one, sentence, turn)


def _take_beside(session: DialogueState, found: FoundStatement, sentence: Sentence, turn: int) -> None:
    """Add a sure sentence beside one that a pattern matched; what happened is its reason, if it has none."""
    near = {_key_of(found, sentence.place + step) for step in (-1, 1)}
    beside = [one for one in session.active if _PLACE.sub("", one.stated.key) in near and not one.stated.why]
    if not (beside and _HAPPENED.search(sentence.masked)):
        session.take(stated_of(replace(found, sentences=(sentence,), kind=found.sure[sentence.place])), turn)
        return
    for one in beside:
        one.stated = replace(one.stated, why=one_line(sentence.text.rstrip(" ."), LONGEST_WHY))


def _key_of(found: FoundStatement, place: int) -> str:
    """How the keys of statements begin that are read from a sentence of the same message."""
    return f"{found.message.step.key}#{place}"


def _accepted(final: Sequence[Sentence], steps: Sequence[Step]) -> Iterable[Stated]:
    """The agent's accepted proposal, if it made just one."""
    proposed = [clause for clause in clauses_of(final) if _PROPOSES.match(clause.text)]
    if len(proposed) == 1 and (proposed[0].why or proposed[0].rejected):
        [clause] = proposed
        yield _stated(steps[-1], clause, MemoryKind.DECISION, _PROPOSES.sub("", clause.text))


def _suggested(final: Sequence[Sentence], steps: Sequence[Step]) -> Iterable[Stated]:
    """The rule in the agent's only question: "Should every service …?"."""
    asked = [sentence for sentence in final if is_question(sentence.masked)]
    question = _SUGGESTS_RULE.fullmatch(asked[0].text) if len(asked) == 1 else None
    if question:
        suggested = Sentence(question["what"], masked(question["what"]), place=asked[0].place)
        yield from (_stated(steps[-1], clause, MemoryKind.RULE, clause.text) for clause in clauses_of([suggested]))


def _stated(
    step: Step, clause: Clause, kind: MemoryKind, text: str, *, rejected: tuple[str, ...] = (), is_persons: bool = False
) -> Stated:
    return Stated(
        key=f"{step.key}#{clause.place}.{clause.part}",
        at=step.at,
        kind=kind,
        text=one_line(unlabelled(text).rstrip(" .!"), LONGEST_TEXT),
        why=one_line(clause.why, LONGEST_WHY),
        rejected=rejected or clause.rejected,
        is_persons=is_persons,
        is_subagents=bool(step.agent),
    )


def _tried(step: Step, sentence: Sentence, sentences: Sequence[Sentence]) -> Noted:
    """A failed attempt; a sentence that starts with "it" is preceded by the one before."""
    before = sentences[sentence.place - 1].text if sentence.place and _POINTS_BACK.match(sentence.text) else ""
    text = one_line(f"{before} {sentence.text}", LONGEST_TEXT)
    text = text if text.lower().startswith(TRIED) else f"{TRIED}{text}"
    return Noted(f"{step.key}#{sentence.place}:tried", step.at, text, is_subagents=bool(step.agent))
