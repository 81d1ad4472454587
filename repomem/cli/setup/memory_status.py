"""`repomem status --memory`: statistics of memories."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from repomem.cli.evaluate.use import use_in_short
from repomem.cli.terminal.formats import Format, out_json, out_pairs
from repomem.core.text.counts import counted
from repomem.memories.memory_report import MemoryReport, memory_report
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.status-memory/1"
ABANDONED = "abandoned"  # counted with the hidden ones, although a brief can show it: its branch is gone


def memory_status_command(workspace: Workspace, form: Format) -> None:
    """Print statistics of the memories."""
    report = memory_report(workspace)
    if form is Format.JSON:
        out_json({"schema": SCHEMA, **asdict(report)})
    else:
        out_pairs("Memory", _pairs(report))


def _pairs(report: MemoryReport) -> Iterator[tuple[str, str]]:
    for layer in report.layers:
        size = f", {layer.size:,} bytes of text" if layer.size else ""
        yield layer.name, f"{layer.entries:,}{size}; {layer.lifetime}"
    memories = counted(report.memories, "memory", "memories")
    yield "shown here", f"{memories}, {report.tokens:,} tokens; the longest has {report.longest}"
    yield "hidden here", _counts({**report.hidden, ABANDONED: 0})
    if abandoned := report.hidden.get(ABANDONED):
        yield "shown as abandoned", f"{abandoned:,}"
    yield "pinned", str(report.pinned)
    yield "kinds", _counts(report.kinds)
    yield "recorded", _ages(report.ages)
    yield "use in sessions", use_in_short(report.sessions)
    if report.memories:
        use, bloat = report.use, report.bloat
        last = f", last on {use.last}" if use.last else ""
        shown = f"{use.shown:,} of {report.memories:,} shown in briefs for tasks{last}"
        yield "use", f"{shown}; {use.confirmed:,} confirmed after they were recorded"
        yield "near-duplicates", f"{bloat.near_duplicates:,} of {memories} ({bloat.share:.0%})"


def _ages(ages: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {'in the ' * age.startswith('last')}{age}" for age, count in ages.items() if count)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
