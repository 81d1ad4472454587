"""Pasted stack traces in every common format, and the files that they lead to."""

import pytest

from repomem.core.types.code import Role
from repomem.core.types.indexed import IndexedFile
from repomem.ranking.message_matching import traced_files
from repomem.ranking.pasted_messages import Frame, PastedMessages
from repomem.ranking.query import Query

PYTHON = """posting fails

Traceback (most recent call last):
  File "/home/joe/app/main.py", line 3, in <module>
    post(book)
  File "/home/joe/.venv/lib/python3.11/site-packages/journal/ledger.py", line 12, in Ledger.post
    return self.lines[key]
KeyError: 'balance sheet'
"""


def files(*paths: str) -> list[IndexedFile]:
    return [IndexedFile(at, path, Role.SOURCE, "python", 1) for at, path in enumerate(paths)]


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        ('  File "src/a.py", line 7, in load', Frame("src/a.py", 7, "load")),
        ('  File "src/a.py", line 7', Frame("src/a.py", 7)),
        (r'  File "C:\work\src\a.py", line 7, in load', Frame("C:/work/src/a.py", 7, "load")),
        ("    at Store._load (/app/lib/store.js:148:25)", Frame("/app/lib/store.js", 148, "_load")),
        ("    at async load (file:///app/lib/store.js:9:3)", Frame("app/lib/store.js", 9, "load")),
        ("    at new Store (webpack:///./src/store.ts:9:3)", Frame("src/store.ts", 9, "Store")),
        ("    at /app/lib/store.js:9:3", Frame("/app/lib/store.js", 9)),
        ("\tat org.acme.books.Ledger.post(Ledger.java:35)", Frame("org/acme/books/Ledger.java", 35, "post")),
        (
            "   at Acme.Ledger.Post[T](Book b) in /_/Acme/Ledger.cs:line 11",
            Frame("/_/Acme/Ledger.cs", 11, "Post"),
        ),
        ("lib/books/ledger.rb:10:in `post!': undefined method", Frame("lib/books/ledger.rb", 10, "post")),
        ("\tfrom lib/books/ledger.rb:10:in 'Ledger#post'", Frame("lib/books/ledger.rb", 10, "post")),
        (r"#0 /app/src/Ledger.php(12): Books\Ledger->post(400, 'x')", Frame("/app/src/Ledger.php", 12, "post")),
        ("thrown in /app/src/Ledger.php on line 12", Frame("/app/src/Ledger.php", 12)),
        ("    (books 1.1) lib/books/ledger.ex:8: Books.Ledger.post/2", Frame("lib/books/ledger.ex", 8, "post")),
        ("\t/root/go/pkg/mod/books@v1.2.0/ledger.go:98 +0x1d", Frame("/root/go/pkg/mod/books@v1.2.0/ledger.go", 98)),
        ("thread 'main' panicked at books/src/ledger.rs:23:9:", Frame("books/src/ledger.rs", 23)),
        ("             at ./src/ledger.rs:23:9", Frame("src/ledger.rs", 23)),
        (
            "    #0 0x55d0 in books::Ledger::post(books::Book const&, int) const src/ledger.cpp:12:5",
            Frame("src/ledger.cpp", 12, "post"),
        ),
        ("#1  0x00007f2 in post (book=0x1) at src/ledger.c:12", Frame("src/ledger.c", 12, "post")),
        ("#2  post (book=0x1) at ../src/ledger.c:12", Frame("../src/ledger.c", 12, "post")),
        (
            "books/v3.(*Ledger[...]).Post(0xc0, {0xc1, 0x5})\n\t/books/ledger.go:9 +0x1d",
            Frame("/books/ledger.go", 9, "Post"),
        ),
        ("main.load.func1.2(...)\n\t/books/main.go:9 +0x1d", Frame("/books/main.go", 9, "load")),
        (
            "   3: books::ledger::post::{{closure}}\n             at ./src/ledger.rs:23:9",
            Frame("src/ledger.rs", 23, "post"),
        ),
        ("src/ledger.c:12:5: error: expected ';'", Frame("src/ledger.c", 12)),
        ("src/ledger.ts(12,5): error TS2304: Cannot find name", Frame("src/ledger.ts", 12)),
    ],
)
def test_each_languages_frames_are_read(line: str, frame: Frame) -> None:
    assert PastedMessages(line).frames == (frame,)


