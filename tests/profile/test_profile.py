"""The profile: derived from files and history with sources that resolve, corrected by people, within its budget."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.library import Library
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import NAMES, indexed, recalled, workspace_at

from repomem.core.errors import NotFound
from repomem.core.text.tokens import count_tokens
from repomem.core.types.brief import Fact
from repomem.core.types.code import Role
from repomem.core.types.commits import Episode, FileChange
from repomem.core.types.indexed import IndexedFile
from repomem.profile.build import ProfileInputs, made_profile
from repomem.profile.profile import lines_of, profile_of
from repomem.profile.profile_lines import (
    CAPS,
    MOST_TOKENS,
    Action,
    Correction,
    Corrections,
    Profile,
    Slot,
    SlotLine,
    Voice,
    capped,
    corrected,
    fitted,
)

PLACE = re.compile(r"(.+):(\d+)(?:-(\d+))?")
BACKSLASH = chr(92)


def profile_at(folder: Path, corrections: Corrections | None = None) -> Profile:
    with workspace_at(folder) as workspace:
        return profile_of(workspace, corrections or {}, list)


def lines_at(folder: Path) -> list[SlotLine]:
    """Every line, those without room among them."""
    with workspace_at(folder) as workspace:
        known = workspace.catalog.worktree(workspace.root)
        return lines_of(known, {}) if known else []


def texts(profile: Profile, slot: Slot) -> list[str]:
    return [line.text for line in profile.lines if line.slot is slot]


def correction(action: Action, text: str = "", author: str = "Ada Example") -> Correction:
    return Correction(action, text, author, "2026-01-31")


def episode(number: int, subject: str = "fix: a thing", *paths: str, author: str = "Ada Example") -> Episode:
    files = tuple(FileChange("M", path) for path in paths)
    return Episode(f"{number:040x}", (), author, "2024-01-01", 1_700_000_000 - number, subject, "", files)


def indexed_file(path: str, role: Role = Role.SOURCE, language: str = "python") -> IndexedFile:
    return IndexedFile(1, path, role, language, 1)


def made(inputs: ProfileInputs, slot: Slot) -> list[str]:
    return [line.text for line in made_profile(inputs) if line.slot is slot]


def assert_resolves(line: SlotLine, folder: Path, run_git: RunGit) -> None:
    """The file has these lines, or the commit exists."""
    if line.source in ("history", "work tree"):
        assert line.id == ""
    elif place := PLACE.fullmatch(line.source):
        assert int(place[3] or place[2]) <= len((folder / place[1]).read_text().splitlines())
    else:
        assert run_git(folder, "cat-file", "-t", line.source) == "commit"


@pytest.mark.parametrize("name", NAMES)
def test_every_line_has_a_source_that_resolves(library: Library, run_git: RunGit, name: str) -> None:
    profile = profile_at(library(name))
    assert {Slot.ABOUT, Slot.TEST, Slot.LAYOUT, Slot.CONVENTIONS} <= {line.slot for line in profile.lines}
    for line in profile.lines:
        assert_resolves(line, library(name), run_git)


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_keeps_to_its_budget_order_and_caps(library: Library, name: str) -> None:
    profile = profile_at(library(name))
    assert profile.tokens == count_tokens("\n".join(line.whole for line in profile.lines)) <= MOST_TOKENS
    slots = [line.slot for line in profile.lines]
    assert slots == sorted(slots, key=list(Slot).index)
    assert all(slots.count(slot) <= CAPS[slot].lines for slot in slots)
    assert len({(line.slot, line.text) for line in profile.lines}) == len(profile.lines)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_repository_gives_the_same_profile_however_it_was_indexed(make_sample: Library, name: str) -> None:
    folder = make_sample(name)
    indexed(folder)
    first = profile_at(folder)
    (folder / "more.py").write_text("def more(): ...\n")
    indexed(folder)
    (folder / "more.py").unlink()
    indexed(folder)
    assert profile_at(folder) == first


@pytest.mark.parametrize("name", NAMES)
def test_the_map_shows_the_profile(library: Library, name: str) -> None:
    markdown = recalled(library(name), budget=10**6).markdown
    for line in profile_at(library(name)).lines:
        if line.slot is not Slot.PITFALLS:  # the map shows them as history
            assert line.shown.removeprefix("needs ") in markdown


def test_a_repository_that_was_never_indexed_has_no_profile(make_sample: Library) -> None:
    with pytest.raises(NotFound, match="nothing is indexed") as caught:
        profile_at(make_sample("ledgerly"))
    assert caught.value.hint == "run repomem index"


def test_an_empty_repository_has_an_empty_profile(make_repository: MakeRepository) -> None:
    folder = make_repository()
    indexed(folder)
    assert profile_at(folder) == Profile((), 0)


def test_a_linked_worktree_has_the_same_profile(copied: Library, run_git: RunGit, tmp_path: Path) -> None:
    folder = copied("courier")
    indexed(folder)
    run_git(folder, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    indexed(tmp_path / "linked")
    assert profile_at(tmp_path / "linked") == profile_at(folder)


def test_a_revert_in_effect_is_a_pitfall(library: Library, run_git: RunGit) -> None:
    [line] = [line for line in lines_at(library("courier")) if line.slot is Slot.PITFALLS]
    assert line.text == 'reverted on 2023-11-14, its code is gone: "feat: try a delivery for ever"'
    assert run_git(library("courier"), "rev-parse", "HEAD").startswith(line.source)


def test_a_reapplied_change_is_not_a_pitfall(copied: Library, run_git: RunGit) -> None:
    folder = copied("courier")
    run_git(folder, "revert", "--no-edit", "HEAD")
    indexed(folder)
    assert [line for line in lines_at(folder) if line.slot is Slot.PITFALLS] == []


def test_a_profile_is_redacted_and_has_no_invisible_characters(make_repository: MakeRepository) -> None:
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    readme = f"# x\n\nA tool that is opened with {token} and\u202e nothing else.\n"
    folder = make_repository(Commit({"README.md": readme, "CODEOWNERS": f"/a/{token}/ @team\n", "a.py": "a = 1\n"}))
    indexed(folder)
    lines = profile_at(folder).lines
    assert {Slot.ABOUT, Slot.OWNERS} <= {line.slot for line in lines}
    assert token not in str(lines)
    assert "\u202e" not in str(lines)


# What people say


def test_a_correction_replaces_derived_lines(library: Library) -> None:
    said = {Slot.TEST: [correction(Action.REPLACE, "uv run pytest -q")]}
    profile = profile_at(library("ledgerly"), said)
    [line] = [line for line in profile.lines if line.slot is Slot.TEST]
    assert line == SlotLine(Slot.TEST, "uv run pytest -q", "corrected by Ada Example, 2026-01-31", Voice.PERSON)


def test_an_appended_correction_comes_first_in_its_slot(library: Library) -> None:
    said = {Slot.TEST: [correction(Action.APPEND, "pnpm vitest FILE tests one file")]}
    before = texts(profile_at(library("courier")), Slot.TEST)
    assert texts(profile_at(library("courier"), said), Slot.TEST) == ["pnpm vitest FILE tests one file", *before]


def test_a_slot_that_was_cleared_is_not_shown_until_something_is_added() -> None:
    lines = [SlotLine(Slot.ENTRY, "bin a", "package.json:3"), SlotLine(Slot.TEST, "npm test", "package.json:9")]
    clear, add = correction(Action.CLEAR), correction(Action.APPEND, "bin b")
    assert [line.text for line in corrected(lines, {Slot.ENTRY: [clear]})] == ["npm test"]
    assert [line.text for line in corrected(lines, {Slot.ENTRY: [clear, add]})] == ["npm test", "bin b"]
    assert [line.text for line in corrected(lines, {Slot.ENTRY: [add, clear]})] == ["npm test"]


def test_a_correction_equal_to_a_derived_fact_is_shown_once() -> None:
    lines = [SlotLine(Slot.TEST, "npm test", "package.json:9")]
    twice = [correction(Action.APPEND, " NPM  test ")] * 2
    assert [line.voice for line in corrected(lines, {Slot.TEST: twice})] == [Voice.PERSON]


def test_the_latest_corrections_are_kept_if_there_are_too_many() -> None:
    said = [correction(Action.APPEND, f"team {number}") for number in range(9)]
    assert [line.text for line in corrected([], {Slot.OWNERS: said})] == ["team 6", "team 7", "team 8"]


def test_an_empty_or_hidden_correction_adds_nothing() -> None:
    said = [correction(Action.APPEND, text) for text in ("", "  \n", "\u200b\x1b[2J")]
    assert corrected([], {Slot.ABOUT: said}) == []


def test_corrections_fit_the_budget_before_derived_lines() -> None:
    derived = [SlotLine(slot, f"{slot} {'word ' * 30}{at}", "a:1") for slot in Slot for at in range(3)]
    said = {Slot.PITFALLS: [correction(Action.APPEND, "mind the gap")]}
    assert texts(fitted(corrected(derived, said)), Slot.PITFALLS)[0] == "mind the gap"


# Caps and budget


def test_giant_values_stay_within_caps_and_budget() -> None:
    giant = "x1" * 50_000
    many = [SlotLine(slot, f"{at} {giant}", f"{'deep/' * 500}a.toml:{at}") for slot in Slot for at in range(50)]
    said = {slot: [correction(Action.APPEND, giant, author=giant)] * 20 for slot in Slot}
    for lines in (capped(many), corrected(many, said)):
        assert all(len(line.text) <= CAPS[line.slot].characters for line in lines)
        assert len(lines) <= sum(cap.lines for cap in CAPS.values())
        assert fitted(lines).tokens <= MOST_TOKENS


def test_any_lines_are_fitted_whole_and_in_order() -> None:
    chosen = random.Random(7)
    for _ in range(50):
        words = ["→", "`src/`", "naïve", "測試", "make", "x" * 40, "\U0001f9ea"]
        lines = capped(
            SlotLine(slot, " ".join(chosen.choices(words, k=chosen.randint(1, 40))), f"a/{at}.toml:{at}")
            for slot in Slot
            for at in range(4)
        )
        profile = fitted(lines)
        assert profile.tokens <= MOST_TOKENS
        kept = [(line.slot, line.source) for line in profile.lines]
        assert kept == [place for line in lines if (place := (line.slot, line.source)) in kept]


def test_how_one_test_is_run_is_chosen_before_the_second_lines_of_slots() -> None:
    build = [SlotLine(Slot.BUILD, f"{at} " + "word " * 130, "Makefile:1") for at in range(2)]
    tests = [SlotLine(Slot.TEST, text, "Makefile:1") for text in ("make test", "one test: pytest NAME")]
    assert fitted([*build, *tests]).lines == (build[0], *tests)


def test_a_line_that_does_not_fit_leaves_room_for_shorter_ones() -> None:
    lines = [SlotLine(Slot.ABOUT, "word " * 50, "deep/" * 200 + ":1"), SlotLine(Slot.TEST, "make test", "Makefile:1")]
    assert [line.slot for line in fitted(lines).lines] == [Slot.TEST]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"make lint → {'x ' * 40}; make fmt → test || (a; exit 1)", "make lint; make fmt"),
        (f"npm test → {'npm run this && ' * 9}", "npm test"),
        ("make test → pytest", "make test → pytest"),
        (f"cargo clippy {'--flag ' * 12}", f"cargo clippy {'--flag ' * 12}"),
    ],
)
def test_a_long_task_is_shown_without_the_command_that_it_runs(text: str, shown: str) -> None:
    assert texts(fitted([SlotLine(Slot.LINT, text, "Makefile:1")]), Slot.LINT) == [shown]


# What is counted


def test_subjects_that_begin_alike_are_a_convention_with_its_count() -> None:
    typed = [replace(episode(at), kind="fix" if at % 2 else "feat") for at in range(30)]
    other = [episode(30 + at, "Something else") for at in range(10)]
    [line] = made(ProfileInputs((), episodes=[*typed, *other]), Slot.CONVENTIONS)
    assert line == "30 of 40 recent commit subjects begin with a conventional type: `feat:`, `fix:`"


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("HHH-1234 Fix the flush", "20 of 20 recent commit subjects begin with an issue key: `HHH-`"),
        ("Problem: the loop ends", "20 of 20 recent commit subjects begin with `Problem:`"),
    ],
)
def test_issue_keys_and_forms_of_a_message_are_conventions_too(subject: str, said: str) -> None:
    episodes = [episode(at, subject) for at in range(20)]
    assert made(ProfileInputs((), episodes=episodes), Slot.CONVENTIONS) == [said]


def test_subject_prefixes_are_a_convention_unless_most_are_the_same() -> None:
    episodes = [episode(at, "unix: fix the loop" if at % 2 else "win: fix the loop") for at in range(20)]
    said = "20 of 20 recent commit subjects begin with the part they change: `unix:`, `win:`"
    assert made(ProfileInputs((), episodes=episodes), Slot.CONVENTIONS) == [said]


def test_few_commits_and_mixed_subjects_make_no_convention() -> None:
    few = [episode(at, "unix: fix the loop") for at in range(19)]
    mixed = [episode(at, "unix: fix" if at % 3 == 0 else "Fix the loop") for at in range(60)]
    typed = [replace(episode(at, "docs: fix"), kind="docs") for at in range(30)]
    for episodes in (few, mixed, [*mixed, *typed]):
        assert made(ProfileInputs((), episodes=episodes), Slot.CONVENTIONS) == []


@pytest.mark.parametrize(("edits", "said"), [(14, True), (13, False)], ids=["a habit", "written at releases"])
def test_how_often_the_change_log_and_the_tests_are_edited_is_counted(edits: int, said: bool) -> None:
    files = [indexed_file("src/a.py"), indexed_file("tests/test_a.py", Role.TEST)]
    changes = [episode(at, f"Do {at}", "src/a.py", *(["CHANGES.rst"] if at < edits else [])) for at in range(20)]
    tested = [episode(20 + at, f"Do {at}", "src/a.py", "tests/test_a.py") for at in range(20)]
    docs = [episode(40 + at, f"Do {at}", "CHANGES.rst") for at in range(20)]
    inputs = ProfileInputs((), paths=["CHANGES.rst"], files=files, episodes=[*changes, *tested, *docs])
    assert made(inputs, Slot.CONVENTIONS) == [
        *(["14 of the last 40 commits that change source edit `CHANGES.rst`"] if said else []),
        "20 of the last 40 commits that change source also change tests",
    ]


def test_a_changelog_that_no_recent_commit_edits_is_no_convention() -> None:
    old = [episode(20 + at, f"Do {at}", "src/a.py", "CHANGES.rst") for at in range(20)]
    new = [episode(at, f"Do {at}", "src/a.py") for at in range(20)]
    inputs = ProfileInputs((), paths=["CHANGES.rst"], files=[indexed_file("src/a.py")], episodes=[*new, *old])
    assert made(inputs, Slot.CONVENTIONS) == []


def test_a_release_commit_does_not_count_as_a_source_change() -> None:
    manifest = indexed_file("shop.podspec", language="ruby")
    info = indexed_file("tests/Info.plist", Role.TEST, language="")
    files = [indexed_file("src/a.py"), indexed_file("tests/test_a.py", Role.TEST), manifest, info]
    releases = [episode(at, f"Release {at}", "shop.podspec", "tests/Info.plist") for at in range(20)]
    edited = ["tests/test_a.py"] * 10 + ["tests/Info.plist"] * 10
    changes = [episode(20 + at, f"Do {at}", "src/a.py", each) for at, each in enumerate(edited)]
    inputs = ProfileInputs((), files=files, episodes=[*releases, *changes])
    assert made(inputs, Slot.CONVENTIONS) == ["10 of the last 20 commits that change source also change tests"]


def test_the_change_log_is_named_by_its_path() -> None:
    changes = [episode(at, f"Do {at}", "src/a.py", "docs/changelog.md") for at in range(20)]
    inputs = ProfileInputs((), paths=["docs/changelog.md"], files=[indexed_file("src/a.py")], episodes=changes)
    assert made(inputs, Slot.CONVENTIONS) == ["20 of the last 20 commits that change source edit `docs/changelog.md`"]


def test_changes_of_files_under_their_old_names_are_counted() -> None:
    files = [indexed_file("src/a.py"), indexed_file("tests/test_a.py", Role.TEST)]
    moved = (FileChange("R", "src/a.py", "a.py"), FileChange("R", "tests/test_a.py", "test_a.py"))
    move = replace(episode(0, "Move"), files=moved)
    earlier = [episode(at, f"Do {at}", "a.py", "test_a.py") for at in range(1, 40)]
    inputs = ProfileInputs((), files=files, episodes=[move, *earlier])
    assert "40 of the last 40 commits that change source also change tests" in made(inputs, Slot.CONVENTIONS)


def test_tests_and_sources_that_were_deleted_since_are_counted() -> None:
    files = [indexed_file("src/a.py"), indexed_file("tests/test_a.py", Role.TEST)]
    kept = [episode(at, f"Do {at}", "src/a.py") for at in range(10)]
    gone = [episode(10 + at, f"Do {at}", "src/old.py", "tests/test_old.py", "old.json") for at in range(10)]
    inputs = ProfileInputs((), paths=[file.path for file in files], files=files, episodes=[*kept, *gone])
    assert made(inputs, Slot.CONVENTIONS) == ["10 of the last 20 commits that change source also change tests"]


def test_bots_do_not_count_for_conventions() -> None:
    by_bots = [replace(episode(at, f"build: bump {at}"), kind="build", author="dependabot[bot]") for at in range(30)]
    by_people = [replace(episode(30 + at, f"feat: {at}"), kind="feat") for at in range(20)]
    assert made(ProfileInputs((), episodes=[*by_bots, *by_people]), Slot.CONVENTIONS) == [
        "20 of 20 recent commit subjects begin with a conventional type: `feat:`; bots left out"
    ]


def test_owners_come_from_codeowners_or_else_are_the_main_authors() -> None:
    people = ["Ada", "Ben", "Cy", "Di", "Ada", "Ben", "Ada", "dependabot[bot]", "renovate-bot"]
    episodes = [episode(at, f"Do {at}", author=people[at % 9]) for at in range(90)]
    assert made(ProfileInputs((), episodes=episodes), Slot.OWNERS) == [
        "top authors of the last 90 non-merge commits: Ada 30 commits, Ben 20 (bots left out)"  # Cy is level with Di
    ]
    rule = Fact("owners", "* @ada", "CODEOWNERS", 1, 1)
    assert made(ProfileInputs((), owners=[rule], episodes=episodes), Slot.OWNERS) == ["* @ada"]


PEOPLE = [
    ("costan", "costan@example.com"),
    ("costan", "Costan@Example.com"),
    ("Victor Costan", "costan@example.com"),
    ("Victor Costan", "pwnall@example.org"),
    ("Victor Costan", "7+pwnall@users.noreply.github.com"),
    ("pwn", "pwnall@users.noreply.github.com"),
    ("Di", "noreply@github.com"),
    ("Ed", "noreply@github.com"),
]


def test_one_person_with_two_names_and_addresses_is_one_owner() -> None:
    episodes = [episode(at, f"Do {at}", author=PEOPLE[at % 8][0]) for at in range(80)]
    addresses = {one.commit: PEOPLE[at % 8][1] for at, one in enumerate(episodes)}
    assert made(ProfileInputs((), episodes=episodes, addresses=addresses), Slot.OWNERS) == [
        "top authors of the last 80 non-merge commits: Victor Costan 60 commits, Di 10, Ed 10"
    ]


def test_owners_were_active_recently() -> None:
    earlier = [replace(episode(at, author="Ada"), time=1_600_000_000 - at) for at in range(60)]
    recent = [episode(-at, author="Ben" if at else "Cy") for at in range(30)]
    older = [replace(episode(100 + at, author="Di"), time=1_500_000_000 - at) for at in range(400)]
    assert made(ProfileInputs((), episodes=[*recent, *earlier, *older]), Slot.OWNERS) == [
        "top authors of the last 100 non-merge commits: Ben 29 commits (only authors with a commit since 2022-11-14)"
    ]


def test_an_author_of_less_than_a_tenth_of_the_commits_is_no_owner() -> None:
    episodes = [episode(at, author="Ada" if at > 17 else "Di" if at > 8 else "Ben") for at in range(100)]
    assert made(ProfileInputs((), episodes=episodes), Slot.OWNERS) == [
        "top authors of the last 100 non-merge commits: Ada 82 commits"
    ]


def test_a_shared_address_does_not_merge_authors() -> None:
    episodes = [episode(at, f"Do {at}", author=f"Dev {'abcd'[at % 4]}") for at in range(40)]
    addresses = {one.commit: "team@example.com" for one in episodes}
    assert made(ProfileInputs((), episodes=episodes, addresses=addresses), Slot.OWNERS) == [
        "top authors of the last 40 non-merge commits: Dev a 10 commits, Dev b 10, Dev c 10"
    ]


def test_one_person_with_two_spellings_is_one_owner() -> None:
    people = ["Mark Sagi", "Mark Sagi", "M\u00e1rk S\u00e1gi", "mark_sagi", "Di", "\u6797\u6d69", "\u6797\u5cf0"]
    episodes = [episode(at, f"Do {at}", author=people[at % 7]) for at in range(70)]
    assert made(ProfileInputs((), episodes=episodes), Slot.OWNERS) == [
        "top authors of the last 70 non-merge commits: Mark Sagi 40 commits"
    ]


def test_name_and_description_share_a_line_if_one_file_has_both() -> None:
    name, about = Fact("name", "x 1.0", "p.toml", 2, 2), Fact("about", 'A "tool".', "p.toml", 4, 5)
    readme = Fact("about", "A tool of the README.", "README.md", 3, 3)
    [line] = made_profile(ProfileInputs([name, about], opening=readme))
    assert (line.text, line.source) == (f'x 1.0, "A {BACKSLASH}"tool{BACKSLASH}"."', "p.toml:2-5")
    assert [(line.shown, line.source) for line in made_profile(ProfileInputs([name], opening=readme))] == [
        ("x 1.0", "p.toml:2"),
        ('"A tool of the README."', "README.md:3"),
    ]


def test_headers_beside_c_sources_count_as_c() -> None:
    headers = [indexed_file(f"src/{at}.h", language="cpp") for at in range(3)]
    in_c = [*headers, indexed_file("src/a.c", language="c")]
    assert made(ProfileInputs((), files=in_c), Slot.LAYOUT) == ["`src/` 4 c files"]
    assert made(ProfileInputs((), files=headers), Slot.LAYOUT) == ["`src/` 3 header files"]
    mixed = [*in_c, indexed_file("src/b.cc", language="cpp")]
    assert made(ProfileInputs((), files=mixed), Slot.LAYOUT) == ["`src/` 5 files, mostly cpp"]


def test_folders_with_most_sources_come_first_and_the_root_is_listed_if_it_has_many() -> None:
    files = [*(indexed_file(f"{at}.go", language="go") for at in range(3)), indexed_file("README.md", Role.DOCS)]
    files += [indexed_file(f"docs/{at}.md", Role.DOCS, "markdown") for at in range(9)]
    files += [indexed_file("cmd/a.go", language="go")]
    assert made(ProfileInputs((), files=files), Slot.LAYOUT) == [
        "top folder 4 files, mostly go; `cmd/` 1 go file; `docs/` 9 markdown files"
    ]


def test_the_count_of_a_folder_beside_its_subfolders_is_of_its_own_files() -> None:
    files = [indexed_file(path) for path in ("src/a.py", "src/b.py", "src/node/c.py", "doc/d.py")]
    assert made(ProfileInputs((), files=files), Slot.LAYOUT) == [
        "`src/` itself 2 python files; `doc/` 1 python file; `src/node/` 1 python file"
    ]


def test_a_folder_name_cannot_close_its_code_span() -> None:
    files = [indexed_file("a`b\n; \u202ec/x.py"), indexed_file("b/y.py")]
    [line] = made(ProfileInputs((), files=files), Slot.LAYOUT)
    assert line.startswith("`` a`b" + BACKSLASH + "n; c/ `` 1 python file")


def test_the_catalog_stores_only_the_fields_of_lines(library: Library) -> None:
    with workspace_at(library("ledgerly")) as workspace:
        known = workspace.catalog.worktree(workspace.root)
        assert known is not None
        assert {key for line in json.loads(known.profile) for key in line} == {"slot", "text", "source", "voice"}


def test_the_largest_folders_without_sources_are_listed_before_the_smallest_with_some() -> None:
    small = [indexed_file(f"f{at}/{number}.py") for at in range(9) for number in range(at + 1)]
    tests = [indexed_file(f"tests/{at}.py", Role.TEST) for at in range(20)]
    docs = [indexed_file("docs/a.md", Role.DOCS, "markdown")]
    listed = "; ".join(made(ProfileInputs((), files=[*small, *tests, *docs]), Slot.LAYOUT))
    assert [piece.split()[0] for piece in listed.split("; ")][:8] == [
        *(f"`f{at}/`" for at in range(8, 1, -1)),
        "`tests/`",
    ]
    assert listed.endswith("`tests/` 20 python files; and 3 more folders")


def test_folders_that_do_not_fit_on_their_lines_are_counted() -> None:
    files = [indexed_file(f"{at}{'x' * 90}/a.py") for at in range(5)]
    lines = made(ProfileInputs((), files=files), Slot.LAYOUT)
    assert [line[:2] for line in lines] == ["`0", "`1", "`2"]
    assert lines[-1].endswith("; and 2 more folders")


def test_a_large_demo_is_listed_after_the_code() -> None:
    small = [indexed_file(f"f{at}/{number}.py") for at in range(9) for number in range(at + 1)]
    demo = [indexed_file(f"Demo/{at}.py", Role.TEST) for at in range(20)]
    docs = [indexed_file(f"A.docc/{at}.py") for at in range(3)]
    listed = "; ".join(made(ProfileInputs((), files=[*small, *demo, *docs]), Slot.LAYOUT))
    assert [piece.split()[0] for piece in listed.split("; ")] == [*(f"`f{at}/`" for at in range(8, 0, -1)), "and"]
