"""How sentences get their labels, and that the weights that ship are those that training makes."""

from pathlib import Path

import numpy as np
import pytest

from repomem.capture.statements.classifier.weights import STATEMENT, weights
from training import statements
from training.statements import examples, files, fitted

SESSION = """\
lang: en
branch: main
@user
careful, mid has a key that they rotate on every 1st. Please look at the client.
@say
Mid has a key that they rotate on every month. I looked at the client.
@labels
[[statement]]
phrase = "mid has a key that they rotate on every 1st. she mails it to Gerda and puts it in by hand, nothing tells"
kind = "fact"
by = "person"
"""


@pytest.mark.slow
def test_the_weights_that_ship_come_from_the_sessions_in_the_repository() -> None:
    made, shipped = fitted(examples()), weights()

    rows = {STATEMENT: shipped.statement, **{kind.value: model for kind, model in shipped.kinds.items()}}
    assert made.keys() == rows.keys()
    for name, model in made.items():
        apart = np.abs(np.asarray(model.row, int) - np.asarray(rows[name].row, int))
        assert apart.max() <= 1, name  # other processors may round another way


def test_a_sentence_with_most_words_of_a_speakers_statement_is_a_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = tmp_path / "w1" / "01-key.txt"
    session.parent.mkdir()
    session.write_text(SESSION, encoding="utf-8")
    monkeypatch.setattr(statements, "SPOKEN", tmp_path)
    monkeypatch.setattr(statements, "TRANSCRIPTS", tmp_path / "none")
    monkeypatch.setattr(statements, "SHORT", tmp_path / "none")

    assert [(one.is_persons, one.kind) for one in examples()] == [
        (True, "fact"),
        (True, ""),
        (False, ""),
        (False, ""),
    ]


def test_the_labels_of_short_dialogues_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "w2.txt").write_text(
        "P: Which port?\nA: 8081, since 8080 is the proxy's.\n= fact: since 8080 is | by agent\n"
    )
    monkeypatch.setattr(statements, "SPOKEN", tmp_path / "none")
    monkeypatch.setattr(statements, "TRANSCRIPTS", tmp_path / "none")
    monkeypatch.setattr(statements, "SHORT", tmp_path)

    assert [(one.is_persons, one.kind) for one in examples()] == [(True, ""), (False, "fact")]


def test_the_writers_held_back_are_not_learnt_from() -> None:
    writers = {path.stem if path.parent.name == "short" else path.parent.name for path in files()}
    assert len(writers) > 20
    assert "w38" in writers
    assert not writers & {"w11", "w18", "w23", "w31", "w33", "w34", "w35", "w36", "w37", "w44"}
