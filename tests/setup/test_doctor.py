"""What doctor says of a problem."""

from repomem.agents.delivery_check import Arrival
from repomem.setup.doctor import HEALTH_OF_ARRIVALS, REMEDIES


def test_every_delivery_problem_has_a_remedy() -> None:
    assert {each for each in Arrival if each not in HEALTH_OF_ARRIVALS} == set(REMEDIES)
