"""show, log, status, and facts over real repositories."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from support.library import Library
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, ready_at, recalled, workspace_at

from repomem.cli.recall.show import shown_markdown
from repomem.cli.setup.status import status_command
from repomem.cli.terminal.formats import Format
from repomem.core.errors import NotFound
from repomem.core.text.escape import visible_path
from repomem.profile.profile import facts_in
from repomem.recall.answer import recall_now
from repomem.recall.file_symbols import enclosing_symbol
from repomem.recall.log import TargetLog, log
from repomem.recall.request import BriefRequest
from repomem.recall.show import Shown, show
from repomem.recall.why import why
from repomem.setup.status import StatusReport, status_of
from repomem.workspace.run import Run
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import LEFT

LEDGER = "src/ledgerly/ledger.py"
MONEY = "src/ledgerly/money.py"
SUBJECTS = (
    "fix: refuse an amount with too many digits",
    "refactor: call the module money",
    "feat: read and balance journals",
)


def shown(folder: Path, wanted: str) -> Shown:
    with ready_at(folder) as it:
        return show(it.snapshot, wanted)


def story(folder: Path, target: str, last: int = 10) -> TargetLog:
    with ready_at(folder) as it:
        return log(it.snapshot, target, last)


def subjects(folder: Path, target: str, last: int = 10) -> list[str]:
    """The subjects of a story without their pull requests."""
    return [one.episode.subject.removesuffix(" (#12)") for one in story(folder, target, last).commits]


def state(folder: Path) -> StatusReport:
    with workspace_at(folder) as workspace:
        return status_of(workspace)


def test_a_span_is_shown_with_what_it_defines_and_calls(library: Library) -> None:
    folder = library("ledgerly")
    text = (folder / MONEY).read_text().split("\n")
    found = shown(folder, f"{MONEY}:35-43")
    assert (found.kind, found.path, found.start_line, found.end_line) == ("code", MONEY, 35, 43)
    assert found.text == "\n".join(text[34:43])
    assert found.language == "python"
    assert found.title == "parse_money"
    assert found.defines == ("parse_money",)
    assert {"int", "Money"} <= set(found.calls)


def test_a_single_line_is_shown_within_its_definition(library: Library) -> None:
    found = shown(library("ledgerly"), f"{LEDGER}:24")
    assert (found.text.strip()[:1], found.title, found.defines) == ("s", "Ledger.post", ())


def test_a_file_is_shown_whole(library: Library) -> None:
    found = shown(library("ledgerly"), LEDGER)
    assert f"{found.text}\n" == (library("ledgerly") / LEDGER).read_text()
    assert found.start_line == 1


def test_every_id_of_a_brief_can_be_shown(library: Library) -> None:
    folder = library("ledgerly")
    ids = [item.id for text in ("", "reject a posting") for item in recalled(folder, text).items if item.id]
    assert len(ids) > 15
    with ready_at(folder) as it:
        assert [show(it.snapshot, wanted).id for wanted in ids] == ids


def test_a_span_that_names_its_file_alone_is_found_where_only_one_is_called_so(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"src/one.py": "A = 1\n", "src/two.py": "B = 2\n", "lib/two.py": "C = 3\n"}))
    indexed(folder)
    with workspace_at(folder) as workspace:
        now = snapshot(workspace)
        assert now is not None
        assert show(now, "one.py:1").path == "src/one.py"
        with pytest.raises(NotFound, match=r"2 files are called two\.py") as refused:
            show(now, "two.py:1")
    assert "lib/two.py:1, src/two.py:1" in refused.value.hint


def test_a_path_without_its_first_folders_is_understood(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"src/core/one/a.py": "A = 1\n", "src/core/two/a.py": "B = 2\n"}))
    text = recalled(folder, "B in src/core/two/a.py").markdown
    [place] = set(re.findall(r"…/two/a\.py:\d+", text)) or {"…/two/a.py:1"}
    assert shown(folder, place).path == "src/core/two/a.py"
    assert [one.episode.subject for one in story(folder, "…/two/a.py").commits] == ["a change"]


def test_every_place_in_a_brief_can_be_shown_where_two_files_have_one_name(make_repository: MakeRepository) -> None:
    body = "".join(f"    parcel = weigh(parcel, {at})\n" for at in range(20))
    deliver = f"def deliver(parcel, courier):\n{body}    return courier.take(parcel)\n"
    caller = "from src.post.send import deliver\n\n\ndef north():\n    deliver(1, 2)\n"
    other = {"src/mail/send.py": "A = 1\n", "src/mail/north.py": "B = 2\n"}
    folder = make_repository(Commit({"src/post/send.py": deliver, "src/post/north.py": caller, **other}))
    text = recalled(folder, "deliver a parcel by courier").markdown
    places = set(re.findall(r"[\w/]+\.py:\d+(?:-\d+)?", text))
    assert "src/post/north.py:5" in places
    assert all(shown(folder, place).path == place.partition(":")[0] for place in places if place.startswith("src/"))
    short = {shown(folder, place).path for place in places if not place.startswith("src/")}
    assert short <= {"src/post/send.py", "src/post/north.py"}


def test_a_span_beyond_the_end_of_a_file_is_not_there(library: Library) -> None:
    assert shown(library("ledgerly"), f"{LEDGER}:45-9999").end_line == 50
    with pytest.raises(NotFound, match="has only 50 lines, not 51"):
        shown(library("ledgerly"), f"{LEDGER}:51-60")
    with pytest.raises(NotFound, match="9-3 ends before it begins") as refused:
        shown(library("ledgerly"), f"{LEDGER}:9-3")
    assert refused.value.hint == f"repomem show {LEDGER}:3-9"


@pytest.mark.parametrize("lines", ["0", "0-3", "3-0"])
def test_line_zero_does_not_exist(library: Library, lines: str) -> None:
    with pytest.raises(NotFound, match="line 0 does not exist") as refused:
        shown(library("ledgerly"), f"{LEDGER}:{lines}")
    assert refused.value.hint == "lines start at 1"


def test_a_getter_and_its_setter_are_shown_together_and_distant_namesakes_are_not(
    make_repository: MakeRepository,
) -> None:
    pair = "class Cart:\n    @property\n    def total(self):\n        return self.sum\n\n"
    pair += "    @total.setter\n    def total(self, value):\n        self.sum = value\n"
    apart = (
        "try:\n    def load():\n        return 1\n"
        + "    x = 1\n" * 30
        + "    def load():\n        return 2\nexcept E:\n    x = 2\n"
    )
    folder = make_repository(Commit({"cart.py": pair, "apart.py": apart}))
    indexed(folder)
    both = shown(folder, "Cart.total")
    assert (both.start_line, both.end_line) == (2, 8)
    assert both.text == pair.partition("\n")[2].rstrip("\n")
    assert shown(folder, "load").text == ""


def test_a_secret_is_not_shown(copied: Library) -> None:
    folder = copied("ledgerly")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    (folder / "src/ledgerly/token.py").write_text(f'TOKEN = "{secret}"\n')
    found = shown(folder, "src/ledgerly/token.py")
    assert "TOKEN" in found.text
    assert secret not in found.text


def test_a_commit_is_shown_whole(library: Library, run_git: RunGit) -> None:
    folder = library("ledgerly")
    commit = run_git(folder, "rev-parse", "HEAD")
    for wanted in (commit, commit[:8], commit[:4]):
        found = shown(folder, wanted)
        assert (found.kind, found.commit, found.date, found.author) == ("episode", commit, "2023-11-14", "Ada Example")
        assert found.title == f"{SUBJECTS[0]} (#12)"
        assert found.text == "It was rounded, and the journal did not balance."
        assert found.files == (f"M {MONEY}", "A tests/test_parser.py")
        assert f"{MONEY}:parse_money" in found.symbols
        assert found.state == "still in the code"


@pytest.mark.parametrize("wanted", ["HEAD", "@", "HEAD~0"])
def test_the_commit_that_is_checked_out_is_shown(library: Library, run_git: RunGit, wanted: str) -> None:
    folder = library("ledgerly")
    found = shown(folder, wanted)
    assert (found.kind, found.commit) == ("episode", run_git(folder, "rev-parse", "HEAD").strip())


@pytest.mark.parametrize("wanted", ["src/nowhere.py", "src/nowhere.py:3", "zzzz", "abc", "", "../../etc/passwd"])
def test_an_unknown_id_is_not_found_and_the_hint_shows_valid_ids(library: Library, wanted: str) -> None:
    with pytest.raises(NotFound, match="no id, indexed file") as caught:
        shown(library("ledgerly"), wanted)
    assert "src/a.py:12-40, at least 4 characters of an id" in caught.value.hint


def test_a_hash_of_no_commit_is_not_found(library: Library) -> None:
    with pytest.raises(NotFound, match="no indexed commit starts with ffffffff"):
        shown(library("ledgerly"), "ffffffff")


def test_an_ambiguous_hash_prefix_is_refused(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(*[Commit({}, f"chore: number {number}") for number in range(700)])
    starts = Counter(commit[:4] for commit in run_git(folder, "rev-list", "HEAD").split())
    start, count = starts.most_common(1)[0]
    assert count > 1
    with pytest.raises(NotFound, match=f"{count} commits start with {start}") as caught:
        shown(folder, start)
    assert caught.value.hint.count(f" {start}") == count


def test_the_log_of_everything_is_newest_first_and_counts_what_is_older(library: Library) -> None:
    folder = library("ledgerly")
    assert subjects(folder, "") == list(SUBJECTS)
    assert (subjects(folder, "", 2), story(folder, "", 2).older) == (list(SUBJECTS[:2]), 1)


def test_the_log_of_a_file_goes_on_under_the_name_it_had(library: Library) -> None:
    assert subjects(library("ledgerly"), MONEY) == list(SUBJECTS)
    assert subjects(library("ledgerly"), "src/ledgerly/currency.py") == list(SUBJECTS[1:])


def test_the_log_of_a_folder_is_that_of_its_files(library: Library) -> None:
    assert subjects(library("ledgerly"), "tests") == [SUBJECTS[0]]
    assert subjects(library("ledgerly"), "src/ledgerly/") == list(SUBJECTS)
    assert subjects(library("ledgerly"), ".github") == [SUBJECTS[2]]


def test_the_log_of_a_symbol_has_the_commits_that_changed_it(library: Library) -> None:
    folder = library("ledgerly")
    assert subjects(folder, f"{MONEY}:parse_money") == [SUBJECTS[0], SUBJECTS[2]]
    assert subjects(folder, f"{LEDGER}:Ledger.post") == subjects(folder, f"{LEDGER}:post") == [SUBJECTS[2]]


@pytest.mark.parametrize("target", ["nowhere.py", "src/ledgerl", "nowhere.py:parse_money"])
def test_a_path_that_no_commit_touched_is_not_found(library: Library, target: str) -> None:
    path = target.partition(":")[0]
    with pytest.raises(NotFound, match=f"no indexed commit touched '{path}'") as error:
        story(library("ledgerly"), target)
    assert "a path from the top of the repository" in error.value.hint
    assert error.value.hint.endswith(f"git log --all -- {path}")


def test_a_symbol_that_a_file_never_had_is_not_found_in_it(library: Library) -> None:
    with pytest.raises(NotFound, match=f"{MONEY} defines no nowhere, and no indexed commit changed one") as error:
        story(library("ledgerly"), f"{MONEY}:nowhere")
    assert error.value.hint == f"repomem show {MONEY}"


@pytest.mark.parametrize("named", ["parse_money", "money.py:parse_money"])
def test_the_log_of_a_symbol_is_found_without_its_file(library: Library, named: str) -> None:
    found, whole = story(library("ledgerly"), named), story(library("ledgerly"), f"{MONEY}:parse_money")
    assert found.commits
    assert (found.today, found.commits) == (whole.today, whole.commits)


WRITERS = """class Plain:
    def write(self, text):
        return text.strip()


