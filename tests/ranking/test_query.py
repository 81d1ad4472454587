"""Questions parsed into words, names and paths."""

import pytest
from hypothesis import example, given, strategies as st

from repomem.core.text.words import LONGEST_WORD
from repomem.ranking.query import BODY_WEIGHT, MOST_WORDS, Query, forms_of


def test_stop_words_and_task_verbs_are_left_out() -> None:
    assert list(Query("please fix the parser of journals").words) == ["parser", "journals"]


def test_a_question_of_only_stop_words_keeps_them() -> None:
    assert list(Query("how to use it").words) == ["how", "to", "use", "it"]
    assert dict(Query("").words) == {}


def test_words_below_the_first_line_weigh_less_unless_they_are_in_it_too() -> None:
    words = Query("parser fails\nthe parser of a journal").words
    assert dict(words) == {"parser": 1.0, "fails": 1.0, "journal": BODY_WEIGHT}


def test_leading_blank_lines_are_ignored() -> None:
    assert Query("\n\nparser").words == {"parser": 1.0}


def test_a_pasted_log_does_not_displace_the_first_line() -> None:
    log = "\n".join(f"frame{number:05}" for number in range(500))
    words = Query(f"parser fails\n{log}").words
    assert len(words) == MOST_WORDS
    assert {"parser", "fails", "frame00000"} <= words.keys()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why does parseConfig fail", ["parseconfig"]),
        ("why does parse_config() fail", ["parseconfig"]),
        ("in `Ledger` it fails", ["ledger"]),
        ("Ledger.post raises", ["post", "ledger"]),
        ("std::vector<int> grows", ["vector", "std"]),
        ("user->name is null", ["name", "user"]),
        ("Ledger#post in ruby", ["post", "ledger"]),
        ("the ledger posts twice", []),
        ("Ledger", ["ledger"]),
        ("save!", ["save"]),
        ("balance()", ["balance"]),
        ("one broken row no longer stops load()", ["load"]),
        ("fix(core): the column(s) of a row (maybe)", []),
        ("fix `src/stock.js`", ["stock"]),
        ("fix src/flask_app/wrappers.py", ["wrappers"]),
        ("src/stock.js", ["stock"]),
        ("see README.md and `bin/rollback`", ["rollback", "readme"]),
        ("does --newer-than need a unit?", ["newerthan"]),
        ("dates -- and times--of day", []),
        ("x", []),
        ("`" + "a" * (LONGEST_WORD + 1) + "`", []),
    ],
)
def test_names_are_identifiers_in_the_text_last_part_first(text: str, names: list[str]) -> None:
    assert list(Query(text).names) == names


def test_the_subject_of_a_question_has_no_folders_and_extensions() -> None:
    query = Query("Add `read/write` counters to `src/stock.js` and lib/parlour/README.md")
    assert query.subject.text == "Add `read/write` counters to `stock` and README"
    assert query.file_names == ("stockjs", "readmemd")
    assert query.identifiers == ("write",)


def test_neighbouring_words_may_be_a_name() -> None:
    possible = Query("the json object parser").possible_names
    assert {"json", "jsonobject", "jsonobjectparser", "objectparser", "thejsonobject"} <= set(possible)
    assert not {"the", "jsonparser"} & set(possible)


def test_stop_words_alone_are_never_names() -> None:
    assert Query("how to do it").possible_names == ()


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see src/ledgerly/parser.py, please", ["src/ledgerly/parser.py"]),
        ("parser.py fails", ["parser.py"]),
        ("./run/me.sh and Makefile", ["run/me.sh"]),
        ("in docs/guide.md and docs/guide.md", ["docs/guide.md"]),
        ("nothing here", []),
    ],
)
def test_paths_are_found_by_their_form(text: str, paths: list[str]) -> None:
    assert list(Query(text).paths) == paths


@pytest.mark.parametrize(
    ("text", "is_symbol"),
    [("Ledger", True), ("Ledger.post()", True), ("a::b", True), ("empty?", True), ("two words", False), ("", False)],
)
def test_a_single_identifier_is_a_symbol(text: str, *, is_symbol: bool) -> None:
    assert Query(text).is_symbol is is_symbol


@pytest.mark.parametrize(
    ("text", "role"), [("fix the Tests", "test"), ("typo in the README", "docs"), ("an example of use", "example")]
)
def test_a_question_may_ask_for_a_role(text: str, role: str) -> None:
    assert Query(text).asks_for(role)
    assert not Query("parse the journal").asks_for(role)
    assert not Query(text).asks_for("vendored")


def test_a_word_that_contains_a_role_name_does_not_ask_for_the_role() -> None:
    assert not Query("the latest attestation").asks_for("test")


def test_a_search_looks_for_words_stems_and_definitions() -> None:
    assert {"parsing", "~pars", "pars", "=parsing"} <= set(Query("parsing").search_words)


def test_a_word_that_is_its_own_stem_matches_its_other_forms() -> None:
    assert forms_of("data") == ("data", "~data")


