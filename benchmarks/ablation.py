"""Weights with one signal, or one role's factor, switched off: what is each of them worth?"""

from repomem.retrieve.signals import Weights


def variants(weights: Weights) -> dict[str, Weights]:
    """All of them, then each variant by what it lacks."""
    names = [*weights.signals, *(role.value for role in weights.roles)]
    return {"all": weights} | {f"without {name}": weights.without(name) for name in names}
