"""repomem: persistent memory for coding agents."""


def _version() -> str:
    """The version that `.ci/version.py` gave at the build or the editable install; a bare clone has none."""
    try:
        with open(f"{__file__.removesuffix('__init__.py')}version.txt", encoding="ascii") as file:  # noqa: PTH123  # start-up without pathlib
            return file.read().strip()
    except OSError:
        return "0+unknown"


__version__ = _version()
