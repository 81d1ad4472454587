"""Which quotations of policy files a brief for a task shows, and where its facts come from."""

from repomem.core.types.brief import Fact
from repomem.items.facts import binding_quotations, fact_items, slot_rendering
from repomem.items.task_context import TaskContext
from repomem.profile.slots import HISTORY, Slot, SlotLine
from repomem.ranking.query import Query

CHANGELOG = "Please add every fix to the changelog file."
TRAILERS = "No LLM bots in commit trailers."
PARSER = "Never allocate memory inside the parser loop."
STREAMS = "The parser must not read streams twice."


def shown(task: str, *rules: str) -> list[str]:
    facts = [Fact("quoted", text, "AGENTS.md", at, at) for at, text in enumerate(rules, start=1)]
    return [fact.text for fact in binding_quotations(facts, TaskContext(Query(task)))]


def test_rules_about_the_task_are_quoted_and_others_are_not() -> None:
    task = "parser loop reads streams twice, uses too much memory"
    assert shown(task, TRAILERS, PARSER, STREAMS) == [PARSER, STREAMS]


def test_without_a_rule_about_the_task_one_on_every_change_is_quoted() -> None:
    assert shown("retry a failed download", TRAILERS, CHANGELOG, PARSER) == [CHANGELOG]


def test_no_quotation_is_better_than_an_unrelated_one() -> None:
    assert shown("retry a failed download", TRAILERS, PARSER) == []


def test_a_rule_that_names_the_first_file_of_the_task_is_quoted() -> None:
    rule = Fact("quoted", "A change of `src/retry.ts` must keep the order.", "AGENTS.md", 1, 1)
    assert binding_quotations([rule], TaskContext(Query("give up sooner"), ["src/retry.ts"])) == [rule]
    assert binding_quotations([rule], TaskContext(Query("give up sooner"), ["src/send.ts"])) == []


def test_a_fact_of_a_whole_file_is_cited_without_a_line() -> None:
    lines = [
        SlotLine(Slot.BUILD, "mvn package", "pom.xml"),
        SlotLine(Slot.PITFALLS, "reverted", "1a2b3c4d"),
        SlotLine(Slot.OWNERS, "Ada 3", HISTORY),
    ]
    assert [(slot_rendering(line).markdown, slot_rendering(line).item.source) for line in lines] == [
        ("- build: mvn package `pom.xml`", "file"),
        ("- pitfalls: reverted `1a2b3c4d`", "commit"),
        ("- owners: Ada 3 (history)", "commit"),
    ]


def commands(build: str, test: str) -> list[str]:
    facts = [Fact("build", build, "configure.ac", 1, 1), Fact("test", test, "README.md", 1, 1)]
    return [item.item.title for item in fact_items(facts, ("test",), TaskContext(Query("give up sooner")))]


def test_the_build_is_shown_with_tests_that_run_in_a_tree_that_it_makes() -> None:
    configured = "autoreconf -i && ./configure && make"
    assert commands(configured, "make check") == ["build", "test"]
    assert commands("cmake -B build && cmake --build build", "ctest --test-dir build") == ["build", "test"]
    assert commands("make all", "make check") == ["test"]
    assert commands(configured, "./configure && make check") == ["test"]
    assert commands(configured, "pytest") == ["test"]
