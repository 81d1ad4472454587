"""How a panic in LanceDB's threads comes up."""


def panics() -> tuple[type[Exception], ...]:
    """The class by which a panic in LanceDB's threads comes up, as some flipped bytes cause; no module exports it."""
    return tuple(each for each in Exception.__subclasses__() if each.__name__ == "RustPanic")