@pytest.mark.parametrize(
    "text", ["at 12:30 in the docs", "scale 3.5:1", "version v1.2.3", "see https://host:8080/path", "a.b(c)", ""]
)
def test_text_without_a_frame_gives_none(text: str) -> None:
    assert PastedMessages(text).frames == ()
    assert Query(text).pasted.frames == ()


def test_the_frame_nearest_to_the_error_comes_first_in_either_order_of_the_trace() -> None:
    assert [frame.line for frame in PastedMessages(PYTHON).frames] == [12, 3]
    assert [frame.line for frame in PastedMessages("E\n at f (a.js:1:1)\n at g (b.js:2:1)").frames] == [1, 2]


def test_an_installed_copys_path_leads_to_the_file_that_shares_most_of_its_end() -> None:
    found = traced_files(
        PastedMessages(PYTHON).frames, files("src/journal/ledger.py", "tests/ledger.py", "src/journal/main.py")
    )
    assert found.nearness == {0: 1.0}
    assert [frame.name for frame in found.frames[0]] == ["post"]


def test_frames_near_the_error_score_more_and_foreign_frames_are_skipped() -> None:
    text = (
        "E\n at f (node_modules/x/i.js:1:1)\n at g (lib/core/b.js:2:1)\n at h (lib/a.js:2:1)\n at g (lib/core/b.js:9:1)"
    )
    found = traced_files(PastedMessages(text).frames, files("lib/core/b.js", "lib/a.js", "i.js"))
    assert found.nearness == {0: 1.0, 1: 0.5}


def test_a_compiled_file_leads_to_its_source_whatever_the_line() -> None:
    frames = PastedMessages("E\n at post (node_modules/books/dist/core/ledger.js:512:30)").frames
    found = traced_files(frames, files("src/core/ledger.ts", "src/ledger.ts"))
    assert found.nearness == {0: 1.0}
    assert found.frames == {0: [Frame("node_modules/books/dist/core/ledger.ts", 0, "post")]}
    assert traced_files(frames, files("src/core/ledger.ts", "lib/core/ledger.js")).nearness == {1: 1.0}


def test_a_file_name_alone_leads_to_a_file_at_the_root_unless_the_frame_is_in_a_package() -> None:
    top = files("setup.py", "src/setup.py")
    assert traced_files([Frame("/home/joe/books/setup.py", 3)], top).nearness == {0: 1.0}
    assert traced_files([Frame("/usr/lib/python3/site-packages/x/setup.py", 3)], top).nearness == {}
    assert traced_files([Frame("setup.py", 3)], top).nearness == {0: 1.0, 1: 1.0}


def test_the_folders_of_a_trace_are_not_query_words_but_its_error_is() -> None:
    words = Query(PYTHON).words
    assert not {"home", "joe", "site", "packages", "venv"} & words.keys()
    assert words["balance"] == 1.0
    assert words["post"] < 1.0
    assert "post" in PastedMessages(PYTHON).prose


def test_error_lines_are_the_lines_that_state_an_error() -> None:
    assert PastedMessages(PYTHON).error_lines == ["KeyError: 'balance sheet'"]
    text = "ok\npanic: nil map\nerror[E0308]: mismatched types\nraise ValueError(x)\nCaused by: java.io.IOException: no"
    assert len(PastedMessages(text).error_lines) == 3


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("rv.MapIndex(reflect.ValueOf(mapKey)) would panic", ["rv.MapIndex(reflect.ValueOf(mapKey))"]),
        ("keep busy?only when polling", ["busy?only"]),
        ("`a = b` is read twice (see std::aligned_storage)", ["a = b", "std::aligned_storage"]),
        ('url_params("count") is not checked.', ['url_params("count")']),
        ("fix(http): retry at https://a.b/c?d=e, v1.2.3, README.md, me@here.org", []),
        ("read-only text/binary files don't e.g. load", []),
    ],
)
def test_code_that_is_more_than_a_name_is_found_in_a_question(text: str, spans: list[str]) -> None:
    assert PastedMessages(text).code_spans == spans


def test_what_bots_and_reviews_added_to_a_squashed_message_is_no_part_of_the_question() -> None:
    text = (
        "Speed up asdict\n\n* [pre-commit.ci] auto fixes from pre-commit.com hooks\n\n"
        "for more information, see https://pre-commit.ci\n\n* Apply suggestions from code review\n\n* fix docs\n\n"
        "* Keep the order of the keys of a mapping\n\n---------\n"
    )
    assert " ".join(PastedMessages(text).prose.split()) == "Speed up asdict * Keep the order of the keys of a mapping"
