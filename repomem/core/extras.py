"""Optional parts of an install."""


def install_hint(extra: str) -> str:
    """The command that adds an optional part; repomem is on no package index, so it is installed from a clone."""
    return f"in a clone of repomem, run pip install '.[{extra}]' or pipx install --force '.[{extra}]'"
