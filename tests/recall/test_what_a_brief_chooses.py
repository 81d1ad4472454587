"""Which candidate items a brief chooses: the relevance gate, caps, duplicates, callers and deadlines."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import cast

import pytest
from support.memory_scenes import AGENT, PERSON, said, titles
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import BUDGET, indexed, recalled, workspace_at

from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering, of_kinds
from repomem.brief.other_repositories import OtherAnswers, OtherRepository, other_items
from repomem.core.records import MemoryKind
from repomem.core.types.brief import BriefItem, RepositoryState
from repomem.core.types.code import Role
from repomem.core.types.indexed import IndexedFile
from repomem.items.places import Places
from repomem.ranking.rank import RankedFile
from repomem.recall.answer import ready, recall_now, search_now
from repomem.recall.brief import matches_for, new_items_draft, recall
from repomem.recall.locations import file_items, near_best
from repomem.recall.request import BriefRequest
from repomem.workspace.ledger import Speaker
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EVERYWHERE, Snapshot

TARIFF = "def tariff(parcel):\n    return parcel.weight * 3\n"
ABSENT = "rotate the kubernetes ingress certificates"


@pytest.fixture
def parcels(make_repository: MakeRepository) -> Path:
    """A repository of one module."""
    return make_repository(Commit({"src/tariff.py": TARIFF}, "feat: weigh parcels"))


def candidate(row: order.OrderRow, kind: str, name: str, number: int = 0) -> CandidateItem:
    return CandidateItem(*row.nth(number), (Rendering(f"- {name}", BriefItem(kind=kind, id=name)),))


# The relevance gate


def test_a_relevant_memory_opens_the_gate_though_no_code_is_relevant(parcels: Path) -> None:
    assert recalled(parcels, ABSENT).gate.state == "none"
    said(parcels, "Certificates of the kubernetes ingress rotate on Mondays", kind=MemoryKind.FACT)

    brief = recalled(parcels, ABSENT)

    assert (brief.gate.state, brief.gate.why) == ("use", "a memory is relevant, though no code is")
    assert titles(brief) == ["Certificates of the kubernetes ingress rotate on Mondays"]
    assert "relevant found" not in brief.markdown


def test_a_rule_for_everything_does_not_open_the_gate(parcels: Path) -> None:
    said(parcels, "Prices are integers", kind=MemoryKind.RULE)
    brief = recalled(parcels, ABSENT)
    assert (brief.gate.state, titles(brief)) == ("none", ["Prices are integers"])
    assert "Nothing clearly relevant found. " in brief.markdown


def test_memories_that_are_about_something_else_are_counted(parcels: Path) -> None:
    said(parcels, "The printer in the depot needs labels of 62 mm", kind=MemoryKind.FACT)

    brief = recalled(parcels, ABSENT)

    assert (brief.gate.state, titles(brief)) == ("none", [])
    assert "No memory is about this task; `repomem memories` lists one." in brief.markdown


def test_an_index_that_is_not_complete_gives_no_verdict(parcels: Path) -> None:
    indexed(parcels)
    (parcels / "src/late.py").write_text("def rotate_certificates():\n    return 1\n")
    with workspace_at(parcels) as workspace:
        brief = recall_now(workspace, BriefRequest(ABSENT, BUDGET), replace(Run(), deadline=0.0))

    assert brief.gate.state == "limited"
    assert "Nothing relevant found in the part indexed so far." in brief.markdown
    assert "in no file" not in brief.markdown


@pytest.mark.parametrize(
    ("task", "named"),
    [
        ("does the ingress call PARCELEXCLUSIVE and weigh a parcel", "`PARCELEXCLUSIVE`"),
        ("does the ingress call parcel_pony and weigh", "`parcel_pony`"),
    ],
)
def test_weak_matches_come_with_the_names_that_are_nowhere(parcels: Path, task: str, named: str) -> None:
    brief = recalled(parcels, task)
    assert brief.gate.state == "limited"
    assert f"No file or commit message contains {named}." in brief.markdown
    assert "No file or commit" not in recalled(parcels, task.replace(named.strip("`"), "tariff")).markdown


def test_where_nothing_matches_the_names_that_are_nowhere_are_as_the_task_wrote_them(parcels: Path) -> None:
    brief = recalled(parcels, "rotate the Kubernetes ingress_certificates (#2974)")
    assert brief.gate.state == "none"
    said = "No file or commit message contains `rotate` or `Kubernetes` or `ingress_certificates`."
    assert f"Nothing clearly relevant found. {said}" in brief.markdown


def test_a_skipped_neighbour_is_no_gap_of_this_index(parcels: Path) -> None:
    indexed(parcels)
    with workspace_at(parcels) as workspace:
        now = ready(workspace, Run()).snapshot
        brief = recall(
            now, BriefRequest(ABSENT, BUDGET), (), OtherAnswers(warnings=("../gone was skipped: no such folder",))
        )
    assert brief.gate.state == "none"
    assert "Nothing clearly relevant found. No file or commit message contains " in brief.markdown
    assert "../gone was skipped: no such folder" in brief.markdown


def test_a_brief_with_memories_alone_closes_with_the_lack_of_code(parcels: Path) -> None:
    said(parcels, "Certificates of the kubernetes ingress rotate on Mondays", kind=MemoryKind.FACT)
    assert "Only memories match this task." in recalled(parcels, ABSENT).markdown
    assert "Only memories are" not in recalled(parcels, "the tariff of a parcel").markdown


def test_a_brief_without_an_item_of_the_requested_kinds_says_so(parcels: Path) -> None:
    indexed(parcels)
    with workspace_at(parcels) as workspace:
        brief = recall_now(workspace, BriefRequest("the tariff of a parcel", BUDGET, kinds=frozenset({"map"})), Run())
    assert brief.gate.state == "use"
    assert brief.markdown.splitlines()[-2] == "Nothing of the requested kinds matches this task."


def test_a_rule_is_shown_where_one_of_the_five_best_files_is_in_its_scope(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({f"src/depot{at}.py": f"def sort_{at}():\n    return 0\n" + "# tariff\n" * (9 - at) for at in range(8)})
    )
    indexed(folder)
    with workspace_at(folder) as workspace:
        now = ready(workspace, Run()).snapshot
        best = [one.file.path for one in matches_for(now, BriefRequest("tariff of a parcel", BUDGET)).ranking.ranked]
    assert len(best) == 8
    for number, path in enumerate(best, start=1):
        said(folder, f"Comments in place {number} end with a full stop", kind=MemoryKind.RULE, scope=(path,))
    shown = titles(recalled(folder, "tariff of a parcel"))
    assert sorted(shown) == [f"Comments in place {number} end with a full stop" for number in range(1, 6)]


def test_a_rule_on_a_symbol_is_shown_for_that_symbol_and_not_for_its_whole_file(
    make_repository: MakeRepository,
) -> None:
    source = "def tariff(parcel):\n    return parcel.weight\n"
    source += "".join(f"\n\ndef address_{at}(parcel):\n    return parcel.address[{at}]\n" for at in range(8))
    folder = make_repository(Commit({"src/depot.py": source}))
    indexed(folder)
    said(folder, "Round up to cents", kind=MemoryKind.RULE, on=("src/depot.py:tariff",))

    assert titles(recalled(folder, "the tariff is too low")) == ["Round up to cents"]
    assert titles(recalled(folder, "the address lacks the house number")) == []


def test_a_rule_that_mentions_a_file_applies_everywhere(parcels: Path) -> None:
    said(parcels, "Every change gets an entry in README.md", kind=MemoryKind.RULE)

    assert titles(recalled(parcels, "tariff of a parcel")) == ["Every change gets an entry in README.md"]


# Caps and duplicates


def test_unconfirmed_memories_of_the_users_agent_are_shown_and_marked(parcels: Path) -> None:
    for number in range(4):
        said(parcels, f"The tariff of parcel class {number} is {number * 7}", AGENT, kind=MemoryKind.FACT)
    brief = recalled(parcels, "tariff of a parcel class")
    assert len(titles(brief)) == 4
    assert brief.markdown.count("- provisional fact ") == 4


def test_a_map_counts_the_memories_that_it_leaves_out(parcels: Path) -> None:
    for name in ("amber", "birch", "cedar", "dune", "ember", "fern", "grape", "hazel"):
        said(parcels, f"The tariff table of {name} is read once", AGENT, kind=MemoryKind.FACT)
    assert "\n2 more memories: `repomem memories` lists all 8. No uncommitted" in recalled(parcels).markdown
    with workspace_at(parcels) as workspace:
        brief = recall_now(workspace, BriefRequest("", BUDGET, kinds=frozenset({"thread"})), Run())
    closing = "Nothing of the requested kinds is in the map. 2 more memories: `repomem memories` lists all 8."
    assert brief.markdown.splitlines()[-2] == closing


@pytest.mark.parametrize("task", ["", "tariff of a parcel"])
def test_a_brief_with_room_for_nothing_else_shows_what_is_left_out(parcels: Path, task: str) -> None:
    said(parcels, "The tariff of a parcel is read once")
    briefs = [recalled(parcels, task, budget) for budget in range(60, 300, 10)]
    assert all("Left out: " in brief.markdown for brief in briefs if brief.markdown and not brief.items)
    assert any(brief.markdown and not brief.items for brief in briefs)


def test_a_map_has_all_facts_that_fit(parcels: Path) -> None:
    texts = {
        f"The tariff table of {name} is read once" for name in ("amber", "birch", "cedar", "dune", "ember", "fern")
    }
    texts |= {"Depots close at noon", "Drivers carry a phone"}
    for text in sorted(texts):
        said(parcels, text, kind=MemoryKind.FACT)
    assert set(titles(recalled(parcels))) == texts


def test_rules_in_scope_leave_fewer_of_the_eight_rules_to_general_ones(parcels: Path) -> None:
    general = {
        "Branches carry a ticket number",
        "Commit subjects are imperative",
        "Two people approve a change",
        "Tags are cut on Thursdays",
        "Invoices are archived for ten years",
    }
    for name, text in zip(("amber", "birch", "cedar", "dune", "ember"), sorted(general), strict=True):
        said(parcels, f"Comments end with the word {name}", kind=MemoryKind.RULE, scope=("src/*",))
        said(parcels, text, kind=MemoryKind.RULE)
    brief = recalled(parcels, "tariff of a parcel")
    assert [title in general for title in titles(brief)] == [False] * 5 + [True] * 3
    assert "2 more rules: `repomem memories --kind rule`." in brief.markdown


def test_of_the_rules_for_everything_those_near_the_task_come_first(parcels: Path) -> None:
    said(parcels, "No dependency outside the standard library", kind=MemoryKind.RULE)
    for text in ("Commit subjects are imperative", "Two people approve a change", "Tags are cut on Thursdays"):
        said(parcels, text, kind=MemoryKind.RULE)
    shown = titles(recalled(parcels, "use the requests package to fetch the tariff"))
    assert shown.index("No dependency outside the standard library") == 0


def test_a_rule_for_everything_is_never_called_perhaps_unrelated(parcels: Path) -> None:
    said(parcels, "Priya cuts the tags, on Thursdays, never right before a weekend", kind=MemoryKind.RULE)
    brief = recalled(parcels, "who publishes a new version and on which day")
    assert titles(brief) == ["Priya cuts the tags, on Thursdays, never right before a weekend"]
    assert "may be unrelated" not in brief.markdown


def test_confirmed_memories_of_one_author_are_not_capped_at_two(parcels: Path) -> None:
    for number in range(4):
        said(parcels, f"The tariff of parcel class {number} is {number * 7}", PERSON, kind=MemoryKind.FACT)
    assert len(titles(recalled(parcels, "tariff of a parcel class"))) == 4


def test_one_author_of_many_decision_trailers_gets_at_most_two_lines(make_repository: MakeRepository) -> None:
    texts = ["whole grams", "no floats", "one table"]
    trailers = [
        Commit({f"src/t{at}.py": TARIFF}, f"feat: tariff {at}\n\nDecision: the tariff uses {text}\n")
        for at, text in enumerate(texts)
    ]
    folder = make_repository(*trailers)
    indexed(folder)
    shown = [item for item in recalled(folder).items if item.kind == "decision"]
    assert len(shown) == 2


def test_a_commit_with_similar_edits_is_listed_once(make_repository: MakeRepository) -> None:
    def module(name: str, check: str) -> str:
        return f"def {name}(value):\n    if {check}:\n        return value.read()\n    return value\n"

    names = ("encode_files", "encode_params", "prepare_body")
    before = {f"src/{name}.py": module(name, 'hasattr(value, "read")') for name in names}
    after = {f"src/{name}.py": module(name, "isinstance(value, Readable)") for name in names}
    folder = make_repository(
        Commit(before, "begin"),
        Commit(after, "encode_files checks for Readable"),
        Commit({"src/more.py": "LIMIT = 10\n"}, "bound what is read"),
    )
    markdown = recalled(folder, "encode_files checks for Readable").markdown
    told = [line for line in markdown.split("\n") if '"encode_files checks for Readable"' in line]
    lines = [line for line in told if "removed by" not in line]  # the first commit, whose lines it replaced
    assert len(lines) == 1
    assert "replaced `" in lines[0]


def test_the_tests_of_the_first_files_are_named_though_no_word_leads_to_them(make_repository: MakeRepository) -> None:
    others = {f"tests/test_{name}.py": "C = 3\n" for name in ("stamps", "doors", "roofs")}
    files = {"src/core.py": TARIFF, "tests/src/test_core.py": "A = 1\n", "tests/test_core.py": "B = 2\n", **others}
    brief = recalled(make_repository(Commit(files)), "tariff by weight of a parcel")
    assert "- further files: `tests/src/test_core.py`" in brief.markdown


def test_a_definition_that_an_excerpt_shows_whole_is_not_listed_again(make_repository: MakeRepository) -> None:
    weigh = "def weigh(parcel):\n    return parcel.grams\n"
    stamp = "def stamp(parcel):\n    postage = parcel.weight\n    return postage\n"
    filler = "".join(f"def other_{at}(box):\n    return box * {at}\n\n\n" for at in range(9))
    folder = make_repository(Commit({"src/postage.py": f"{stamp}\n\n{filler}{weigh}"}, "begin"))
    indexed(folder)
    markdown = recalled(folder, "stamp the postage of a parcel by its grams, see `weigh`").markdown
    assert "in `stamp`" in markdown or "in `weigh`" in markdown
    assert "also `weigh`" not in markdown
    assert ", `weigh`" not in markdown
    assert "also `stamp`" not in markdown


@pytest.mark.parametrize(
    ("message", "verb"),
    [
        ('Revert "round the tariff"\n\nThis reverts commit 12b34bc4eb92.', "restored"),
        ("Restore it", "restored"),
        ("Compute tariffs anew\n\n* round them\n\nThis reverts commit 12b34bc4eb92.\n\n* more", "wrote"),
    ],
)
def test_only_a_commit_that_says_so_restored_lines(make_repository: MakeRepository, message: str, verb: str) -> None:
    exact = "def parcel_tariff(parcel):\n    return parcel.weight * parcel.distance\n"
    folder = make_repository(
        Commit({"tariff.py": exact}, "begin"),
        Commit({"tariff.py": "def parcel_tariff(parcel):\n    return round_up(CHARGES[parcel.zone])\n"}, "other"),
        Commit({"tariff.py": exact}, message),
    )
    assert f": {verb} `tariff.py:2`" in recalled(folder, "the parcel_tariff by weight and distance").markdown


def test_lines_that_were_never_there_before_are_not_restored(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"tariff.py": "def parcel_tariff(parcel):\n    return round_up(CHARGES[parcel.zone])\n"}, "begin"),
        Commit({"tariff.py": "def parcel_tariff(parcel):\n    return parcel.weight * parcel.distance\n"}, "Restore it"),
    )
    assert ": wrote `tariff.py:2`" in recalled(folder, "the parcel_tariff by weight and distance").markdown


def test_a_commit_is_shown_with_symbols_that_exist_those_of_the_question_first(make_repository: MakeRepository) -> None:
    gone, label, stamp = (
        f"def {name}(parcel):\n    return parcel.{name}_text\n\n\n" for name in ("seal", "label", "stamp")
    )
    folder = make_repository(
        Commit({"other.py": "other = 1\n"}, "begin"),
        Commit({"src/post.py": gone + label + stamp}, "seal, label and stamp parcels"),
        Commit({"src/post.py": label + stamp}, "clean up"),
    )
    [line] = [
        line
        for line in recalled(folder, "label and seal: `stamp` parcels twice").markdown.splitlines()
        if "seal, label and stamp" in line
    ]
    assert ": `stamp`, `label`: " in line


def test_a_matching_commit_says_which_of_the_lines_shown_it_wrote(make_repository: MakeRepository) -> None:
    names = ("alpha", "beta", "gamma")
    bench = "".join(f"def {name}(runs):\n    return runs * 2 + len('{name}')\n\n\n" for name in names)
    store = "def write(journal, entry):\n    journal.append(entry)\n"
    synced = store + "    if not journal.sync():\n        journal.refuse_later_writes()\n"
    folder = make_repository(
        Commit({"store.py": store, "other.py": "other = 1\n"}, "begin"),
        Commit({"a_bench.py": bench, "store.py": synced}, "Release 1.15: the journal syncs"),
        Commit({"other.py": "other = 2\n"}, "count to two"),
    )
    brief = recalled(folder, "when the sync of a journal is slow and its disk is full, entries are lost after a crash")
    [line] = [line for line in brief.markdown.splitlines() if "Release 1.15" in line]
    assert line.endswith(": wrote `store.py:3-4`")


def test_a_commit_whose_code_is_gone_is_not_shown_with_symbols_of_its_tests(make_repository: MakeRepository) -> None:
    test = "def test_weighs_heavy_parcels():\n    assert weigh_heavy(parcel=9) == 27\n"
    code = "def weigh_heavy(parcel):\n    doubled = parcel.weight * 3\n    return doubled\n"
    folder = make_repository(
        Commit({"scale.py": code, "tests/test_scale.py": test}, "feat: weigh heavy parcels"),
        Commit({"scale.py": "def price_of(basket):\n    total = sum(basket.prices)\n    return total\n"}, "baskets"),
    )
    lines = recalled(folder, "weigh heavy parcels").markdown.splitlines()
    [shown] = [line for line in lines if "feat: weigh heavy parcels" in line]
    assert "source lines" in shown
    assert "test_weighs_heavy_parcels" not in shown


def test_the_task_line_is_the_first_line_of_the_task(parcels: Path) -> None:
    assert "\n## Task: weigh parcels\n" in recalled(parcels, "weigh parcels\n\nThey are bulky.").markdown


def test_an_old_commit_whose_message_matches_best_is_shown(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"src/stamp.py": "def stamp(parcel):\n    return 1\n"}, "stamp bulky parcels twice", time=1_200_000_000),
        Commit({"src/stamp.py": "def label(letter):\n    print(letter)\n"}, "label letters"),
    )
    indexed(folder)
    shown = [item.title for item in recalled(folder, "stamp bulky parcels twice").items if item.kind == "episode"]
    assert "stamp bulky parcels twice" in shown


def test_an_old_commit_of_which_nothing_remains_is_left_out_unless_it_matches_best(
    make_repository: MakeRepository,
) -> None:
    old = 1_200_000_000
    folder = make_repository(
        Commit({"src/stamp.py": "def stamp(parcel):\n    return bulky(parcel)\n"}, "stamp bulky parcels", time=old),
        Commit({"src/stamp.py": "def stamp(letter):\n    return letter.stamps\n"}, "stamp bulky letters", time=old),
        Commit({"src/stamp.py": "def stamp(depot):\n    return depot.kept\n"}, "keep stamps"),
    )
    indexed(folder)
    shown = [item.title for item in recalled(folder, "stamp bulky parcels").items if item.kind == "episode"]
    assert "stamp bulky parcels" in shown
    assert "stamp bulky letters" not in shown


def test_an_old_commit_whose_files_are_lost_is_left_out_though_it_matches_best(make_repository: MakeRepository) -> None:
    old = 1_200_000_000
    folder = make_repository(
        Commit({"old/stamp.py": "def stamp(parcel):\n    return bulky(parcel)\n"}, "stamp bulky parcels", time=old),
        Commit({"old/stamp.py": None, "src/label.py": "def label(parcel):\n    return parcel.bulk\n"}, "label parcels"),
    )
    indexed(folder)
    shown = [item.title for item in recalled(folder, "stamp bulky parcels").items if item.kind == "episode"]
    assert "stamp bulky parcels" not in shown


def test_a_commit_whose_message_alone_matches_is_left_out(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"src/stamp.py": "def stamp(parcel):\n    return 1\n", "quickstart.rst": "Stamps\n"}, "begin"),
        Commit({"quickstart.rst": "Stamps\n======\n"}, "stamp bulky parcels and letters: headings"),
        Commit({"src/stamp.py": "def stamp(parcel):\n    return parcel.bulk\n"}, "stamp bulky parcels by size"),
        *(Commit({"src/depot.py": f"LIMIT = {at}\n"}, f"limit {at}") for at in range(9)),
    )
    indexed(folder)
    brief = recalled(folder, "stamp bulky parcels without letters at a depot of the northern coast")
    shown = [item.title for item in brief.items if item.kind == "episode"]
    assert "stamp bulky parcels by size" in shown
    assert "stamp bulky parcels and letters: headings" not in shown


def test_the_reason_is_that_of_the_commit_that_wrote_most_of_the_lines(make_repository: MakeRepository) -> None:
    table = "".join(f"    weights.append(parcel.weight_{at})\n" for at in range(3))
    before = f"def tariff(parcel, weights):\n{table}    return sum(weights)\n"
    later = before.replace("sum(weights)", "sum(weights) + parcel.surcharge")
    folder = make_repository(
        Commit({"a.py": before}, "begin\n\nThe carrier demands it."),
        Commit({"a.py": later}, "go on\n\nIt was asked for since May."),
    )
    indexed(folder)
    markdown = recalled(folder, "tariff weights of a parcel").markdown
    assert "The carrier demands it." in markdown
    assert "since May" not in markdown


def test_a_further_definition_with_little_of_the_task_is_left_out(make_repository: MakeRepository) -> None:
    others = {f"depot_{at}": f"box_{at}" for at in range(5)}
    bodies = {"stamp_parcel": "parcel.postage", **others, "parcel_postage": "stamp", "shelf": "crate"}
    text = "".join(f"def {name}(value):\n    return value.{body}\n\n\n" for name, body in bodies.items())
    folder = make_repository(Commit({"src/postage.py": text}, "begin"))
    indexed(folder)
    places = [item for item in recalled(folder, "stamp the postage of a parcel").items if item.kind == "code"]
    assert {item.symbol for item in places} >= {"stamp_parcel", "parcel_postage"}
    assert not {item.symbol for item in places}.intersection({*others, "shelf"})


def test_an_excerpt_of_two_functions_names_neither_and_both_are_not_listed_again(
    make_repository: MakeRepository,
) -> None:
    stamp = "def stamp(parcel):\n    postage = parcel.grams\n    return postage\n\n"
    weigh = "def weigh(parcel):\n    grams = parcel.postage\n    return grams\n"
    filler = "".join(f"def other_{at}(box):\n    return box * {at}\n\n\n" for at in range(9))
    folder = make_repository(
        Commit({"src/postage.py": f"def postage(grams):\n    return grams\n\n\n{filler}{stamp}{weigh}"}, "begin")
    )
    indexed(folder)
    items = [item for item in recalled(folder, "`postage` of the grams of a parcel").items if item.kind == "code"]
    both = next(item for item in items if "def stamp" in item.text and "def weigh" in item.text)
    assert both.symbol == ""
    assert not [item.id for item in items if item.title in {"stamp", "weigh"}]


def test_the_signature_of_a_place_is_no_single_line(make_repository: MakeRepository) -> None:
    long = "".join(f"    return_{at} = some_very_long_name_{at} + another_quite_long_name_{at}\n" for at in range(8))
    source = f"def stamp(parcel):\n{long}    return stamp.parcel\n"
    folder = make_repository(Commit({"src/stamp.py": source}, "begin"))
    indexed(folder)
    items = [item for item in recalled(folder, "stamp a parcel", 400).items if item.kind == "code"]
    assert [item.title for item in items][:1] == ["def stamp(parcel)"]
    assert not [item.text for item in items if item.title == "lines"]


def test_single_lines_are_of_the_first_two_files(make_repository: MakeRepository) -> None:
    filler = "".join(f"    weight_{at} = scale.read_{at}() + table.rate_{at}(zone)\n" for at in range(30))
    files = {
        f"src/{name}.py": f"def ship_{name}(parcel):\n{filler}    parcel.seal_stamp = postage(parcel)\n{filler}"
        for name in ("north", "south", "east", "west", "coast")
    }
    others = {f"src/other_{at}.py": f"def read_{at}(box):\n    return box * {at}\n" for at in range(20)}
    folder = make_repository(Commit(files | others, "begin"))
    indexed(folder)
    items = recalled(folder, "`seal_stamp` of the parcel: postage", 700).items
    assert 0 < len({item.path for item in items if item.title == "lines"}) <= 2


def test_a_named_function_that_does_not_fit_is_shown_without_its_docstring(make_repository: MakeRepository) -> None:
    said = "".join(f"    Sentence {at} says at some length what a parcel weighs and why.\n" for at in range(20))
    body = "".join(f"    parcel.step_{at}(scale, table)\n" for at in range(25))
    text = f'@traced\ndef weighed_parcel(parcel, scale, table):\n    """Weigh a parcel.\n\n{said}    """\n{body}'
    folder = make_repository(Commit({"scales.py": text}))
    indexed(folder)
    shown = recalled(folder, "weighed_parcel forgets the last step").markdown
    assert f"   `scales.py:26-50`:\n```\n{dedent(body)}```\n" in shown
    assert "2: def weighed_parcel" not in shown


def test_a_file_far_below_the_best_is_left_out() -> None:
    ranked = [
        RankedFile(IndexedFile(at, f"{score}.py", Role.SOURCE, "python", 1), score, ())
        for at, score in enumerate((2.0, 1.0, 0.41, 0.39, 0.1))
    ]
    assert [one.score for one in near_best(ranked)] == [2.0, 1.0, 0.41]
    assert near_best([]) == []


def test_a_source_file_far_below_the_best_is_not_listed_but_a_document_is() -> None:
    files = ((1.0, "best.py", Role.SOURCE), (0.4, "near.py", Role.SOURCE), (0.3, "far.py", Role.SOURCE))
    rows = (*files, (0.3, "guide.md", Role.DOCS), (0.3, "test_far.py", Role.TEST))
    ranked = [
        RankedFile(IndexedFile(at, path, role, "python", 1), score, ()) for at, (score, path, role) in enumerate(rows)
    ]
    listed = file_items(cast(Snapshot, None), ranked, Places())  # no place whose tests it looks for
    assert [each.renderings[0].item.path for each in listed] == ["best.py", "near.py", "guide.md", "test_far.py"]


def test_a_file_compiled_from_another_that_is_shown_is_left_out() -> None:
    paths = ("src/fetch.lua", "src/fetch.tl", "src/own.lua", "lib/fetch.lua")
    ranked = [RankedFile(IndexedFile(at, path, Role.SOURCE, "lua", 1), 1.0, ()) for at, path in enumerate(paths)]
    assert [one.file.path for one in near_best(ranked)] == list(paths[1:])


def test_of_the_commits_that_wrote_the_lines_shown_the_newest_comes_first(make_repository: MakeRepository) -> None:
    table = "".join(f"    weights.append(parcel.weight_{at})\n" for at in range(3))
    before = f"def tariff(parcel, weights):\n{table}    return sum(weights)\n"
    later = before.replace("sum(weights)", "sum(weights) + parcel.surcharge")
    folder = make_repository(Commit({"a.py": before}, "begin"), Commit({"a.py": later}, "go on"))
    indexed(folder)
    shown = [item.title for item in recalled(folder, "tariff weights of a parcel").items if item.kind == "episode"]
    assert shown == ["go on", "begin"]


def test_the_class_whose_member_the_task_spells_is_the_first_place(make_repository: MakeRepository) -> None:
    parcel = "class Parcel:\n    def __init__(self, labels):\n        self.labels = labels\n"
    users = "def print_labels(parcel):\n    for label in parcel.labels:\n        show(label, type=label.type)\n"
    folder = make_repository(Commit({"src/printing.py": users * 2, "src/model.py": parcel}, "feat: labels"))
    indexed(folder)

    def first_place(task: str) -> str:
        return next(item.path for item in recalled(folder, task).items if item.kind == "code")

    assert first_place("print the type of the labels") == "src/printing.py"
    assert first_place("print the type of `Parcel.labels`") == "src/model.py"


def test_code_in_the_task_leads_to_the_line_that_has_it_word_for_word(make_repository: MakeRepository) -> None:
    settings = [f"limit_{n} = {n}  # of the pages that keep only busy workers" for n in range(60)]
    settings.insert(40, 'route("/busy?only=jobs")')
    files = {
        "settings.py": "\n".join(settings),
        "pages.py": "def busy_pages(busy, only):\n    return only(busy)\n" * 3,
    }
    brief = recalled(make_repository(Commit(files, "feat: pages")), "keep busy?only on pages")

    assert next(each.path for each in brief.items if each.kind == "code") == "settings.py"
    assert 'route("/busy?only=jobs")' in brief.markdown


def test_code_that_many_places_have_leads_to_none(make_repository: MakeRepository) -> None:
    files = {f"part{n}.py": f"def part{n}(x):\n    return cfg['a']\n" for n in range(9)}
    repository = make_repository(Commit(files, "feat: parts"))
    indexed(repository)
    with workspace_at(repository) as workspace:
        now = ready(workspace, Run()).snapshot
        assert not matches_for(now, BriefRequest("cfg['a'] is lost", BUDGET)).ranking.evidence.code_spans


def test_a_name_with_type_arguments_is_no_other_code_than_the_name(make_repository: MakeRepository) -> None:
    files = {"mapper.cs": "class Mapper {\n  T Parse<T>(object x) { return x; }\n}\n", "a.cs": "class A { int x; }\n"}
    repository = make_repository(Commit(files, "feat: parts"))
    indexed(repository)
    with workspace_at(repository) as workspace:
        now = ready(workspace, Run()).snapshot
        assert not matches_for(now, BriefRequest("`Parse<T>` loses rows", BUDGET)).ranking.evidence.code_spans


def test_a_later_memory_replaces_an_earlier_one_only_where_it_is_about_as_relevant(parcels: Path) -> None:
    text = "The surcharge of a {} is always paid by the sender at the counter of the depot"
    said(parcels, text.format("bulky parcel"), kind=MemoryKind.FACT)
    said(parcels, text.format("letter"), kind=MemoryKind.FACT)
    indexed(parcels)
    of_both, of_first = (
        recalled(parcels, f"surcharge {task}") for task in ("paid by the sender at the counter", "of a bulky parcel")
    )
    assert titles(of_both) == [text.format("letter"), text.format("bulky parcel")]
    assert titles(of_first)[0] == text.format("bulky parcel")
    assert ["perhaps changed" in brief.markdown for brief in (of_both, of_first)] == [True, False]


OLD = "Uploads above 20 megabytes go through the queue"
NEW = "Big uploads no longer use the queue, they stream straight to the bucket"


def test_a_later_memory_in_other_words_that_changes_an_earlier_one_is_shown_and_named(parcels: Path) -> None:
    said(parcels, OLD, kind=MemoryKind.FACT)
    said(parcels, NEW, kind=MemoryKind.FACT)
    indexed(parcels)
    brief = recalled(parcels, "uploads above 20 megabytes")
    assert set(titles(brief)) == {OLD, NEW}
    [old] = [line for line in brief.markdown.splitlines() if OLD in line]
    assert "perhaps changed by `" in old


@pytest.mark.parametrize(("speaker", "place"), [(PERSON, 0), (AGENT, 1)])
def test_a_certain_replacement_comes_first_and_an_agents_comes_second(
    parcels: Path, speaker: Speaker, place: int
) -> None:
    said(parcels, "Labels are printed at 203 dpi, which all our thermal printers understand", kind=MemoryKind.DECISION)
    said(parcels, "The thermal printers of the depots print no labels on Sundays", kind=MemoryKind.DECISION)
    later = "Labels are now printed at 300 dpi, because the new thermal printers of the depots understand it"
    said(parcels, later, speaker, kind=MemoryKind.DECISION)
    indexed(parcels)
    assert titles(recalled(parcels, "which dpi do all our thermal printers print labels at")).index(later) == place


def test_the_map_too_marks_what_a_later_memory_changes_and_names_the_later_one_first(parcels: Path) -> None:
    said(parcels, OLD, kind=MemoryKind.FACT, importance=5)
    said(parcels, NEW, kind=MemoryKind.FACT, importance=3)
    [old] = [line for line in recalled(parcels).markdown.splitlines() if OLD in line]
    assert "perhaps changed by `" in old
    assert titles(recalled(parcels)) == [NEW, OLD]


def test_an_agents_change_does_not_displace_a_fact_on_the_map(parcels: Path) -> None:
    rest = [
        "Labels are blue",
        "Depots close at noon",
        "Drivers carry a phone",
        "Tariffs change in May",
        "Vans are leased",
    ]
    for text in (OLD, *rest):
        said(parcels, text, kind=MemoryKind.FACT)
    said(parcels, NEW, AGENT, kind=MemoryKind.FACT)
    assert set(titles(recalled(parcels))) == {OLD, NEW, *rest}


def test_the_cached_map_is_rebuilt_once_vectors_show_changed_memories(
    parcels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("AT_ONCE_FOR_MARKS", "AT_ONCE_IF_QUICK"):  # recording a memory makes no vectors
        monkeypatch.setattr(f"repomem.memories.search.relevant.{limit}", -1)
    said(parcels, OLD, kind=MemoryKind.FACT)
    said(parcels, NEW, kind=MemoryKind.FACT)
    assert "perhaps changed" not in recalled(parcels).markdown
    monkeypatch.setattr("repomem.memories.search.relevant.AT_ONCE_FOR_MARKS", 0)
    recalled(parcels, "uploads above 20 megabytes")  # makes the vectors
    assert "perhaps changed" in recalled(parcels).markdown


def test_a_rule_for_everything_brings_the_memory_that_may_change_it(parcels: Path) -> None:
    said(parcels, OLD, kind=MemoryKind.RULE)
    said(parcels, NEW, kind=MemoryKind.FACT)
    indexed(parcels)
    recalled(parcels, "uploads above 20 megabytes")  # makes the vectors
    assert titles(recalled(parcels, "fix the stamp of a parcel")) == [OLD, NEW]


def said_on_other_things(place: Path) -> None:
    for text in ("Labels are blue", "Depots close at noon", "Drivers carry a phone"):
        said(place, text, kind=MemoryKind.FACT)


def test_a_memory_on_a_file_of_the_task_brings_the_one_that_may_change_it(parcels: Path) -> None:
    said(parcels, OLD, kind=MemoryKind.FACT, on=("src/tariff.py",))
    said(parcels, NEW, kind=MemoryKind.FACT)
    said_on_other_things(parcels)
    indexed(parcels)
    assert {OLD, NEW} <= set(titles(recalled(parcels, "weigh the parcel once more")))


def test_a_rule_for_a_folder_of_the_task_is_marked_too_whatever_the_words_of_the_task(parcels: Path) -> None:
    said(parcels, OLD, kind=MemoryKind.RULE, scope=("src/**",))
    said(parcels, NEW, kind=MemoryKind.RULE)
    said_on_other_things(parcels)
    indexed(parcels)
    [old] = [line for line in recalled(parcels, "fix the stamp of a parcel").markdown.splitlines() if OLD in line]
    assert "perhaps changed by `" in old


def test_a_copy_that_an_agent_proposes_for_another_memory_is_no_change_of_its_original(parcels: Path) -> None:
    first = said(parcels, "Every parcel needs two approvals before it goes out", kind=MemoryKind.RULE)
    text = "One approval is enough for a parcel, the depot is down to three people"
    said(parcels, text, kind=MemoryKind.FACT)
    said(parcels, text, AGENT, supersedes=(first.id,))
    indexed(parcels)
    lines = recalled(parcels, "how many approvals does a parcel need").markdown.splitlines()
    assert [line for line in lines if line.startswith("- fact `")]
    assert not [line for line in lines if line.startswith("- fact `") and "perhaps changed by" in line]


def test_a_later_memory_on_another_aspect_is_no_change(parcels: Path) -> None:
    said(parcels, OLD, kind=MemoryKind.FACT)
    said(parcels, "Thumbnails of uploads are made by a worker of their own", kind=MemoryKind.FACT)
    indexed(parcels)
    assert "perhaps changed by" not in recalled(parcels, "uploads above 20 megabytes").markdown


def test_memories_in_a_file_that_the_task_names_are_surely_about_it(parcels: Path) -> None:
    indexed(parcels)
    text = "Grams, says Jo"
    said(parcels, text, kind=MemoryKind.FACT, on=["src/tariff.py:tariff"])
    for task in ("src/tariff.py", "why is there a loop in tariff.py"):
        [line] = [line for line in recalled(parcels, task).markdown.splitlines() if text in line]
        assert "may be unrelated" not in line


def test_of_the_memories_on_a_place_those_whose_code_has_changed_come_last(parcels: Path, run_git: RunGit) -> None:
    (parcels / "src/stamp.py").write_text("def stamp(parcel):\n    return parcel.weight + parcel.label\n")
    run_git(parcels, "add", "--all")
    run_git(parcels, "commit", "-qm", "feat: stamp parcels")
    indexed(parcels)
    said(parcels, "The depot agreed", kind=MemoryKind.FACT, on=["src/stamp.py"])
    said(parcels, "Grams, says Jo", kind=MemoryKind.FACT, on=["src/tariff.py"])
    task = "weight of each parcel"
    assert titles(recalled(parcels, task)) == ["Grams, says Jo", "The depot agreed"]
    changed = TARIFF.replace("parcel.weight * 3", "parcel.weight // parcel.volume + parcel.length")
    (parcels / "src/tariff.py").write_text(changed)
    run_git(parcels, "commit", "-qam", "feat: measure parcels")
    indexed(parcels)
    brief = recalled(parcels, task)
    assert titles(brief) == ["The depot agreed", "Grams, says Jo"]
    assert [item.status for item in brief.items if item.kind == "fact"] == ["current", "drifted"]


def test_the_memory_nearest_to_a_task_comes_before_rules_in_scope_though_its_code_has_changed(
    parcels: Path, run_git: RunGit
) -> None:
    charged = "The tariff charges three cents for each gram"
    said(parcels, charged, kind=MemoryKind.DECISION, on=["src/tariff.py:tariff"])
    said(parcels, "Comments end with a full stop", kind=MemoryKind.RULE, scope=("src/*",))
    (parcels / "src/tariff.py").write_text(TARIFF.replace("* 3", "// parcel.volume"))
    run_git(parcels, "commit", "-qam", "feat: measure parcels")
    indexed(parcels)
    task = "how many cents does the tariff charge for each gram"
    assert titles(recalled(parcels, task)) == [charged, "Comments end with a full stop"]
    later = "The tariff now charges five cents for each gram, no longer three"
    said(parcels, later, kind=MemoryKind.DECISION, scope=("src/*",))
    assert titles(recalled(parcels, task)) == [later, "Comments end with a full stop", charged]


# Kinds, additions, other repositories


def test_a_filter_by_kind_keeps_the_warnings() -> None:
    shown = [
        candidate(order.WARNING, "warning", "w"),
        candidate(order.FACT, "profile", "p"),
        candidate(order.PLACE, "code", "c"),
    ]
    assert [each.kind for each in of_kinds(shown, frozenset(["code"]))] == ["warning", "code"]
    assert of_kinds(shown, frozenset()) == shown


def test_an_addition_repeats_neither_known_ids_nor_what_the_first_brief_had() -> None:
    shown = [
        candidate(order.WARNING, "warning", "w"),
        candidate(order.FACT, "profile", "p"),
        candidate(order.LAST_SESSION, "session", "s"),
        candidate(order.FILE, "file", "f"),
        candidate(order.PLACE, "code", "old"),
        candidate(order.PLACE, "code", "new", 1),
    ]
    assert [each.item.id for each in new_items_draft(shown, frozenset(["old"])).candidates] == ["new"]


def test_a_place_of_another_repository_comes_after_the_six_best_places_of_this_one() -> None:
    state = RepositoryState("other", "id", "", "", is_dirty=False)
    [other] = other_items([OtherRepository(state, (candidate(order.PLACE, "code", "theirs"),))])
    own = [order.PLACE.nth(number)[1] for number in range(10)]
    assert sum(priority < other.priority for priority in own) == 6


def test_another_repository_that_matches_opens_the_gate_of_a_repository_with_weak_matches(parcels: Path) -> None:
    indexed(parcels)
    state = RepositoryState("other", "id", "", "", is_dirty=False)
    other = OtherRepository(state, (candidate(order.PLACE, "code", "theirs"),))
    with workspace_at(parcels) as workspace:
        now, unread = ready(workspace, Run()).snapshot, ["1 file is not indexed yet"]
        alone, together = (
            recall(now, BriefRequest(ABSENT, BUDGET), unread, OtherAnswers(others)) for others in ((), (other,))
        )
    assert (alone.gate.state, together.gate.state) == ("limited", "use")
    assert together.gate.why == "little in this repository matches, but other does"


def test_no_memory_of_another_repository_comes_before_the_best_place_of_this_one() -> None:
    state = RepositoryState("other", "id", "", "", is_dirty=False)
    [other] = other_items([OtherRepository(state, (candidate(order.RULE, "rule", "theirs"),))])
    assert order.PLACE.nth(0)[1] < other.priority < order.PLACE.nth(1)[1]


# Callers


def test_callers_in_tests_come_after_callers_in_source_files(make_repository: MakeRepository) -> None:
    use = "from tariff import tariff\n\n\ndef {name}():\n    return tariff(1)\n"
    tests = {f"tests/test_{at}.py": use.format(name=f"test_{at}") for at in range(3)}
    folder = make_repository(Commit({"tariff.py": TARIFF, **tests, "zone.py": use.format(name="zone")}, "feat: tariff"))
    [line] = [line for line in recalled(folder, "tariff of a parcel").markdown.split("\n") if "called by" in line]
    assert line.startswith("   called by `zone` zone.py:5, ")


def test_a_definition_in_a_test_file_is_shown_without_callers(make_repository: MakeRepository) -> None:
    helper = "def make_parcel_fixture():\n    return 1\n\n\ndef test_it():\n    assert make_parcel_fixture()\n"
    folder = make_repository(Commit({"tests/test_parcel.py": helper, "src/tariff.py": TARIFF}, "test: parcels"))
    brief = recalled(folder, "make_parcel_fixture")
    assert "make_parcel_fixture" in [item.symbol for item in brief.items if item.kind == "code"]
    assert "called by" not in brief.markdown


# Deadlines


def ticking(seconds: float) -> Run:
    """A run whose clock goes on by some seconds each time that it is read."""
    ticks: Iterator[float] = count(0.0, seconds)
    return Run(clock=lambda: next(ticks))


def test_a_recall_waits_no_longer_than_its_limit_for_the_index(parcels: Path) -> None:
    indexed(parcels)
    (parcels / "src/late.py").write_text("def surcharge():\n    return 1\n")
    with workspace_at(parcels) as workspace:
        _, warnings = search_now(workspace, ["surcharge"], EVERYWHERE, 3, ticking(10.0))
    assert warnings == ("1 file is not indexed yet; this continues in the background",)


def test_a_recall_does_not_outlast_the_deadline_of_its_run(parcels: Path) -> None:
    indexed(parcels)
    (parcels / "src/late.py").write_text("def surcharge():\n    return 1\n")
    with workspace_at(parcels) as workspace:
        brief = recall_now(workspace, BriefRequest("surcharge", BUDGET), replace(Run(), deadline=0.0))
    assert "Warning: 1 file is not indexed yet; this continues in the background\n" in brief.markdown
    assert "src/late.py" not in {item.path for item in brief.items}


def test_an_excerpt_that_begins_at_the_comment_of_its_place_is_no_other_part_of_the_class(
    make_repository: MakeRepository,
) -> None:
    filler = "".join(f"    def other_{at}(self):\n        return {at}\n\n" for at in range(30))
    body = "".join(f"        grams_{at} = weight * {at}\n" for at in range(40))
    comment = "    # Postage is franked once\n    # by the letter box.\n"
    stamp = f"{comment}    def stamp(self, weight, letter, box):\n{body}        return weight\n"
    folder = make_repository(Commit({"src/office.py": f"class Office:\n{filler}{stamp}"}, "begin"))
    indexed(folder)
    markdown = recalled(folder, "postage is franked twice by the letter box in stamp").markdown
    assert "# Postage is franked once" in markdown
    assert not re.search(r"in `Office`.*:$", markdown, re.MULTILINE)


def test_a_test_without_matching_lines_is_only_named_as_a_file(make_repository: MakeRepository) -> None:
    stamp = "def stamp_postage(weight):\n    return weight\n"
    test = "def test_stamp_postage():\n    assert office.run()\n"
    folder = make_repository(Commit({"src/office.py": stamp, "tests/test_stamp_postage.py": test}, "begin"))
    indexed(folder)
    items = recalled(folder, "the weight of letters is wrong in stamp_postage").items
    places = [item.path for item in items if item.kind == "code" and item.title != "lines" and not item.text]
    shown = {item.path for item in items if item.kind == "code" and item.text}
    assert "src/office.py" in places
    assert "tests/test_stamp_postage.py" in shown or "tests/test_stamp_postage.py" not in places