class Loud:
    def write(self, text):
        return text.upper()
"""


def test_the_log_of_a_symbol_has_no_commits_of_a_namesake(make_repository: MakeRepository) -> None:
    louder = WRITERS.replace("upper()", "upper() + '!'")
    above = "import sys\n\n\n" + louder
    folder = make_repository(
        Commit({"a.py": WRITERS}, "begin"),
        Commit({"a.py": louder, "b.py": WRITERS}, "louder"),
        Commit({"a.py": above}, "import"),
        Commit({"a.py": None, "c.py": above}, "move"),
    )
    assert subjects(folder, "c.py:Plain.write") == ["begin"]
    assert subjects(folder, "c.py:Loud.write") == ["louder", "begin"]
    (folder / "c.py").write_text("# not committed\n" * 9 + above)
    assert subjects(folder, "c.py:Plain.write") == ["begin"]


def test_the_log_of_a_method_is_never_that_of_another_class(make_repository: MakeRepository) -> None:
    louder = WRITERS.replace("upper()", "upper() + '!'")
    folder = make_repository(Commit({"a.py": WRITERS}, "begin"), Commit({"a.py": louder}, "louder"))
    with pytest.raises(NotFound, match="no indexed commit changed Quiet") as other:
        story(folder, "a.py:Quiet.write")
    with pytest.raises(NotFound, match="has 2 symbols called write") as ambiguous:
        story(folder, "a.py:write")
    assert other.value.hint == "did you mean a.py:Plain.write, a.py:Loud.write?"
    assert ambiguous.value.hint == "give one of a.py:Plain.write, a.py:Loud.write"


def test_the_log_of_a_method_is_found_without_its_namespace_or_with_other_separators(
    make_repository: MakeRepository,
) -> None:
    code = "namespace db {{\nint {}::Get() {{ return {}; }}\nint {}::Get() {{ return {}; }}\n}}\n"
    folder = make_repository(
        Commit({"a.cc": code.format("Disk", 1, "Cache", 2)}, "begin"),
        Commit({"a.cc": code.format("Disk", 1, "Cache", 3)}, "cache"),
    )
    for named in ("Cache.Get", "Cache::Get", "db::Cache::Get", "db.Cache.Get"):
        found = story(folder, f"a.cc:{named}")
        assert found.today == "a.cc:3-3 db.Cache.Get"
        assert [one.episode.subject for one in found.commits] == ["cache", "begin"]


def test_the_log_of_a_method_is_not_that_of_a_function_in_a_file_named_like_its_class(
    make_repository: MakeRepository,
) -> None:
    code = "package store\n\nfunc Open() error {{ return {} }}\n\nfunc (s *Store) Open() error {{ return {} }}\n"
    folder = make_repository(
        Commit({"store.go": code.format("standard.Open()", "nil")}, "begin"),
        Commit({"store.go": code.format("standard.Open()", "s.connect()")}, "connect"),
    )
    indexed(folder)
    assert subjects(folder, "Store.Open") == ["connect", "begin"]
    with pytest.raises(NotFound, match=r"store\.Open matches 2 places"):
        story(folder, "store.Open")


def test_the_log_of_a_method_is_that_of_its_definition_and_not_of_its_declaration_in_a_header(
    make_repository: MakeRepository,
) -> None:
    header = "namespace db {\nclass Cache {\npublic:\n  int Get();\n  int Size();\n};\n}\n"
    inline = "namespace db {{\ninline int Cache::Get() {{\n  return {};\n}}\n}}\n"
    folder = make_repository(
        Commit({"cache.h": header, "cache-inl.h": inline.format(1)}, "begin"),
        Commit({"cache-inl.h": inline.format(2)}, "two"),
    )
    indexed(folder)
    assert story(folder, "Cache::Get").today == "cache-inl.h:2-4 db.Cache.Get"
    assert subjects(folder, "Cache::Get") == ["two", "begin"]
    assert story(folder, "Cache::Size").today == "cache.h:5-5 db.Cache.Size"


def test_the_log_of_a_getter_and_its_setter_is_one(make_repository: MakeRepository) -> None:
    code = "class Reply {{\n  get body () {{\n    return {}\n  }}\n\n  set body (it) {{\n    this.it = {}\n  }}\n}}\n"
    folder = make_repository(
        Commit({"a.js": code.format("1", "it")}, "begin"),
        Commit({"a.js": code.format("1", "it || 2")}, "setter"),
        Commit({"a.js": code.format("2", "it || 2")}, "getter"),
    )
    found = story(folder, "a.js:Reply.body")
    assert found.today == "a.js:2-4,6-8 Reply.body"
    assert [one.episode.subject for one in found.commits] == ["getter", "setter", "begin"]


def test_the_log_of_a_definition_leaves_out_its_declaration(make_repository: MakeRepository) -> None:
    code = "class Disk {\n public:\n  Disk();\n  int Get();\n};\n\nint Disk::Get() {\n  return 1;\n}\n"
    folder = make_repository(Commit({"a.cc": code}, "begin"))
    assert story(folder, "a.cc:Get").today == "a.cc:7-9 Disk.Get"
    assert story(folder, "a.cc:Disk").today == "a.cc:1-5 Disk"


def test_an_overload_that_is_deleted_is_a_definition(make_repository: MakeRepository) -> None:
    code = "class Disk {\n  Disk() = default;\n  Disk(const Disk&) = delete;\n  Disk(int a) {\n    b = a;\n  }\n};\n"
    folder = make_repository(Commit({"a.h": code}, "begin"))
    assert story(folder, "a.h:Disk.Disk").today == "a.h:2-2,3-3,4-6 Disk.Disk"


def test_commits_are_in_the_order_of_git_whatever_their_dates(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(Commit({"a.py": WRITERS}, "begin"))
    assert story(folder, "a.py").is_in_order_of_dates
    (folder / "a.py").write_text(WRITERS.replace("strip", "lstrip"))
    run_git(folder, "commit", "-q", "-a", "-m", "landed late", "--date=2020-01-01T00:00:00Z")
    assert subjects(folder, "a.py:Plain.write") == subjects(folder, "a.py") == ["landed late", "begin"]
    assert not story(folder, "a.py").is_in_order_of_dates


def test_the_log_of_a_symbol_that_was_moved_names_its_former_place(make_repository: MakeRepository) -> None:
    code = "def seal(text):\n    return text.strip()\n"
    folder = make_repository(
        Commit({"a.py": code + "\n\nx = 1\n", "c.py": code}, "begin"),
        Commit({"a.py": "x = 1\n", "b.py": code, "c.py": code + "# as in b\n"}, "move"),
        Commit({"b.py": code.replace("strip", "lstrip")}, "left only"),
    )
    assert story(folder, "b.py:seal").moved_from == "a.py:seal"
    assert subjects(folder, "a.py:seal") == ["move", "begin"]
    assert story(folder, "c.py:seal").moved_from == ""


def test_the_first_name_of_a_renamed_file_is_no_place_that_a_symbol_was_moved_from(
    make_repository: MakeRepository,
) -> None:
    other = "def open(ledger):\n    return [each for each in ledger if each.amount]\n\n\n"
    seal = "def seal(ledger):\n    for each in ledger:\n        each.seal(ledger.key)\n"
    folder = make_repository(
        Commit({"a.py": other}, "begin"),
        Commit({"a.py": other + seal}, "feat: seal"),
        Commit({"a.py": None, "lib/a.py": other + seal}, "move"),
    )
    found = story(folder, "lib/a.py:seal")
    assert [one.episode.subject for one in found.commits][-1] == "feat: seal"
    assert found.moved_from == ""


def test_the_log_of_a_symbol_that_was_moved_within_its_file_goes_on_before_the_move(
    make_repository: MakeRepository,
) -> None:
    seal, *others = (
        "".join([f"def {name}(text):\n", *(f"    {name}_{at}(text)\n" for at in range(lines))])
        for name, lines in (("seal", 3), ("open", 9), ("send", 9))
    )
    folder = make_repository(
        Commit({"a.py": "\n".join([*others, seal])}, "begin"),
        Commit({"a.py": "\n".join([*others, seal.replace("seal_2", "sealed")])}, "seal well"),
        Commit({"a.py": "\n".join([seal.replace("seal_2", "sealed"), *others])}, "a better order"),
        Commit({"a.py": "\n".join([seal, *others])}, "as before"),
    )
    assert subjects(folder, "a.py:seal") == ["as before", "a better order", "seal well", "begin"]
    assert story(folder, "a.py:seal").moved_from == ""


def test_the_log_of_a_symbol_that_left_its_file_says_so(make_repository: MakeRepository) -> None:
    code = "def seal(text):\n    return text.strip()\n"
    folder = make_repository(Commit({"a.py": code + "x = 1\n"}, "begin"), Commit({"a.py": "x = 1\n"}, "no seals"))
    assert story(folder, "a.py:seal").today == "seal is no longer in a.py"


def test_the_log_of_a_symbol_that_its_file_still_mentions_does_not_say_that_it_left(
    make_repository: MakeRepository,
) -> None:
    code = "def seal(text):\n    return text.strip()\n"
    folder = make_repository(
        Commit({"a.py": code}, "begin"), Commit({"a.py": "from b import seal\n", "b.py": code}, "seal in another file")
    )
    assert story(folder, "a.py:seal").today == "no definition of seal found in a.py, which mentions it"


def test_the_log_of_a_symbol_that_is_gone_is_found_by_its_name(make_repository: MakeRepository) -> None:
    loud = WRITERS.partition("\n\n\n")[2]
    folder = make_repository(
        Commit({"a.py": WRITERS.replace("write", "stamp")}, "begin"),
        Commit({"a.py": loud}, "no stamps"),
        Commit({"b.py": "def seal(text):\n    return text\n", "c.py": "def seal(text):\n    return text\n"}, "seals"),
        Commit({"b.py": "", "c.py": ""}, "no seals"),
    )
    assert subjects(folder, "stamp") == subjects(folder, "a.py:stamp") == ["no stamps", "begin"]
    with pytest.raises(NotFound, match="seal is no longer defined; 2 files once defined it") as error:
        story(folder, "seal")
    assert error.value.hint == "give one of b.py:seal, c.py:seal"


def test_the_log_of_a_symbol_that_is_gone_says_how_far_it_was_looked_for(make_repository: MakeRepository) -> None:
    text = "[history]\nsymbol_commits = 2\n"
    folder = make_repository(
        Commit({"a.py": WRITERS, ".repomem.toml": text}, "begin"),
        Commit({"a.py": WRITERS.replace("text.strip()", "text.strip().lower()")}, "lower"),
        Commit({"a.py": "x = 1\n"}, "gone"),
    )
    found = story(folder, "a.py:write")
    assert ([one.episode.subject for one in found.commits], found.of_newest) == (["gone", "lower"], 2)
    assert story(folder, "a.py").of_newest == 0


def test_a_line_is_explained_by_its_files_name_alone(library: Library) -> None:
    with ready_at(library("ledgerly")) as it:
        assert why(it.snapshot, "money.py:36") == why(it.snapshot, f"{MONEY}:36")


def test_an_empty_line_has_no_reason_and_the_next_one_with_code_is_named(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n\n\n\nB = 2\n"}))
    with ready_at(folder) as it, pytest.raises(NotFound, match=r"line 4 of a\.py is empty") as refused:
        why(it.snapshot, "a.py:4")
    assert refused.value.hint == "repomem why a.py:5"


def test_lines_are_counted_from_one(library: Library) -> None:
    with (
        ready_at(library("ledgerly")) as it,
        pytest.raises(NotFound, match=r"line 0 does not exist in money\.py") as error,
    ):
        why(it.snapshot, "money.py:0")
    assert error.value.hint == "lines start at 1"


def test_the_log_shows_reverts(library: Library) -> None:
    told = story(library("courier"), "src/retry.ts").commits
    assert [(one.kind, "reverted by" in one.state) for one in told] == [
        ("episode", False),
        ("tried", True),
        ("episode", False),
    ]


def test_lines_that_moved_to_another_folder_remain(make_repository: MakeRepository) -> None:
    text = "def settle(account):\n    return account.balance - account.pending\n"
    top = make_repository(
        Commit({"lib/bank.py": text}, "feat: settle an account"),
        Commit({"lib/bank.py": None, "src/bank.py": text}, "refactor: sources below src"),
        Commit({"lib/old_report.py": "def report():\n    return 'nothing to report'\n"}, "feat: a report"),
        Commit({"lib/old_report.py": None}, "feat: no report"),
    )
    states = {told.episode.subject: told.state for told in story(top, "").commits}
    assert states["feat: settle an account"] == "still in the code"
    lost, _, by = states["feat: a report"].partition(", ")
    assert (lost, by.startswith("some lines removed by "), by.endswith(' "feat: no report"')) == (
        "its files were removed or renamed",
        True,
        True,
    )


def test_a_file_that_is_renamed_but_not_committed_keeps_its_log(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    code = "def send(message):\n    return post(message)\n"
    later = code.replace("post(", "retry(3, ")
    folder = make_repository(Commit({"client.py": code}, "send"), Commit({"client.py": later}, "retry three times"))
    run_git(folder, "mv", "client.py", "sender.py")
    indexed(folder)
    assert subjects(folder, "sender.py") == ["retry three times", "send"]
    assert subjects(folder, "sender.py:send") == ["retry three times", "send"]
    assert story(folder, "client.py").today == "sender.py, by an uncommitted rename"
    with workspace_at(folder) as workspace:
        assert (
            "Uncommitted: `client.py`, `sender.py`." in recall_now(workspace, BriefRequest("", 1_500), Run()).markdown
        )


def test_a_deleted_file_keeps_its_log(copied: Library, run_git: RunGit) -> None:
    folder = copied("tidepool")
    run_git(folder, "rm", "-q", "CONTRIBUTING.md")
    run_git(folder, "commit", "-q", "-m", "docs: drop the guide for contributors")
    assert subjects(folder, "CONTRIBUTING.md")[0] == "docs: drop the guide for contributors"


def test_the_status_goes_from_missing_to_current_to_behind(make_sample: Library) -> None:
    folder = make_sample("ledgerly")
    before = state(folder)
    assert (before.state, before.report.files, before.store_bytes) == ("missing", 0, 0)
    report = indexed(folder)
    now = state(folder)
    assert now.state == "current"
    assert (now.report.files, now.report.chunks, now.report.episodes) == (report.files, report.chunks, 3)
    assert now.report.languages["python"] == 6
    assert min(now.catalog_bytes, now.store_bytes) > 0
    assert (now.repository, now.worktrees) == ("ledgerly", (str(folder),))
    assert now.id == before.id != ""
    (folder / "README.md").write_text("# other\n")
    assert state(folder).state == "behind"


def test_the_status_says_what_was_left_out_and_why(make_sample: Library) -> None:
    folder = make_sample("tidepool")
    (folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (folder / ".env").write_text("A=1\n")
    indexed(folder)
    assert state(folder).report.left_out == {"binary": 1, "named like a secret": 1}


def printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    with workspace_at(folder) as workspace:
        status_command(workspace, Format.TEXT)
    return capsys.readouterr().out


def test_the_status_names_no_other_model_while_vectors_of_the_same_are_missing(
    make_sample: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_sample("ledgerly")
    chunks = indexed(folder).chunks
    with workspace_at(folder) as workspace:
        workspace.catalog.set_meta(LEFT, "2")
    model = next(line for line in printed(folder, capsys).splitlines() if line.startswith("model: "))
    assert model.endswith(f"; vectors of {chunks - 2:,} of {chunks:,} chunks: run repomem index")


def test_the_status_of_a_capture_model_names_the_missing_library(
    make_sample: Library, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPOMEM_CAPTURE_LLM", "ollama/qwen3")
    monkeypatch.setattr("repomem.cli.setup.status.find_spec", {}.get)
    assert "capture: ollama/qwen3 is set, but litellm is not installed: " in printed(make_sample("ledgerly"), capsys)


def test_a_bare_repository_has_neither_work_tree_nor_changes(
    make_repository: MakeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n"}), bare=True)
    assert "changes" not in recalled(folder).markdown.splitlines()[-2]
    assert "worktree: none: only the commits of a bare repository are indexed\n" in printed(folder, capsys)


def test_facts_are_read_from_the_work_tree_as_it_is(copied: Library) -> None:
    folder = copied("ledgerly")
    manifest = folder / "pyproject.toml"
    manifest.write_text(manifest.read_text().replace(">=3.11", ">=3.12"))
    with ready_at(folder) as it:
        facts = {fact.slot: fact.text for fact in facts_in(it.snapshot.worktree)}
    assert facts["runtime"] == "Python >=3.12"
    assert facts["name"] == "ledgerly 1.4.0"


def test_no_secret_becomes_a_fact(copied: Library) -> None:
    folder = copied("ledgerly")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("python -m pytest tests", f"TOKEN={secret} python -m pytest"))
    with ready_at(folder) as it:
        [test] = [fact.text for fact in facts_in(it.snapshot.worktree) if fact.slot == "test"]
    assert "pytest" in test
    assert secret not in test
    assert secret not in recalled(folder).markdown


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.c", "enum operation { ADD, TEST };\n", "operation"),
        ("a.c", "enum operation {\n  ADD, TEST\n};\n", "operation"),
        ("a.c", "enum operation {\n  ADD\n};\n", "operation.ADD"),
        ("a.ts", "class A {\n  b() { return 1 } c() { return 2 }\n}\n", "A"),
    ],
)
def test_a_line_of_several_definitions_belongs_to_the_one_around_them(path: str, text: str, expected: str) -> None:
    line = 1 if text.count("\n") == 1 else 2

    assert enclosing_symbol(text, path, line) == expected


def test_a_path_without_its_first_folders_is_shown_and_explained(library: Library) -> None:
    folder = library("ledgerly")
    assert shown(folder, "ledgerly/money.py:35-43").path == MONEY
    assert shown(folder, "ledgerly/money.py").path == MONEY
    with ready_at(folder) as it:
        assert why(it.snapshot, "ledgerly/money.py:35").path == MONEY


def test_several_files_of_a_name_are_listed_with_the_lines_that_were_asked_for(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a/x.py": "A = 1\n", "b/x.py": "B = 1\n"}))
    indexed(folder)
    with pytest.raises(NotFound) as failure:
        shown(folder, "x.py:1-1")
    assert failure.value.hint == "give the path: a/x.py:1-1, b/x.py:1-1"


def test_a_folder_is_called_one(library: Library) -> None:
    with pytest.raises(NotFound, match=r"^src/ledgerly/ is a folder$") as failure:
        shown(library("ledgerly"), "src/ledgerly/")
    assert failure.value.hint == "repomem log src/ledgerly, or show one of its files"


def test_a_file_without_text_is_refused_with_the_reason(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n", "data.bin": b"\0\1"}))
    indexed(folder)
    with ready_at(folder) as it, pytest.raises(NotFound, match=r"^cannot show data\.bin: not a text file$"):
        why(it.snapshot, "data.bin:1")
    for module in ("show", "why"):
        monkeypatch.setattr(f"repomem.recall.{module}.is_locked", lambda *_: True)
    with ready_at(folder) as it:
        for ask in (lambda: why(it.snapshot, "x.py:1"), lambda: show(it.snapshot, "x.py:1")):
            with pytest.raises(NotFound, match=r"^cannot show x\.py: (unreadable|vanished)$"):
                ask()


ODD_PATHS = ("co:lon.py", os.fsdecode(b"caf\xe9.py"), "lib/new\nline.py")


@pytest.mark.parametrize("path", ODD_PATHS, ids=["colon", "a byte that is not UTF-8", "line break"])
def test_a_path_is_found_as_it_is_and_as_it_is_printed(make_repository: MakeRepository, path: str) -> None:
    folder = make_repository(Commit({path: "def send():\n    return 1\n", "a.py": "A = 1\n"}, "begin"))
    indexed(folder)
    for name in (path, visible_path(path)):
        assert shown(folder, name).path == shown(folder, f"{name}:1-2").path == path
        with ready_at(folder) as it:
            assert why(it.snapshot, f"{name}:2").path == path
        [anchor] = said(folder, f"Names such as {name!r} are kept", on=(f"{name}:send",)).said.anchors
        assert (anchor.path, anchor.symbol) == (path, "send")
        for target in (name, f"{name}:send"):
            found = story(folder, target)
            assert [one.episode.subject for one in found.commits] == ["begin"]
            assert found.today.partition(".py")[0] + ".py" == visible_path(path)


def test_a_deleted_file_with_a_colon_is_found(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"co:lon.py": "def send():\n    return 1\n", "a.py": "A = 1\n"}, "begin"),
        Commit({"co:lon.py": None}, "gone"),
    )
    indexed(folder)
    assert [one.episode.subject for one in story(folder, "co:lon.py").commits] == ["gone", "begin"]


def test_an_empty_file_has_no_lines(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n", "empty.py": "", "blank.py": "\n"}))
    indexed(folder)
    assert shown_markdown(shown(folder, "empty.py")) == "empty.py: an empty file\n"
    assert shown_markdown(shown(folder, "blank.py")) == "blank.py:1-1\n"
    with pytest.raises(NotFound, match="has only 0 lines, not 1"):
        shown(folder, "empty.py:1")


def test_the_owner_in_the_name_of_a_symbol_that_is_gone_names_its_file(make_repository: MakeRepository) -> None:
    code = "def call(text):\n    return text\n"
    folder = make_repository(
        Commit({"static_files.py": code, "ssl.py": code.replace("text", "key"), "a.py": "x = 1\n"}, "calls"),
        Commit({"static_files.py": "", "ssl.py": ""}, "no calls"),
    )
    assert subjects(folder, "Plug.StaticFiles.call") == ["no calls", "calls"]
