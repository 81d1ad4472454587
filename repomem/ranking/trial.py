"""Fitted weights on trial: are they better on examples that the fit did not see, and by more than chance?

Chance is told by a test of signs: were the two rankings of a commit as good as each other, either could as well bear
the name of the other; so the names are swapped at random, for each commit anew, and it is counted how often the mean
difference comes out as large. With few commits that is exact where a bootstrap is too kind: five commits that gain, and
none that loses, are needed to reach one in twenty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # who reads what came of a trial needs neither arrays nor signals
    from repomem.ranking.fit import Example
    from repomem.ranking.signals import Weights

LEAST_GAIN = 0.01  # in the mean of the measures: less is not worth weights of one's own
MOST_CHANCE = 0.05
MOST_LOSS = 0.01  # of any one measure
SWAPS = 10_000
ROUNDING = 1e-12  # the same sum in another order
SEED = 1  # the same examples, the same answer


@dataclass(frozen=True, slots=True)
class Trial:
    """Weights beside those that they are to replace, on examples that neither was fitted on."""

    fitted_on: int  # examples
    held_back: int
    before: Mapping[str, float]  # measure to its mean
    after: Mapping[str, float]
    chance: float  # the share of random swaps that gain as much

    @property
    def gain(self) -> float:
        """What is gained in the mean of the measures."""
        return (sum(self.after.values()) - sum(self.before.values())) / len(self.before)

    @property
    def doubt(self) -> str:
        """Why the weights are not to be kept, to go behind "because"; empty where they are."""
        falls = {name: was - self.after[name] for name, was in self.before.items()}
        losses = [f"{name} falls by {fall:.4f}" for name, fall in falls.items() if fall > MOST_LOSS + ROUNDING]
        if self.gain < LEAST_GAIN:
            return f"they gain {self.gain:+.4f} in the mean of the measures, and {LEAST_GAIN} is asked for"
        if losses:
            return f"{' and '.join(losses)}, and {MOST_LOSS} is allowed"
        if self.chance > MOST_CHANCE:
            return f"chance gains as much in {self.chance:.0%} of the cases, and {MOST_CHANCE:.0%} is allowed"
        return ""


def trial_of(fitted_on: int, held_back: "Sequence[Example]", before: "Weights", after: "Weights") -> Trial:
    """Two sets of weights on examples, at least one, of which neither knows anything."""
    from repomem.ranking.fit import MEASURES, Examples

    examples = Examples(held_back)
    first, second = examples.measures(before), examples.measures(after)
    chance = chance_of([float(each) for each in (second - first).mean(axis=1)])
    was, now = (dict(zip(MEASURES, map(float, found.mean(axis=0)), strict=True)) for found in (first, second))
    return Trial(fitted_on, len(held_back), was, now, chance)


def chance_of(differences: Sequence[float]) -> float:
    """How often random signs make the sum of the differences as large as it is: 1 where there are none."""
    import numpy as np

    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], (SWAPS, len(differences)))
    return float((signs @ np.array(differences) >= sum(differences) - ROUNDING).mean())
