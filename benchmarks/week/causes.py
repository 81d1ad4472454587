"""Why capture did not keep a statement: where it was said, and how sure the classifier was of its sentences."""

import re

from benchmarks.spoken import plain
from benchmarks.week.place import HOSTS
from benchmarks.week.scripts import Session, Statement, writer_of
from repomem.adapters.transcripts.readers import read
from repomem.capture.statements.classifier.context_model import log_odds
from repomem.capture.statements.classifier.find import SURE_AGENT, SURE_PERSON
from repomem.capture.statements.classifier.messages import Message, messages_of
from repomem.capture.statements.classifier.scores import scores_of
from repomem.capture.turns import turns_of

MOSTLY = 0.6  # share of a sentence's words that are the statement's
_WORD = re.compile(r"\w\w+")


def cause_of(statement: Statement, session: Session) -> str:
    """Why nothing that was said of a statement was kept, as far as the classifier's figures tell."""
    said = [_probability(message, at) for message, at in _places(statement, session)]
    sure = SURE_PERSON if statement.by == "person" else SURE_AGENT
    return f"its surest sentence has {max(said):.2f} of {sure}" if said else "no sentence has its words"


def _places(statement: Statement, session: Session) -> list[tuple[Message, int]]:
    """The sentences that are mostly the statement's words, each as a message and a number."""
    text = writer_of(session, session.scenario.steps).text()
    turns = turns_of(read(HOSTS[session.host], text.encode().split(b"\n")).steps)
    phrase = _words(statement.phrase)
    return [
        (message, at)
        for message in messages_of(turns)
        if message.is_persons == (statement.by == "person")
        for at, sentence in enumerate(message.sentences)
        if len(words := _words(sentence.text)) and len(words & phrase) >= MOSTLY * len(words)
    ]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(plain(text)))


def _probability(message: Message, at: int) -> float:
    return scores_of([message], log_odds)[0][at].statement
