"""The options of `repomem remember`; from `OfKinds` on, those of `repomem memories`."""

from typing import Annotated

import typer

from repomem.core.records import MemoryKind
from repomem.memories.status import Status

MOST_LISTED = 100_000

Kind = Annotated[
    MemoryKind | None,
    typer.Option("--kind", help="the kind of memory; default: that of the replaced memory, or derived from the text"),
]
Importance = Annotated[
    int | None,
    typer.Option(
        "--importance",
        metavar="1-5",
        min=1,
        max=5,
        help="5 is the most important; default: that of the replaced memory, or by kind, text and author",
    ),
]
Rejected = Annotated[
    list[str] | None, typer.Option("--rejected", metavar="TEXT", help="a rejected alternative; repeatable")
]
On = Annotated[list[str] | None, typer.Option("--on", metavar="PATH[:SYMBOL]", help="the code it is about; repeatable")]
Scope = Annotated[
    list[str] | None, typer.Option("--scope", metavar="GLOB", help="paths that it applies to; repeatable")
]
Supersedes = Annotated[
    list[str] | None,
    typer.Option(
        "--supersedes",
        metavar="ID",
        help="a memory to replace; its kind, importance, privacy and pin are kept; repeatable",
    ),
]
Mine = Annotated[
    bool, typer.Option("--mine", help="keep it for yourself, in every repository on this machine; never shared")
]
Pin = Annotated[
    bool,
    typer.Option("--pin", help="show it first in every brief; all pinned memories together take at most 200 tokens"),
]
OfKinds = Annotated[
    list[MemoryKind] | None, typer.Option("--kind", metavar="KIND", help=f"only this kind: {', '.join(MemoryKind)}")
]
OfStatuses = Annotated[
    list[Status] | None,
    typer.Option("--status", metavar="STATUS", help=f"only these: {', '.join(Status)}"),
]
About = Annotated[str, typer.Option("--on", metavar="PATH[:SYMBOL]", help="only those about this code or folder")]
ByAuthor = Annotated[
    str, typer.Option("--author", metavar="NAME", help="only by this author; part of a name is enough")
]
HiddenToo = Annotated[
    bool,
    typer.Option(
        "--all", help="also superseded, gone, done, denied, archived and grouped ones, and those of other branches"
    ),
]
Most = Annotated[
    int, typer.Option("-n", "--limit", metavar="N", min=1, max=MOST_LISTED, help="maximum number of memories")
]
