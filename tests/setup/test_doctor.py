"""What doctor says of a problem."""

from repomem.agents.delivery_check import Trip
from repomem.setup.doctor import REMEDIES, TRIP_STATES


def test_every_delivery_problem_has_a_remedy() -> None:
    assert {trip for trip in Trip if trip not in TRIP_STATES} == set(REMEDIES)
