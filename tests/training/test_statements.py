"""The weights of the classifier that ships are those that its training makes."""

import numpy as np

from repomem.capture.statements.classifier.weights import STATEMENT, weights
from training.statements import examples, fitted


def test_the_weights_that_ship_come_from_the_sessions_in_the_repository() -> None:
    made, shipped = fitted(examples()), weights()

    rows = {STATEMENT: shipped.statement, **{kind.value: model for kind, model in shipped.kinds.items()}}
    assert made.keys() == rows.keys()
    for name, model in made.items():
        apart = np.abs(np.asarray(model.row, int) - np.asarray(rows[name].row, int))
        assert apart.max() <= 1, name  # other processors may round another way
