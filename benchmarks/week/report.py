"""Plays the week, prints its figures, and keeps them."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.week.judge import Fate, Found, Judged, Lie, found_in, judged_in, lies_in
from benchmarks.week.play import Played, play
from benchmarks.week.scripts import SESSIONS, sessions_in

GOAL = "17 of 20"
HEAD_HELPED = ("planted statements", "count")


def main(arguments: list[str]) -> None:
    """week [--misses] [--briefs]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks week")
    parser.add_argument("--misses", action="store_true", help="print what was missed, what is wrong and what is false")
    parser.add_argument("--briefs", type=Path, help="a folder to write to what each session was shown")
    asked = parser.parse_args(arguments)
    where = results.machine()
    with TemporaryDirectory(prefix="repomem-week-", ignore_cleanup_errors=True) as folder:
        week = list(play(sessions_in(SESSIONS), Path(folder, "captured")))
        helped = list(play(sessions_in(SESSIONS), Path(folder, "helped"), is_helped=True))
    found, lies, judged = found_in(week), lies_in(week), judged_in(week)
    rows = figures(found, lies, judged)
    print(results.table(("measure", "count", "goal"), rows))
    print(
        f"\nWhere `repomem remember` recorded what capture missed:\n\n{results.table(HEAD_HELPED, helped_rows(helped))}"
    )
    if asked.misses:
        print(*misses(found, lies, judged), f"NOT SHOWN, HELPED: {raw_helped(helped)['not shown']}", sep="\n")
    if asked.briefs:
        write_briefs(week, asked.briefs / "captured")
        write_briefs(helped, asked.briefs / "helped")
    results.save("week", where, raw(rows, found, lies, judged) | {"helped": raw_helped(helped)})


def figures(found: Sequence[Found], lies: Sequence[Lie], judged: Sequence[Judged]) -> tuple[tuple[str, str, str], ...]:
    """The rows of the table: measure, count, goal."""
    planted, shown = len(found), [one for one in judged if one.is_shown]
    clear = sum(bool(one.kept) and one.fate is not Fate.UNCLEAR for one in found)
    return (
        ("planted statements kept", f"{sum(bool(one.kept) for one in found)} of {planted}", ""),
        ("… that can be understood", f"{clear} of {planted}", ""),
        ("… in the brief that needs them", f"{sum(one.fate.is_shown for one in found)} of {planted}", GOAL),
        ("… of these, only as a session's outcome", str(sum(one.fate is Fate.AS_SESSION for one in found)), ""),
        ("… in `repomem recall` of the same prompt", f"{sum(one.is_recalled for one in found)} of {planted}", ""),
        ("planted falsehoods kept", f"{sum(bool(one.kept) for one in lies)} of {len(lies)}", ""),
        ("… shown once they were known to be false", f"{sum(bool(one.shown) for one in lies)} of {len(lies)}", ""),
        ("… shown as confirmed", f"{sum(bool(one.unmarked) for one in lies)} of {len(lies)}", "0"),
        ("memories kept", str(len(judged)), ""),
        ("… right", str(sum(one.is_right for one in judged)), ""),
        ("… shown to a later turn or session", str(len(shown)), ""),
        ("… shown and right", str(sum(one.is_right for one in shown)), ""),
    )


def helped_rows(week: Sequence[Played]) -> tuple[tuple[str, str], ...]:
    """The rows of the second table: what briefs show of a memory that misses nothing."""
    found = found_in(week)
    return (
        ("in the brief that needs them", f"{sum(one.fate.is_shown for one in found)} of {len(found)}"),
        ("in `repomem recall` of the same prompt", f"{sum(one.is_recalled for one in found)} of {len(found)}"),
        ("memories at the end", str(len(week[-1].memories))),
    )


def misses(found: Sequence[Found], lies: Sequence[Lie], judged: Sequence[Judged]) -> list[str]:
    """A line for each statement that was missed, falsehood that was kept or shown, and memory that is wrong."""
    return [
        *(_miss(one) for one in found if not one.fate.is_shown),
        *(f"FALSE {_name(one)}: {one.kept or one.falsehood.phrase}" for one in lies if one.kept or one.shown),
        *(f"WRONG {one.session} {one.kind}: {one.text}" for one in judged if not one.is_right),
    ]


def write_briefs(week: Sequence[Played], folder: Path) -> None:
    """Write what each session was shown, one file for each."""
    folder.mkdir(parents=True, exist_ok=True)
    for played in week:
        parts = [("session start", played.start), *((f"prompt {at}", text) for at, text in enumerate(played.added, 1))]
        parts.append(("recall of the first prompt", played.asked))
        text = "\n\n".join(f"# {head}\n\n{body.strip()}" for head, body in parts)
        (folder / f"{played.session.scenario.name}.md").write_text(text + "\n", encoding="utf-8")


def raw(
    rows: Sequence[Sequence[str]], found: Sequence[Found], lies: Sequence[Lie], judged: Sequence[Judged]
) -> dict[str, Any]:
    """What is stored: figures, and every judgement that they count."""
    return {
        "figures": {name: count for name, count, _ in rows},
        "statements": [
            {"id": one.statement.id, "by": one.statement.by, "said": one.statement.session}
            | {"needed": one.statement.needed, "fate": one.fate, "is_recalled": one.is_recalled}
            | {"kept": one.kept, "cause": one.cause}
            for one in found
        ],
        "falsehoods": [
            {"id": one.falsehood.id, "sort": one.falsehood.sort, "kept": one.kept}
            | {"shown": one.shown, "unmarked": one.unmarked}
            for one in lies
        ],
        "memories": [{key: value for key, value in asdict(one).items() if key != "id"} for one in judged],
    }


def raw_helped(week: Sequence[Played]) -> dict[str, Any]:
    """The same of the second table, with the statements that the hooks did not show."""
    absent = [one.statement.id for one in found_in(week) if not one.fate.is_shown]
    return {"figures": dict(helped_rows(week)), "not shown": absent}


def _miss(one: Found) -> str:
    told = f" [{one.kept or one.cause}]"
    said = one.statement
    return f"MISSED {said.id} {said.by} {said.kind}, {one.fate}: {said.phrase}{told}"


def _name(one: Lie) -> str:
    shown = ", ".join(one.shown) or "none"
    return f"{one.falsehood.id} {one.falsehood.sort}, shown in {shown}"
