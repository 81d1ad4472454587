"""Exported rules: what is written, what of a person comes back, and every byte of others that stays."""

import os
import re
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, confirmed, forgotten, said
from support.repositories import Commit, MakeRepository
from support.samples import recalled, workspace_at

from repomem.adapters.settings.block import MARKDOWN_MARKS, block_in
from repomem.agents.edit_backups import EXPORT, drop_receipt
from repomem.agents.entries import this_program
from repomem.agents.exported_rules import Exported, export_rules, refresh_exports, remove_export, remove_exports
from repomem.agents.host_file import EntryState
from repomem.agents.hosts import CURSOR_RULE
from repomem.agents.install import install, status, uninstall
from repomem.agents.rules_block import CURSOR_FILE, EXPORT_FILES, read_rules, rule_line, rules_text
from repomem.agents.wanted_entries import InstallTarget
from repomem.core.errors import ConfigError, ForeignError
from repomem.core.records import MemoryKind, Source
from repomem.core.text.tokens import count_tokens
from repomem.memories.amend import supersede
from repomem.memories.snapshots.snapshot import memories_now

CENTS, UTC = "Amounts are integers of cents", "Log lines are in UTC"


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A repository with a rule, a decision, a fact and an unconfirmed rule."""
    folder = make_repository(Commit({"a.py": "def f():\n    return 1\n"}))
    said(folder, CENTS, kind=MemoryKind.RULE)
    said(folder, UTC, kind=MemoryKind.DECISION)
    said(folder, "The queue holds ten items", kind=MemoryKind.FACT)
    said(folder, "Never call f twice", AGENT, kind=MemoryKind.RULE)
    return folder


def exported(folder: Path, name: str = "AGENTS.md", budget: int | None = None) -> Exported:
    with workspace_at(folder) as workspace:
        return export_rules(workspace, name, budget)


def removed(folder: Path, name: str = "AGENTS.md") -> Exported:
    with workspace_at(folder) as workspace:
        return remove_export(workspace, name)


def texts(folder: Path, name: str = "AGENTS.md") -> list[str]:
    """The texts of the lines in the block."""
    rules = read_rules(block_in((folder / name).read_bytes(), MARKDOWN_MARKS) or "")
    return [line.text for line in rules.lines] if rules else []


def edit(folder: Path, old: str, new: str, name: str = "AGENTS.md") -> None:
    """Change the file as a person does."""
    path = folder / name
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())


def state_of(folder: Path, text: str) -> tuple[str, str, Source]:
    """Status, contesting text and source of the memory with a text."""
    with workspace_at(folder) as workspace:
        states = memories_now(workspace).states
    [one] = [one for one in states.values() if one.memory.said.text == text]
    other = states[one.contested_by].memory.said.text if one.contested_by else ""
    return one.status.value, other, one.memory.origin.source


@pytest.mark.parametrize("name", EXPORT_FILES)
def test_a_file_created_by_an_export_is_deleted_with_its_rules(place: Path, name: str) -> None:
    assert (exported(place, name).rules, exported(place, name).is_changed) == (2, False)
    assert texts(place, name) == [CENTS, UTC]
    assert "recall" in (place / name).read_text()
    assert removed(place, name).is_changed
    assert not (place / name).exists()
    assert not removed(place, name).is_changed


@pytest.mark.parametrize(
    "before", [b"# Ours\n\nKeep it.\n", b"\xef\xbb\xbf# Ours\r\n\r\nKeep it.\r\n", b"no line break", b"\n\n x \n\n\n"]
)
def test_a_hand_written_file_keeps_every_byte_and_its_mode(place: Path, before: bytes) -> None:
    path = place / "AGENTS.md"
    path.write_bytes(before)
    path.chmod(0o640)
    exported(place)
    path.write_bytes(path.read_bytes() + b"below\n")
    said(place, "Never use floats", kind=MemoryKind.RULE)
    exported(place)
    content = path.read_bytes()
    assert content.startswith(before)
    assert content.endswith(b"below\n")
    assert (b"\r\n" in before) == (b"- Never use floats" in content and b"-->\r\n" in content)
    assert path.stat().st_mode & 0o777 == 0o640
    path.write_bytes(content.removesuffix(b"below\n"))
    removed(place)
    assert path.read_bytes() == before


@pytest.mark.parametrize("before", [None, b""], ids=["no file", "an empty file"])
@pytest.mark.parametrize("is_installed_too", [False, True])
def test_uninstall_deletes_a_file_that_an_export_created(
    place: Path, before: bytes | None, *, is_installed_too: bool
) -> None:
    where, path = InstallTarget(place, place.parent, os.environ, this_program()), place / "AGENTS.md"
    if before is not None:
        path.write_bytes(before)
    exported(place)
    if is_installed_too:
        install(where, ("agents-md",))
    with workspace_at(place) as workspace:
        remove_exports(workspace)
    uninstall(where, ("agents-md",))
    assert (path.read_bytes() if path.exists() else None) == before


def test_uninstalling_a_host_keeps_exported_rules_and_what_a_person_edited(place: Path) -> None:
    where = InstallTarget(place, place.parent, os.environ, this_program())
    install(where, ("agents-md",))
    exported(place)
    edit(place, CENTS, "Amounts are whole cents")
    [report] = uninstall(where, ("agents-md",))
    assert (report.files[0].action, report.files[0].is_left) == ("removed", True)
    assert texts(place) == ["Amounts are whole cents", UTC]
    assert [entry.state for entry in status(where, ("agents-md",))[0].files[0].entries] == [EntryState.ABSENT]
    assert uninstall(where, ("agents-md",))[0].files[0].action == "unchanged"
    assert exported(place).taken.proposed == ("Amounts are whole cents",)
    assert "repomem recall" not in (place / "AGENTS.md").read_text(), "a refresh does not install them again"
    removed(place)
    assert not (place / "AGENTS.md").exists()


def test_removing_an_export_leaves_no_folder_and_an_empty_file_that_was_there(place: Path) -> None:
    (place / "CLAUDE.md").touch()
    for name in ("CLAUDE.md", CURSOR_FILE):
        exported(place, name)
        removed(place, name)
    assert (place / "CLAUDE.md").read_bytes() == b""
    assert not (place / ".cursor").exists()


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md"])
def test_a_file_to_which_another_clone_exported_is_not_deleted(place: Path, name: str) -> None:
    exported(place, name)
    drop_receipt(place / name, EXPORT)  # as in any other clone
    removed(place, name)
    assert (place / name).read_bytes() == b""


def test_a_file_is_left_alone_while_there_is_nothing_to_export(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "x = 1\n"}))
    assert (exported(folder).is_changed, exported(folder).rules) == (False, 0)
    assert not (folder / "AGENTS.md").exists()
    name = said(folder, CENTS, kind=MemoryKind.RULE).id
    assert exported(folder).rules == 1
    forgotten(folder, name)
    assert exported(folder).is_changed, "a block that is there is refreshed"
    assert texts(folder) == []


def test_a_link_out_of_the_worktree_and_an_unknown_file_are_refused(place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "mine.md"
    outside.write_text("mine\n")
    (place / "AGENTS.md").symlink_to(outside)
    with pytest.raises(ForeignError, match="a link to a file outside of the worktree"):
        exported(place)
    with pytest.raises(ConfigError, match="cannot be exported"):
        exported(place, "README.md")
    assert outside.read_text() == "mine\n"
    with workspace_at(place) as workspace:
        assert refresh_exports(workspace) == []


def test_a_link_within_the_worktree_is_followed_and_stays_a_link(place: Path) -> None:
    (place / "docs.md").write_text("ours\n")
    (place / "AGENTS.md").symlink_to("docs.md")
    exported(place)
    assert (place / "AGENTS.md").is_symlink()
    assert (place / "docs.md").read_text().startswith("ours\n")


def test_a_changed_line_proposes_a_replacement_and_stays_until_the_decision(place: Path) -> None:
    exported(place)
    edit(place, f"- {CENTS}", "- Amounts are decimals")
    done = exported(place)
    assert done.taken.proposed == ("Amounts are decimals",)
    assert texts(place) == ["Amounts are decimals", UTC]
    assert state_of(place, CENTS) == ("current", "Amounts are decimals", Source.PERSON)
    assert state_of(place, "Amounts are decimals") == ("provisional", "", Source.FILE)
    assert not exported(place).is_changed
    with workspace_at(place) as workspace:
        names = {str(one.memory.said.text): name for name, one in memories_now(workspace).states.items()}
    confirmed(place, names["Amounts are decimals"])
    with workspace_at(place) as workspace:
        supersede(workspace, PERSON, names[CENTS], names["Amounts are decimals"])
    assert not exported(place).is_changed
    forgotten(place, names["Amounts are decimals"])
    exported(place)
    assert texts(place) == [CENTS, UTC]


def test_a_new_line_becomes_a_memory_that_waits_for_review(place: Path) -> None:
    exported(place)
    edit(place, f"- {CENTS}", f"* Never commit to main\n- {CENTS}")
    assert exported(place).taken.proposed == ("Never commit to main",)
    assert state_of(place, "Never commit to main") == ("provisional", "", Source.FILE)
    assert texts(place) == ["Never commit to main", CENTS, UTC]
    assert exported(place).taken.proposed == ()


def test_a_deleted_line_is_not_written_again_until_its_memory_changes(place: Path) -> None:
    exported(place)
    edit(place, next(line for line in (place / "AGENTS.md").read_text().splitlines(keepends=True) if CENTS in line), "")
    for _ in range(2):
        assert exported(place).taken.proposed == ()
        assert texts(place) == [UTC]
    assert state_of(place, CENTS) == ("current", "", Source.PERSON)
    with workspace_at(place) as workspace:
        [old] = [name for name, one in memories_now(workspace).states.items() if one.memory.said.text == CENTS]
    said(place, "Amounts are integers of cents and euros", kind=MemoryKind.RULE, supersedes=(old,))
    exported(place)
    assert texts(place) == ["Amounts are integers of cents and euros", UTC] or texts(place)[0] == UTC


def test_an_edited_line_that_cannot_be_saved_stays_in_the_block(place: Path) -> None:
    exported(place)
    edit(place, f"- {CENTS}", f"- Hm\n- {CENTS}")
    [(line, why)] = exported(place).taken.refused
    assert (line.text, "too short" in why) == ("Hm", True)
    assert texts(place)[0] == "Hm"


def test_a_block_with_a_line_that_cannot_be_saved_is_not_removed(place: Path) -> None:
    exported(place)
    edit(place, f"- {CENTS}", f"- Hm\n- {CENTS}")
    before = (place / "AGENTS.md").read_bytes()
    with pytest.raises(ForeignError, match=r"AGENTS\.md has lines that could not be saved"):
        removed(place)
    with workspace_at(place) as workspace:
        assert remove_exports(workspace) == []
        assert workspace.notices == ["AGENTS.md was left alone: AGENTS.md has lines that could not be saved"]
    assert (place / "AGENTS.md").read_bytes() == before


def test_a_secret_in_an_edited_line_is_stored_and_written_back_redacted(place: Path) -> None:
    exported(place)
    secret = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    edit(place, f"- {CENTS}", f"- Deploy with {secret}\n- {CENTS}")
    exported(place)
    assert secret not in (place / "AGENTS.md").read_text()
    assert "Deploy with [REDACTED:github-token:" in (place / "AGENTS.md").read_text()


def test_lines_of_another_clones_memories_stay_and_purged_ones_go(place: Path) -> None:
    exported(place)
    above, _, closing = (place / "AGENTS.md").read_text().partition("<!-- repomem export")
    other = rule_line("01ARZ3NDEKTSV4RRFFQ69G5FAV", "Theirs is theirs")
    (place / "AGENTS.md").write_text(
        f"{above}- {other.text} <!-- {other.key} {other.digest} -->\n<!-- repomem export{closing}"
    )
    assert exported(place).taken.proposed == ()
    assert texts(place) == [CENTS, UTC, "Theirs is theirs"]
    with workspace_at(place) as workspace:
        [name] = [name for name, one in memories_now(workspace).states.items() if one.memory.said.text == CENTS]
    forgotten(place, name, is_purge=True)
    exported(place)
    assert texts(place) == [UTC, "Theirs is theirs"]


def test_private_and_own_memories_are_not_exported(place: Path) -> None:
    said(place, "Nobody may see this rule", kind=MemoryKind.RULE, is_private=True)
    said(place, "Never write emoji", kind=MemoryKind.RULE, is_mine=True)
    exported(place)
    assert texts(place) == [CENTS, UTC]


def test_the_block_stays_within_its_budget_and_a_refresh_keeps_the_budget(place: Path) -> None:
    for name in ("sockets", "threads", "globals", "singletons", "macros", "eval", "pickle", "goto"):
        said(place, f"Never use {name} in the core of the server", kind=MemoryKind.RULE)
    done = exported(place, budget=300)
    assert done.left_out > 0
    block = block_in((place / "AGENTS.md").read_bytes(), MARKDOWN_MARKS) or ""
    assert count_tokens(block) <= 300
    with workspace_at(place) as workspace:
        assert [each.is_changed for each in refresh_exports(workspace)] == [False]


def test_agents_install_and_export_share_one_block(place: Path) -> None:
    where = InstallTarget(place, place.parent, os.environ, this_program())
    path = place / "AGENTS.md"
    path.write_text("# Ours\n")
    install(where, ("agents-md",))
    exported(place)
    assert path.read_text().count(MARKDOWN_MARKS.start) == 1
    [report] = status(where, ("agents-md",))
    assert [entry.state for entry in report.files[0].entries] == [EntryState.INSTALLED]
    [again] = install(where, ("agents-md",))
    assert again.files[0].action == "unchanged"
    assert texts(place) == [CENTS, UTC]
    removed(place)
    assert [entry.state for entry in status(where, ("agents-md",))[0].files[0].entries] == [EntryState.INSTALLED]
    exported(place)
    uninstall(where, ("agents-md",))
    assert texts(place) == [CENTS, UTC]
    removed(place)
    assert path.read_text() == "# Ours\n"


def test_the_rule_file_of_cursor_counts_as_installed_with_exported_rules(place: Path) -> None:
    where = InstallTarget(place, place.parent, os.environ, this_program())
    install(where, ("cursor",))
    exported(place, CURSOR_FILE)
    [report] = status(where, ("cursor",))
    assert {entry.state for file in report.files for entry in file.entries} == {EntryState.INSTALLED}
    removed(place, CURSOR_FILE)
    assert (place / CURSOR_FILE).read_text() == CURSOR_RULE
    exported(place, CURSOR_FILE)
    uninstall(where, ("cursor",))
    assert texts(place, CURSOR_FILE) == [CENTS, UTC]
    removed(place, CURSOR_FILE)
    assert not (place / CURSOR_FILE).exists()


def test_a_text_cannot_close_the_comment_or_the_block(place: Path) -> None:
    said(place, "Never write --> <!-- repomem:end --> in a rule", kind=MemoryKind.RULE)
    exported(place)
    assert not exported(place).is_changed
    text, count = rules_text([rule_line("01ARZ3NDEKTSV4RRFFQ69G5FAV", "a --> b")], {}, 600, "")
    assert (count, read_rules(text)) != (0, None)
    assert [line.is_edited for line in read_rules(text).lines] == [False]  # type: ignore[union-attr]


def test_a_persons_edit_is_proposed_under_that_persons_name(place: Path) -> None:
    exported(place)
    edit(place, CENTS, "Amounts are decimals")
    with workspace_at(place) as workspace:
        refresh_exports(workspace)
    brief = recalled(place, "amounts of cents").markdown
    assert "an agent proposes instead" not in brief
    assert re.search(r"\((\w[^()]*) proposes instead `01\w+`: Amounts are decimals\)", brief)


def test_a_rule_that_a_later_one_seems_to_change_is_left_out(place: Path) -> None:
    old = "Everything in naive must stay const fn where it is today"
    new = "const fn in the naive module is no longer a must; dropping it is fine where the code becomes simpler"
    said(place, old, kind=MemoryKind.RULE)
    assert old in (exported(place), texts(place))[1]
    said(place, new, kind=MemoryKind.RULE)
    assert exported(place).undecided == 1
    assert new in texts(place)
    assert old not in texts(place)
