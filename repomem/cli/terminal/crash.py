"""A crash report in Markdown, ready to paste, and the lines that name its file."""

import os
import platform
import sys
import traceback
from datetime import datetime
from pathlib import Path

from repomem import __version__
from repomem.core.packages import installed_version
from repomem.core.secrets.redact import redact

LIBRARIES = ("gitpython", "lancedb", "numpy", "pyarrow", "rich", "tree-sitter", "typer")


def crash_lines(error: Exception) -> list[str]:
    """Save a report, and return the lines to print; they include the report if it cannot be saved."""
    what = "".join(traceback.format_exception_only(error)).strip()
    first = f"error: unexpected: {redact(what).splitlines()[0]}"
    report = redact(_report(error))
    try:
        path = _saved(report)
    except OSError:
        return [first, report]
    return [first, f"hint: please report it with {path} (read it first: it contains your command line)"]


def _saved(report: str) -> Path:
    from platformdirs import user_state_path

    folder = user_state_path("repomem", appauthor=False) / "reports"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{datetime.now():%Y-%m-%d-%H%M%S}-{os.getpid()}.md"  # noqa: DTZ005  # for the user's own eyes
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(report)
    return path


def _report(error: Exception) -> str:
    trace = "".join(traceback.format_exception(error))
    versions = [f"repomem {__version__}", f"Python {platform.python_version()}", platform.platform()]
    versions += [f"{name} {version}" for name in LIBRARIES if (version := installed_version(name))]
    listed = "\n".join(f"- {version}" for version in versions)
    return f"""# repomem failed: {type(error).__name__}

Command line:

    {sys.argv!r}

Versions:

{listed}

```text
{trace.rstrip()}
```
"""
