"""Similar edits of one commit, as a brief at a later head shows them."""

from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled

HEAD = "import io\n\n\n"
FILES = """def encode_files(files):
    parts = []
    for name, file in files:
        if {files}:
            file = file.read()
        parts.append((name, file))
    return parts
"""
PARAMS = """def encode_params(params):
    for value in params:
        if {params}:
            return value.read()
    return params
"""
BODY = """def prepare_body(body, length):
    if length is None and {body}:
        length = super_len(body)
    return body, length
"""
BEFORE = {name: f'hasattr({kept}, "read")' for name, kept in (("files", "file"), ("params", "value"), ("body", "body"))}
AFTER = {
    name: f"isinstance({kept}, Readable)" for name, kept in (("files", "file"), ("params", "value"), ("body", "body"))
}
QUESTION = "encode_files misses wrappers that forward by getattr"


def texts(names: dict[str, str], lead: str = HEAD) -> dict[str, str | bytes | None]:
    return {
        "src/models.py": f"{lead}{FILES.format(**names)}\n\n{PARAMS.format(**names)}",
        "src/send.py": BODY.format(**names),
    }


COMMITS = [
    Commit({**texts(BEFORE), "src/other.py": "def unrelated():\n    return compute_something()\n"}, "begin"),
    Commit(texts(AFTER), "Add inline types (#72)"),
    Commit(texts(AFTER, f"{HEAD}LIMIT = 10_000\n\n\n"), "bound what is read"),
]


def lines_of(markdown: str) -> list[str]:
    return [line for line in markdown.split("\n") if "replaced `" in line]


def test_a_brief_shows_similar_edits_with_current_line_numbers(make_repository: MakeRepository) -> None:
    folder = make_repository(*COMMITS)
    indexed(folder)
    [line] = lines_of(recalled(folder, QUESTION).markdown)
    assert line.endswith(
        ' "Add inline types" (#72): replaced `hasattr(…, "read")` with `isinstance(…, Readable)` at '
        "`src/models.py` 10, 18; `src/send.py` 2: all 3 still in the code"
    )


def test_a_later_changed_similar_edit_is_marked(make_repository: MakeRepository) -> None:
    lead = f"{HEAD}LIMIT = 10_000\n\n\n"
    mended = AFTER | {"files": 'isinstance(file, Readable) or hasattr(file, "read")'}
    folder = make_repository(*COMMITS, Commit(texts(mended, lead), "Fix detection of wrappers in files"))
    indexed(folder)
    [line] = lines_of(recalled(folder, QUESTION).markdown)
    told, _, state = line.rpartition(": ")
    assert told.endswith("at `src/models.py` 18; `src/send.py` 2")
    assert state.startswith("these are still in the code; `src/models.py` 10 changed by ")


def test_a_question_about_something_else_shows_no_similar_edits(make_repository: MakeRepository) -> None:
    folder = make_repository(*COMMITS)
    indexed(folder)
    assert lines_of(recalled(folder, "unrelated: compute_something else").markdown) == []


def test_ambiguous_lines_are_not_shown_as_similar_edits(make_repository: MakeRepository) -> None:
    twice = texts(AFTER) | {"src/more.py": "x = 1\n"}
    copied = str(twice["src/models.py"]) + "\n\n" + FILES.format(**AFTER).replace("encode_files", "encode_more")
    folder = make_repository(*COMMITS, Commit({"src/models.py": copied}, "encode more"))
    indexed(folder)
    assert lines_of(recalled(folder, QUESTION).markdown) == []


def test_added_code_is_shown_without_secrets(make_repository: MakeRepository) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    after = {name: f'login({kept}, "{token}")' for name, kept in (("files", "f"), ("params", "v"), ("body", "b"))}
    before = {name: f"knows({kept}, key, realm)" for name, kept in (("files", "f"), ("params", "v"), ("body", "b"))}
    folder = make_repository(Commit({**texts(before)}, "begin"), Commit(texts(after), "log in anywhere"))
    indexed(folder)
    markdown = recalled(folder, "encode_files cannot log in").markdown
    assert lines_of(markdown)
    assert token not in markdown
    assert token[4:] not in markdown
