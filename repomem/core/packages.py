"""Installed packages, and the optional ones."""

from importlib import metadata


def installed_version(package: str) -> str:
    """The version of a package; empty if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def install_hint(extra: str) -> str:
    """The command that adds an optional part; repomem is on no package index, so it is installed from a clone."""
    return f"in a clone of repomem, run pip install '.[{extra}]' or pipx install --force '.[{extra}]'"
