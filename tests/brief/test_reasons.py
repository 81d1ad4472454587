"""The sentences of a commit's body that say why."""

import pytest

from repomem.brief.reasons import LENGTH, paragraph_about, reason_in

SHORT = "Seats on hold move out of the table. Row locks brought the site down. A restart forgets the holds."
LONG = (
    "This touches the parser and the printer of the report, and moves three helpers into a module of their own, where"
    " the tests can reach them without a server.\n\n"
    "The old order is kept because resellers parse the third column by its position.\n\n"
    "The documentation lists the columns in a table, with an example for each kind of event and the unit of its price."
)


def test_a_short_body_is_given_whole() -> None:
    assert reason_in(SHORT) == SHORT


def test_of_a_long_body_the_sentence_with_the_reason_is_given() -> None:
    assert reason_in(LONG) == "The old order is kept because resellers parse the third column by its position."
    assert len(LONG) > LENGTH


def test_lists_code_trailers_links_and_rulers_are_no_reasons() -> None:
    body = (
        "* one thing that was slow\n* another\n\n    raise SlowError because it fails\n\n---------\n\n"
        "Bumps the group, see https://example.org because it is new.\n\nSigned-off-by: Ada <ada@example.org>"
    )
    assert reason_in(body) == ""


def test_what_a_template_of_pull_requests_adds_is_no_reason() -> None:
    body = (
        "### New Pull Request Checklist\n\n<!-- Tell us why it is slow, because we want to know.\n\nOr not. -->\n"
        "- [x] I have read the documentation\n\n## Description\nThe pool leaked a socket on every timeout.\n\n"
        "**Additional context and info**\n\n```\nit fails because of this line\n```\n"
    )
    assert reason_in(body) == "The pool leaked a socket on every timeout."


@pytest.mark.parametrize("box", ["- [ ]", "* [x]", "1. [X]", "[ ]", "  - []"])
def test_a_checklist_is_no_reason_and_hides_none(box: str) -> None:
    body = (
        f"{box} I have read the guide because I must\n    and added tests\nThe pool leaked a socket on every timeout."
    )
    assert reason_in(body) == "The pool leaked a socket on every timeout."


def test_type_parameters_are_no_markup() -> None:
    assert (
        reason_in("<p>A List<String> was lost between two pages.</p>") == "A List<String> was lost between two pages."
    )


def test_what_a_bot_writes_is_no_reason() -> None:
    assert (
        reason_in("Bumps the actions group with 8 updates.\n\nThese dependencies needed to be updated together.") == ""
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Also adds a test because there was none.",
        "Fix this by checking that the pool is there.",
        "This commit also contains an unrelated fix because it was wrong.",
        "And some lint, because the job failed.",
        "Patch by Go Maeda because he found it.",
        "This fixes problems that caused errors:",
        "It adds a test because of a lock (the one that",
    ],
)
def test_what_else_a_commit_did_and_half_sentences_are_no_reasons(sentence: str) -> None:
    assert reason_in(f"The queue was blocked by a lock.\n\n{sentence}") == "The queue was blocked by a lock."


def test_a_line_of_signs_that_point_into_another_is_left_out() -> None:
    body = "The documentation refers to `Ok(value)`.\n                    ^^\n\nThe queue\n    ^^^^^\nwas blocked."
    assert reason_in(body) == "The documentation refers to `Ok(value)`. The queue was blocked."


def test_an_empty_body_has_no_reason() -> None:
    assert reason_in("") == ""


def test_sentences_that_did_not_stand_together_have_a_mark_between() -> None:
    body = "It failed because of the lock. See https://example.org for it. The queue was blocked by that lock."
    assert reason_in(body) == "It failed because of the lock. […] The queue was blocked by that lock."


CODE = pytest.mark.parametrize("code", ["```\nput(1)\n```", "    put(1)", "\tput(1)", "<!-- put(1) -->"])


@CODE
def test_sentences_around_code_that_is_left_out_have_a_mark_between(code: str) -> None:
    body = f"The lock was taken twice.\n\n{code}\n\nThe queue was blocked by it."
    assert reason_in(body) == "The lock was taken twice. […] The queue was blocked by it."


@CODE
def test_words_that_need_the_code_that_is_left_out_are_left_out_too(code: str) -> None:
    body = f"A page is rendered by this line:\n\n{code}\n\nmeaning that all was lost.\n\nThe queue was blocked."
    assert reason_in(body) == "The queue was blocked."


@CODE
def test_a_paragraph_that_begins_with_what_the_code_was_is_left_out(code: str) -> None:
    before, after = "A page is rendered by this line:", "That's not right. Without it all is well."
    body = f"{before}\n\n{code}\n\n{after}\n\nThe queue was blocked."
    assert reason_in(body) == "The queue was blocked."


def test_markup_within_a_sentence_is_no_gap() -> None:
    assert reason_in("The <code>Set</code> was <b>never</b> emptied.") == "The Set was never emptied."


