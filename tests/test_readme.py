"""Commands, options, files and links that README.md and docs/ name exist; figures are those of the raw results."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import typer

from repomem.adapters.languages.grammar import LANGUAGES
from repomem.cli.main import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
AGENTS = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
EVALUATION = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/architecture.md",
             "docs/configuration.md", "docs/agents.md", "docs/evaluation.md", "docs/memory.md", "docs/reliability.md",
             "docs/check.md", "docs/sync.md", "docs/ci.md", "docs/scale.md", "docs/workspaces.md",
             "docs/shared-storage.md", "docs/commands.md", "docs/tour.md", "docs/speed.md", "docs/embeddings.md",
             "docs/platforms.md", "docs/releasing.md", "docs/evidence.md",
             "benchmarks/README.md", "fixtures/README.md")  # fmt: skip
CODE = re.compile(r"^(`{3,})[^\n]*\n(.*?)^\1$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?<![\w./-])repomem(?: -C \S+)? ([a-z]+)\b([^`;|<\n]*)")
OPTION = re.compile(r"(?<!\S)--?[a-z][\w-]*")
LINK = re.compile(r"\[[^]\n]*\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
MEASURES = ("recall@5", "recall@10", "MRR")


def code_in(text: str) -> Iterator[str]:
    """Fenced blocks and code spans."""
    for found in CODE.finditer(text):
        yield found[2] or found[3]


def commands_in(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command that the text shows, with its options."""
    for code in code_in(text):
        for name, rest in COMMAND.findall(code):
            yield name, OPTION.findall(rest)


def results(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def headings_of(path: Path) -> set[str]:
    """The anchors of a document's headings, as forges make them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def commands_in_help() -> dict[str, set[str]]:
    """Each command that `--help` lists, with its options and those of its own commands."""
    commands: Mapping[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return {
        name: {
            option
            for each in (command, *getattr(command, "commands", {}).values())
            for parameter in each.params
            for option in parameter.opts
        }
        for name, command in commands.items()
        if not command.hidden
    }


def test_the_page_of_commands_shows_the_commands_that_help_lists() -> None:
    assert {name for name, _ in commands_in(COMMANDS)} == set(commands_in_help())


def test_every_option_that_is_shown_exists() -> None:
    for text in (README, COMMANDS, TOUR, AGENTS):
        for name, options in commands_in(text):
            assert set(options) <= commands_in_help()[name], name


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_that_is_named_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = {target for code in code_in(text) for target in re.findall(r"\bmake ([a-z]+)", code)}
    targets = re.findall(r"^([a-z]+)(?: [a-z]+)*:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert named
    assert named <= set(targets)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_relative_link_points_at_a_file_and_a_heading(document: str) -> None:
    for target, anchor in LINK.findall((ROOT / document).read_text(encoding="utf-8")):
        if "://" not in target:
            path = (ROOT / document).parent / target if target else ROOT / document
            assert path.exists(), target
            assert not anchor or anchor in headings_of(path), f"{target}#{anchor}"


def test_the_readme_links_the_table_of_options() -> None:
    assert "docs/configuration.md" in {target for target, _ in LINK.findall(README)}


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md", "fixtures/README.md"])
def test_every_python_file_that_is_named_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:\w+/)+[\w*]+\.py)`", text):
        assert any(ROOT.glob(path)) or any((ROOT / "repomem").glob(path)), path


def test_the_documentation_names_the_languages_that_have_a_grammar() -> None:
    platforms = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    assert f"## Grammars\n\n{', '.join(sorted(LANGUAGES))}." in platforms
    assert f"one of {len(LANGUAGES)} grammars" in README


def test_the_figures_of_recall_are_those_of_the_results() -> None:
    by_ranking: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in results("replay")["rows"]:
        by_ranking[row["ranking"]][row["repository"]].append(row)
    for ranking, repositories in by_ranking.items():
        means = [mean(mean(row[name] for row in rows) for rows in repositories.values()) for name in MEASURES]
        assert f"| {ranking} | {' | '.join(f'{value:.3f}' for value in means)} |" in EVALUATION.splitlines()


def test_the_figure_of_search_is_that_of_the_results() -> None:
    rows = results("search")["rows"]
    repositories = len({row["repository"] for row in rows})
    figure = f"{mean(row['ndcg'] for row in rows):.3f}"
    assert f"NDCG@10 over {len(rows)} annotated queries on {repositories} repositories: {figure}." in EVALUATION


def test_the_figures_of_paraphrased_questions_are_those_of_the_results() -> None:
    rows = [row for row in results("memory-sets")["answers"] if row["name"] == "paraphrases"]
    shown, by_words = (
        sum(set(row["question"]["right"]) <= set(found) for row, found in zip(rows, lists, strict=True))
        for lists in ([row["briefs"]["1000"] for row in rows], [row["ranked"]["words"][:5] for row in rows])
    )
    assert f"For {len(rows)} questions that share no content word" in README
    assert f"a brief of 1,000 tokens shows that memory {shown} times" in README
    assert f"among its first five results {by_words} times" in README


def test_the_figures_of_errors_are_those_of_the_results() -> None:
    rows = results("errors")["rows"]
    shares = [
        f"{mean(row[name] == 0 for row in rows if row['ranking'] == ranking):.3f}"
        for ranking in ("all", "without quotation")
        for name in ("file", "lines")
    ]
    assert f"Of {len(rows) // 2} messages" in EVALUATION
    assert "comes first for {}, and the lines for {}; without the signal {} and {}".format(*shares) in EVALUATION


def test_the_figures_of_the_study_are_those_of_the_results() -> None:
    evidence = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    runs = results("agents-study")["runs"]
    cells = []
    for arm in ("without", "with", "file"):
        current = [
            run for run in runs if run["arm"] == arm and run["respected"] is not None and "stale" not in run["kind"]
        ]
        cells.append(f"{sum(run['respected'] for run in current)} of {len(current)}")
    assert f"| current memories (24 tasks): respected | {' | '.join(cells)} |" in evidence
    read = [f"{mean(run['bytes_read'] for run in runs if run['arm'] == arm):,.0f}" for arm in ("without", "with")]
    assert f"without the brief | {' | '.join(read)} | |" in evidence
    assert f"{len(runs)} runs, all published" in evidence


def test_the_figures_of_the_study_of_code_tasks_are_those_of_the_results() -> None:
    evidence = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    runs = results("agents-code-study")["runs"]
    by_arm = {arm: {run["task"]: run for run in runs if run["arm"] == arm} for arm in ("without", "with")}
    without, given = by_arm["without"], by_arm["with"]
    assert without.keys() == given.keys()
    read = [mean(_read_before(run) for run in each.values()) for each in (without, given)]
    fewer = sum(_read_before(given[task]) < _read_before(without[task]) for task in given)
    row = f"| bytes read before the first right edit | {read[0]:,.0f} | {read[1]:,.0f} |"
    solved = [sum(run["solved"] for run in each.values()) for each in (without, given)]
    assert f"{row} " in evidence
    assert f"| {fewer} of {len(given)} |" in evidence
    assert f"It solved {solved[0]} tasks without and {solved[1]} with a brief" in evidence
    share = f"{1 - read[1] / read[0]:.0%}".replace("%", " %")
    said = f"On {len(given)} code tasks it solved {solved[1]} with briefs and {solved[0]} without"
    assert f"{said}. With a brief it read {share} fewer bytes before its first correct edit" in README


def _read_before(run: dict[str, Any]) -> int:
    """The bytes read before the first right edit; all of them without one."""
    before: int | None = run["bytes_before"]
    return run["bytes_read"] if before is None else before
