"""The files of the page, from a fixed list: no part of an address ever names a file."""

from functools import cache
from importlib import resources

INDEX = "index.html"
STYLE = "style.css"
LIBRARY = "vendor/htm-preact.js"
MODULES = (  # each uses only those before it: the export puts them into one script in this order
    "library.js",
    "words.js",
    "source.js",
    "parts.js",
    "diff.js",
    "dialogs.js",
    "review.js",
    "inbox.js",
    "memories.js",
    "brief.js",
    "treemap.js",
    "repository.js",
    "evaluation.js",
    "health.js",
    "main.js",
)
TYPES = {"css": "text/css", "html": "text/html", "js": "text/javascript"}
NAMES = frozenset([STYLE, LIBRARY, *MODULES])


@cache
def asset(name: str) -> bytes:
    """The bytes of a file of the page; `name` is one of the names above."""
    return resources.files("repomem.ui").joinpath("static").joinpath(name).read_bytes()


def type_of(name: str) -> str:
    """The media type of a file of the page."""
    return f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8"