def test_lines_that_were_not_wrapped_are_no_one_sentence() -> None:
    body = "Relocate the gem that is needed\nCondition its use to avoid an eager dependency for everybody"
    assert reason_in(body) == body.replace("\n", " / ")
    apart = "Drop the gem because it fails\n\nThe queue was blocked by it"
    assert reason_in(apart) == "Drop the gem because it fails / The queue was blocked by it"


def test_a_trailer_with_a_small_letter_is_no_reason() -> None:
    assert reason_in("review-branch: fix-the-lost-lines because") == ""


def test_what_something_cost_is_a_reason_and_a_doubt_is_none() -> None:
    cost = (
        "The parser allows infinite nesting; a table of 10,000 parts takes 2 seconds to parse and uses 1.8G of memory."
    )
    doubt = "I suppose we may maybe improve on that a bit, but I haven't even looked, because it is rare."
    rest = "Just limit the nesting to 128 by default, which should be more than enough for all documents of the world."
    assert reason_in(f"{cost}\n\n{doubt} {rest}", 160) == cost


def test_an_argument_that_is_taken_back_is_no_reason() -> None:
    taken_back = "Namely, my logic was that the broadening was fine because we did it for the other search, too."
    rest = "The tests of both are in one file now, with a line for each of the strategies that they are about."
    assert reason_in(f"{taken_back}\n\n{rest}", 160) == ""


def test_a_sentence_that_points_back_needs_the_one_before() -> None:
    body = "The first form was slow.\n\n```\nrun()\n```\n\nThey lose a day because of the zone."
    assert reason_in(body) == "The first form was slow."
    assert reason_in("NTFS keeps times in days. They lose a day because of it.").endswith("because of it.")
    long = "A sentence of no use stands here. " * 6
    told = reason_in(f"{long}The zone was dropped. They lose a day because of it. {long}")
    assert told == "The zone was dropped. They lose a day because of it."


@pytest.mark.parametrize("heading", ["# Why", "## Motivation", "**Why is this needed?**", "### Reason for the change"])
def test_a_section_that_is_asked_for_the_reason_comes_first(heading: str) -> None:
    body = (
        "# What\nAdd `PanicsWithError` that behaves like `PanicsWithValue` but requires the value to be an error, "
        "because that is new.\n\n"
        f"{heading}\nThe values may not be easily recreated in a test, because some fields aren't exported.\n\n"
        "# How tested\nBy hand, since the tests are slow."
    )
    assert reason_in(body) == "The values may not be easily recreated in a test, because some fields aren't exported."


def test_an_empty_section_for_the_reason_leaves_the_rest() -> None:
    assert reason_in("# Why\n\n# What\nThe cache is dropped, because it leaked.") == (
        "The cache is dropped, because it leaked."
    )


def test_the_files_that_git_lists_as_conflicts_are_no_reason() -> None:
    assert reason_in("This reverts commit 80f2f826.\n\nConflicts:\n\tsrc/unix/stream.c\n\tsrc/win/core.c\n") == ""


def test_a_sentence_that_means_the_one_before_comes_with_it() -> None:
    told = "Nothing here tells it apart from the other flags of the handle at all."
    back = "Because of that we should not set it twice, otherwise the loop spins."
    filler = (
        "The reader sets the old flag, and the writer of the stream clears it in two other places of the loop. " * 2
    )
    assert reason_in(f"{filler}{told} {back}") == f"{told} {back}"


def test_for_some_reason_is_no_reason() -> None:
    body = (
        "We keep the last bytes of each segment in the list of the reader. If the cursor moves for some reason, it is "
    )
    assert (
        reason_in(f"{body}set again from the first of them. {'The list has a name of its own in each reader. ' * 4}")
        == ""
    )


@pytest.mark.parametrize("reference", ["Resolves #2750.", "Closes #12 and GH-13", "See https://a.b/c", "(#7)"])
def test_the_first_paragraph_that_says_something_comes_after_references_and_the_subject_again(reference: str) -> None:
    body = f"{reference}\n\n* Add a till\n\nThe old one\nlost cents."
    assert paragraph_about(body, "Add a till (#7)", "till") == "The old one lost cents."


def test_of_a_list_the_item_about_the_line_is_given_without_its_introduction() -> None:
    body = "Two small changes:\n- faster writing\n- stop all writes\n  after a failed sync"
    assert paragraph_about(body, "Release 1.15", "if not file.sync(): stop()") == "stop all writes after a failed sync"
    assert paragraph_about(body, "Release 1.15", "x = 1") == ""


def test_of_items_with_empty_lines_between_the_one_about_the_line_is_given() -> None:
    body = (
        "* [tiny] White space\n  for readability.\n\n* [fix] Do not rotate during `open`.\n\n* [dist] Allow failures."
    )
    line = "if (this.rotatedWhileOpening) rotate()"
    assert paragraph_about(body, "Approach to a fix", line) == "[fix] Do not rotate during `open`."
    assert paragraph_about(body, "Approach to a fix", "x = 1") == ""


