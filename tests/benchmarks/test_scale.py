"""Large generated repositories: the same variation each time, and the requested size."""

from pathlib import Path

from support.repositories import RunGit

from benchmarks.scale.generate import TOKEN, Original, committed, varied
from benchmarks.scale.report import known, tables

TEXT = (
    "def parse_amount(text: str, digits: int = 20) -> int:\n"
    '    """Cents of an amount."""\n'
    "    return round_half(float(text), digits)\n"
)
FILE = Original("money/money.py", tuple(TOKEN.split(TEXT)), 3)


def copy_of(number: int) -> str:
    return "".join(varied(FILE, number, {}))


def test_the_first_copy_is_the_original_and_each_other_one_is_its_own() -> None:
    texts = [copy_of(number) for number in range(8)]

    assert texts[0] == TEXT
    assert len(set(texts)) == len(texts)
    assert texts == [copy_of(number) for number in range(8)]


def test_a_copy_is_still_code_of_the_same_shape() -> None:
    for number in range(8):
        compile(copy_of(number), "copy", "exec")
        assert copy_of(number).count("\n") == TEXT.count("\n")


def test_a_repository_has_the_chunks_and_commits_that_were_asked_for(tmp_path: Path, run_git: RunGit) -> None:
    top = tmp_path / "large"
    committed(top, [FILE], 10, ["fix: round half up", "feat: amounts"], 5)

    assert len(run_git(top, "ls-files").splitlines()) == 4  # of three chunks each
    assert len(run_git(top, "log", "--format=%H").splitlines()) == 6
    assert (top / "part-0000/money/money.py").is_file()
    assert run_git(top, "status", "--porcelain") == ""


def test_the_page_has_the_figures_of_the_results() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")

    for table in tables(known()):
        assert table in page