def test_a_form_in_another_alphabet_is_looked_for_by_its_stem() -> None:
    assert {"проводки", "~провод", "провод"} <= set(Query("проводки").search_words)
    assert forms_of("parsing") == ("parsing", "~pars", "pars")


@given(st.text())
@example("./.")
def test_any_text_is_a_question(text: str) -> None:
    query = Query(text)
    assert len(query.words) <= MOST_WORDS
    assert set(query.words) <= set(query.search_words)
    assert all(0 < weight <= 1 for weight in query.words.values())
    assert not any(name != name.casefold() for name in query.names)
    assert isinstance(query.is_symbol, bool)
    assert all(query.paths)


@pytest.mark.parametrize(
    ("text", "qualified", "is_spelled"),
    [
        ("Axios", "Axios", True),
        ("Axios", "axios", False),
        ("Helpers", "Sinatra.Helpers", True),
        ("Sinatra::Helpers", "Sinatra.Helpers", True),
        ("Sinatra::Helpers", "Rack.Helpers", False),
        ("send()", "Session.send", True),
        ("Session", "Session.send", False),
        ("how Session sends", "Session", False),
        ("", "Session", False),
    ],
)
def test_a_bare_symbol_spells_a_qualified_name_that_ends_in_exactly_it(
    text: str, qualified: str, is_spelled: bool
) -> None:
    assert Query(text).is_spelled_by(qualified) is is_spelled


def test_trailers_of_a_pasted_commit_message_are_not_searched_for() -> None:
    query = Query("Close the file\n\nIt leaks.\n\nPiperOrigin-RevId: 12345\nSigned-off-by: Ana Lee <ana@books.org>\n")
    assert set(query.words) == {"close", "file", "leaks"}


def test_of_a_message_of_dependabot_only_the_subject_is_searched_for() -> None:
    query = Query(
        "Bump autodocsumm from 0.2.11 to 0.2.12\n\nBumps [autodocsumm](https://docs.org/a) from 0.2.11 to 0.2.12.\n"
        "- [Release notes](https://docs.org/notes)\n- [Commits](https://docs.org/commits)\n\n---\n"
        "updated-dependencies:\n- dependency-name: autodocsumm\n  update-type: version-update:semver-patch\n...\n\n"
        "The map stays.\n"
    )
    assert {"release", "commits", "semver", "type", "dependency", "bump"}.isdisjoint(query.words)
    assert {"autodocsumm", "map", "stays"} <= set(query.words)


def test_what_a_template_asks_and_what_is_ticked_is_not_searched_for() -> None:
    steps = "- [x] I have run the linter\n- [ ] I have read\n  the guide\n"
    text = f"Close the ledger\n\n<!-- Which browser is it? -->\n{steps}"
    assert set(Query(text).words) == {"close", "ledger"}
    assert {"linter", "guide"} <= set(Query(text.replace("[x]", "[ ]")).words)  # steps of the task


def test_a_stop_word_that_is_quoted_alone_is_the_name_of_something() -> None:
    assert set(Query("remove the only package").words) == {"package"}
    assert set(Query('remove the "only" package').words) == {"only", "package"}
    assert set(Query("remove the `only` package").words) == {"only", "package"}
    assert set(Query('say "the only package" instead').words) == {"say", "package"}


@pytest.mark.parametrize(
    ("text", "names", "paths"),
    [
        ("are addresses like info@müller.de valid", (), ()),
        ("mail ann@example.com about requests.get", ("get", "requests"), ("requests.get",)),
        ("clone git@example.org:ann/parcels.git", ("git", "parcels"), ("ann/parcels.git",)),
        ("see https://docs.example.org/parcels/tariff.html", (), ("parcels/tariff.html",)),
        ("pip install parcel_box@1.2.3", ("parcelbox",), ()),
    ],
)
def test_mail_addresses_and_hosts_of_urls_are_neither_names_nor_files(
    text: str, names: tuple[str, ...], paths: tuple[str, ...]
) -> None:
    query = Query(text)
    assert (query.identifiers, query.paths) == (names, paths)


def test_a_short_title_and_a_short_question_are_parts_and_fenced_code_is_none() -> None:
    code = "```python\na = create_scope(first, second, third)\nservice = find(first, second, third, fourth)\n```"
    said, asked = "A bean defined in the parent is not found in the child.", "What does flatten do with cycles?"
    parts = Query(f"Linked scopes\n\n{said}\n{code}\n{asked}").parts
    assert [part.text for part in parts] == ["Linked scopes", said, asked]


@pytest.mark.parametrize("pasted", ["a" * 400_000, "a." * 200_000, "\n" * 400_000, "<!--" * 100_000])
def test_a_long_paste_without_words_is_read_in_linear_time(pasted: str) -> None:
    query = Query(f"src/limits.py:12: retry fails\n{pasted}\nafter it")
    assert "src/limits.py" not in query.paths, "a frame is no path of the task"
    assert [frame.path for frame in query.pasted.frames] == ["src/limits.py"]
    assert {"retry", "after"} <= query.words.keys()
    assert query.pasted.quotations == []
    assert all(len(span) <= 122 for span in query.pasted.code_spans)
