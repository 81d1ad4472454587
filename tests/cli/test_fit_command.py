"""`repomem eval --fit` as a stranger runs it: what is kept, what is not, what recall and status make of it."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from support.command_line import Place, new_place

TOPICS = ("invoice rounding", "calendar holidays", "mail greeting", "ticket queue", "parcel weight", "door alarm")
ROUNDS = 11  # one makes the files known to the history, ten are tasks: sixty commits
QUESTION = "the calendar holidays go wrong"


def misleading(folder: Path) -> Place:
    """A repository where the words of a task stand in one file, and what is changed is always another."""
    place = new_place(folder, "ledgerly")
    for number, topic in enumerate(TOPICS):
        first, second = topic.split()
        talk = f"def {first}_{second}():\n    '''The {topic}: {topic} of any {first}, and all {second}.'''\n"
        write(place, f"talk/{first}_{second}.py", talk)
        write(place, f"core/part{number}.py", "x = 0\n")
    place.git("add", "--all")
    place.git("commit", "-q", "-m", "start")
    for at in range(ROUNDS):
        for number, topic in enumerate(TOPICS):
            write(place, f"core/part{number}.py", f"x = {at + 1}\n")
            place.git("commit", "-q", "-a", "-m", f"fix: the {topic} go wrong" if at else f"{topic} first")
    return place


def write(place: Place, path: str, text: str) -> None:
    file = place.folder / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def replayed() -> Iterator[Place]:
    """The repository, replayed once; its weights were never fitted, or were put back."""
    with TemporaryDirectory() as folder:
        place = misleading(Path(folder).resolve())
        with place.start("eval", "--commits", "60", "--format", "json") as process:
            out, err = process.communicate(timeout=500)
        assert (process.returncode, len(json.loads(out)["tasks"])) == (0, 60), err
        assert place.run("index").code == 0
        yield place


@pytest.fixture
def place(replayed: Place) -> Iterator[Place]:
    """The same; afterwards the shipped weights are back."""
    yield replayed
    weights(replayed).unlink(missing_ok=True)


@pytest.fixture
def kept(place: Place) -> dict[str, Any]:
    """What a fit says whose weights were kept."""
    ended = place.run("eval", "--fit", "--commits", "60", "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    found: dict[str, Any] = json.loads(ended.out)["fit"]
    return found


def weights(place: Place) -> Path:
    return place.folder / ".git" / "repomem" / "weights.json"


def order(place: Place) -> list[str]:
    ended = place.run("recall", QUESTION, "--format", "json")
    assert ended.code == 0
    paths = (item["path"] for item in json.loads(ended.out)["items"] if item["kind"] in ("code", "file"))
    return list(dict.fromkeys(filter(None, paths)))


def test_weights_that_find_more_where_they_were_not_fitted_are_kept(place: Place, kept: dict[str, Any]) -> None:
    assert (kept["kept"], kept["because"]) == (True, "")
    assert (kept["fitted_on"], kept["held_back"]) == (40, 20)
    assert kept["fitted"]["MRR"] > kept["shipped"]["MRR"]
    assert kept["chance"] < 0.05
    assert kept["weights"]["history"]["fitted"] > kept["weights"]["words"]["fitted"]
    assert weights(place).stat().st_mode & 0o777 == 0o600
    assert [each.name for each in weights(place).parent.iterdir() if "weights" in each.name] == ["weights.json"]


def test_recall_ranks_by_the_kept_weights_until_they_are_dropped(place: Place) -> None:
    before = order(place)
    assert before[0] == "talk/calendar_holidays.py"
    place.run("eval", "--fit", "--commits", "60")
    assert order(place)[0] == "core/part1.py"
    ended = place.run("eval", "--unfit")
    assert (ended.code, ended.out) == (0, "the shipped weights rank this repository's files again\n")
    assert order(place) == before
    again = place.run("eval", "--unfit", "--format", "json")
    assert json.loads(again.out) == {"schema": "repomem.eval/1", "fit": {"dropped": False}}


def test_the_text_says_what_changed_what_it_gains_and_how_to_go_back(place: Place) -> None:
    out = place.run("eval", "--fit", "--commits", "60").out
    rows = {cells[0]: cells[1:] for line in out.splitlines() if len(cells := re.split(r"  +", line)) > 1}
    assert rows["signal or factor"] == ["shipped", "fitted", "change"]
    assert float(rows["history"][1]) > float(rows["history"][0])
    assert rows["test files"] == ["0.9", "0.9"]
    assert rows["MRR"][2].startswith("+")
    assert out.endswith("Back to the shipped ones: repomem eval --unfit\n")


def test_status_says_whose_weights_rank_and_what_they_gained(place: Place, kept: dict[str, Any]) -> None:
    told = re.search(
        r"^weights: its own since (\S+); on 20 commits held back (.*)$", place.run("status").out, re.MULTILINE
    )
    assert told
    assert f"MRR {kept['shipped']['MRR']:.3f} to {kept['fitted']['MRR']:.3f}" in told[2]
    answer = json.loads(place.run("status", "--format", "json").out)["own_weights"]
    assert (answer["since"][:10], answer["trial"]["held_back"]) == (told[1], 20)
    place.run("eval", "--unfit")
    assert "weights" not in place.run("status").out


def test_an_eval_measures_the_ranking_that_serves(place: Place, kept: dict[str, Any]) -> None:
    ended = place.run("eval", "--commits", "2", "--format", "json")
    found = json.loads(ended.out)
    assert found["rankings"]["brief"]["mrr"] == 1.0
    assert "fit" not in found
    assert [notice.partition(":")[0] for notice in found["notices"]] == ["ranked by this repository's own weights"]


def test_too_few_commits_are_said_and_change_nothing(place: Place) -> None:
    ended = place.run("eval", "--fit", "--commits", "20")
    assert ended.code == 0
    assert ended.out.endswith("The weights stay as they are, because 20 commits were replayed, and 60 are needed.\n")
    assert not weights(place).exists()


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"from": {}, "weights": {}}', "\0\xff" * 10, "[" * 9_000])
def test_a_file_that_does_not_serve_is_told_and_the_shipped_ones_do(place: Place, damage: str) -> None:
    before = order(place)
    weights(place).write_text(damage, encoding="utf-8")
    told = place.run("recall", QUESTION)
    assert (told.code, order(place)) == (0, before)
    assert re.search(
        r"^note: this repository's own weights .*; repomem eval --fit makes new ones", told.err, re.MULTILINE
    )
    status = place.run("status")
    assert (status.code, "weights:" in status.out) == (0, False)
    assert "note: this repository's own weights " in status.err
    assert place.run("eval", "--unfit").code == 0
    assert not weights(place).exists()


def test_weights_fitted_from_others_than_are_shipped_now_do_not_serve(place: Place, kept: dict[str, Any]) -> None:
    said = json.loads(weights(place).read_text(encoding="utf-8"))
    said["from"]["signals"]["words"] = 0.123
    weights(place).write_text(json.dumps(said), encoding="utf-8")
    assert order(place)[0] == "talk/calendar_holidays.py"
    assert "were fitted from others than are shipped now" in place.run("recall", QUESTION).err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_weights_that_cannot_be_kept_are_an_error(place: Place) -> None:
    weights(place).parent.chmod(0o500)
    try:
        ended = place.run("eval", "--fit", "--commits", "60")
    finally:
        weights(place).parent.chmod(0o700)
    assert ended.code == 1
    assert ended.err.startswith("error: cannot keep the weights in ")


def test_fitting_and_unfitting_at_once_is_a_usage_error(place: Place) -> None:
    assert place.run("eval", "--fit", "--unfit").code == 2


def test_the_page_has_the_fit_too(place: Place, tmp_path: Path) -> None:
    ended = place.run("eval", "--fit", "--commits", "60", "--html", str(tmp_path / "page.html"))
    assert ended.code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Weights fitted to the older 40 commits" in page
    assert "repomem eval --unfit" in page