def test_of_squashed_commits_the_one_about_the_line_gives_its_paragraph() -> None:
    body = "* Add totals\n\nFloats lose cents.\n\n* Round prices\n\nThe till has no cents."
    assert paragraph_about(body, "Prices (#4)", "round(price)") == "Round prices"
    assert paragraph_about(body, "Round all prices (#4)", "round(price)") == "The till has no cents."
    assert paragraph_about(body, "Prices (#4)", "x = 1") == ""


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ("fix(prices): round all prices (#4)", "The till has no cents."),
        ("Add totals and prices (#4)", "Floats lose some cents."),
        ("Prepare the release (#4)", "Floats lose some cents."),
        ("", "Floats lose some cents."),
    ],
)
def test_of_squashed_commits_the_one_that_gives_the_subject_gives_the_reason(subject: str, reason: str) -> None:
    body = "* chore: add totals\n\nFloats lose some cents.\n\n* fix(prices): Round all prices\n\nThe till has no cents."
    assert reason_in(body, subject=subject) == reason


@pytest.mark.parametrize(
    "aside",
    [
        "@ada might be interested in this.",
        "Based on pull request by Ada Lovelace.",
        "Thanks to Ada for finding what was broken.",
        "Implemented by Ada Lovelace and two others.",
        "> PS: Make sure that the till has tests! If you need help with\nthis part, just ask!",
        "This copies a bit more data, and is slightly slower, but only by about 1% so it's acceptable.",
        "One downside is that updating this is a bit awkward now.",
        "Or should we rather drop it because it is slow?",
        "It does not limit the size of a header (the",
        "limit_field_size parameter is not used at all)",
        "Fixes #12 and closes #13",
        "till.lost = false",
        "Till.define do",
        "src/till.c:12:3: error: the till was never closed",
        "TypeError: the till was never closed",
    ],
)
def test_asides_drawbacks_questions_code_and_output_are_no_reasons(aside: str) -> None:
    told = "The till lost cents."
    assert reason_in(f"{aside}\n\n{told}") == paragraph_about(f"{aside}\n\n{told}", "Add a till", "till") == told
    assert aside not in reason_in(f"{told}\n{aside}")
    assert aside not in paragraph_about(f"{told}\n{aside}", "Add a till", "till")


@pytest.mark.parametrize("heading", ["Why:\n----\n", "Why?\n----\n\n", "Why?\n\n", "Motivation\n==========\n\n"])
def test_an_underlined_heading_is_no_reason_and_begins_its_section(heading: str) -> None:
    body = f"Fixes #3\n\nThe till is closed at night.\n\n{heading}The till lost cents.\n\nThis commit:\n----\n\nRound."
    assert reason_in(body) == paragraph_about(body, "Add a till", "till") == "The till lost cents."


@pytest.mark.parametrize("heading", ["# What", "What?\n====="])
def test_what_follows_a_heading_needs_nothing_before_it(heading: str) -> None:
    assert reason_in(f"{heading}\n\nThis rounds the prices of the till.") == "This rounds the prices of the till."


def test_a_problem_named_before_a_colon_is_a_reason() -> None:
    assert reason_in("Problem: the till lost cents") == "Problem: the till lost cents"


def test_the_same_as_the_others_is_no_cause() -> None:
    filler = "The reader of the stream takes the bytes of the next segment, and the writer of it takes those. " * 3
    assert reason_in(f"{filler}It has the same size as the segment of the others.") == ""
    assert reason_in(f"{filler}It has another size, as the segment is full.").endswith("as the segment is full.")


def test_a_single_word_is_no_reason() -> None:
    assert reason_in("darcs-hash:20070216132702-4fc50-f4cf0dfdc203dbd7d04c9ab6f94cb5c42c7342a7.gz") == ""
    assert paragraph_about("修复了数组转换的问题。", "Fix it", "till") == "修复了数组转换的问题。"


def test_an_item_of_a_list_that_is_only_a_name_is_not_given() -> None:
    assert paragraph_about("Added:\n\n- `open_till`\n- `close_till`", "Add functions", "open_till()") == ""


def test_no_paragraph_is_given_where_none_says_more() -> None:
    assert paragraph_about("Fixes #3\n\nThree changes:", "Add a till", "till") == ""


def test_what_only_follows_from_a_sentence_before_is_no_reason_without_it() -> None:
    filler = "The reader of the stream takes the bytes of the next segment, and the writer of it takes those. " * 3
    told = "As a side effect, this caused the reader to fail."
    assert reason_in(f"{filler}\n\n* a list\n\n{told}") == ""


def test_what_a_commit_also_did_is_no_reason() -> None:
    assert reason_in("The timeout is also increased to ten seconds, because five were too few.") == ""


def test_of_squashed_commits_the_reason_of_the_first_is_that_of_all() -> None:
    first, later = "Floats lose cents of totals.", "Good in general, but here they do not fit."
    assert reason_in(f"* Add totals\n\n{first}\n\n* Silence the linter\n\n{later}") == first
    assert reason_in(f"* Add totals\n\n* Silence the linter\n\n{later}") == ""
