"""Which sentences of policy files are quoted, and in which words."""

from textwrap import dedent

import pytest

from repomem.profile.facts import profile_facts


def quotes(path: str, text: str) -> list[str]:
    return [fact.text for fact in profile_facts({path: text}) if fact.slot == "quoted"]


def test_a_quotation_keeps_its_words_and_spans_its_lines() -> None:
    guide = "# Guide\n\nSmall is good. You *must* run\nthe `slow` tests\nfirst. Fine.\n"
    (fact,) = profile_facts({"CONTRIBUTING.md": guide})
    assert (fact.text, fact.start_line, fact.end_line) == ("You *must* run the `slow` tests first.", 3, 5)


def test_links_are_quoted_by_their_label() -> None:
    assert quotes("AGENTS.md", "Never skip [the hooks](https://example.org/a) of this one.") == [
        "Never skip the hooks of this one."
    ]


def test_the_kind_of_an_alert_is_not_quoted() -> None:
    assert quotes("AGENTS.md", "> [!IMPORTANT]\n> Never edit the generated files.") == [
        "Never edit the generated files."
    ]


def test_the_stronger_and_the_shorter_sentence_comes_first_and_six_are_enough() -> None:
    policy = """
    - No LLM bots in commit trailers.
    - Please keep your commits small and tidy.
    - Never rewrite a published branch.
    - You must sign off each commit that you make.
    - Do not add a dependency without asking.
    """
    guide = "Always run the whole test suite.\n\nNever commit generated code here.\n\nNever push to main, ever."
    facts = profile_facts({"AGENTS.md": dedent(policy), "CONTRIBUTING.md": guide})
    assert [fact.text for fact in facts] == [
        "No LLM bots in commit trailers.",
        "Always run the whole test suite.",
        "Never rewrite a published branch.",
        "Never commit generated code here.",
        "Do not add a dependency without asking.",
        "You must sign off each commit that you make.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("Don't worry about the tests at all.", "Please feel free to open a pull request.", "Must it be so at all?"),
        *("You must do the following things:", "No problem is too small for us.", "Never again."),
        *(
            "    never touch this code block here\n",
            "```\nnever touch this fenced block\n```",
            "<!-- never read this here -->",
        ),
        *("# Never quote a heading of a guide", "We are a small project that people always like."),
        "There are some additional dependencies required to build the documentation.",
        "The project has a code of conduct that must be followed by all contributors.",
        "All contributors must sign the Contributor License Agreement before their change is merged.",
        "If you need the CLI and don't yet have Node.js installed, the easiest way is `mise`.",
    ],
)
def test_nonbinding_sentences_are_not_quoted(text: str) -> None:
    assert quotes("CONTRIBUTING.md", text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("提交之前必须运行全部测试。", "変更には必ずテストを付けること。", "Jede Änderung muss einen Test haben."),
        *("Перед отправкой обязательно запустите тесты.", "Il ne faut jamais réécrire une branche publiée."),
    ],
)
def test_obligations_in_other_languages_are_quoted(text: str) -> None:
    assert quotes("CONTRIBUTING.md", text) == [text]


def test_the_binding_clause_of_a_long_sentence_is_quoted() -> None:
    long = (
        "When you " + "prepare a change of the parser and its many tables " * 4 + ", never touch the generated files."
    )
    assert quotes("AGENTS.md", long) == ["never touch the generated files."]


@pytest.mark.parametrize(
    "text",
    [
        "They must be signed by the author of the change.",
        "These should never be edited by hand by anyone.",
        "In all other cases, please make a pull request to the `develop` branch.",
        "Similarly, please don't submit code that you have not read.",
        "For example, don't add functions that only call another one.",
        "To get the best answers, please also observe the following notes.",
        "Any code brought in must be compatible with those terms.",
        "If you want to apply changes to it, please test it locally before opening your PR.",
        "Changes to one of them must not break the public API.",
        "then *please* flag the copy in your PR, and give proper credit in the code.",
        "Do not succumb to that temptation.",
        "Please check the minimum version of the compiler in the manifest.",
        "(please ask your company to also become a sponsor of the project)",
        "No guideline about inlining of functions yet.",
        "A lead maintainer must merge all breaking changes of the API.",
    ],
)
def test_a_sentence_that_needs_the_one_before_or_only_advises_is_not_quoted(text: str) -> None:
    assert quotes("CONTRIBUTING.md", text) == []


def test_the_block_of_repomem_is_not_quoted_since_its_rules_are_memories() -> None:
    block = (
        "<!-- repomem:start -->\n- Every handler must check the tenant <!-- 9f31c08a 3f2a -->\n<!-- repomem:end -->\n"
    )
    assert quotes("AGENTS.md", f"{block}\nEvery test must run without a network.\n") == [
        "Every test must run without a network."
    ]


@pytest.mark.parametrize(
    "head",
    [
        *("## Plugins", "## Reporting Bugs", "### Release Process", "## Financial contributions"),
        *("## Reviewing Pull Requests", "Releasing\n---------", "## FIRST TIME CONTRIBUTORS PLEASE NOTE"),
    ],
)
def test_a_rule_in_a_section_about_something_else_is_not_quoted(head: str) -> None:
    guide = f"# Guide\n\n{head}\n\nEach one must have a test.\n\n```\n# Code\n```\n\nIt is always so, and must be.\n"
    assert quotes("CONTRIBUTING.md", guide) == []
    own = f"{guide}\n## Code\n\nEach function must have a test.\n"
    assert quotes("CONTRIBUTING.md", own) == ["Each function must have a test."]


def test_the_title_of_a_guide_makes_no_section() -> None:
    assert quotes("CONTRIBUTING.md", "# Plugins of x\n\nEach plugin must have a test.\n") == [
        "Each plugin must have a test."
    ]


def test_what_is_not_welcome_is_quoted() -> None:
    text = "Contributions by an AI without a human are not welcome."
    assert quotes("CONTRIBUTING.md", text) == [text]


def test_links_of_restructured_text_are_quoted_by_their_label() -> None:
    assert quotes("CONTRIBUTING.rst", "The `CI <https://x.org/a>`_ build must be green first.\n") == [
        "The CI build must be green first."
    ]
