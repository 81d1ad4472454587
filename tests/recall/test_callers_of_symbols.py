"""Who uses a symbol, over a real index: shown, in the brief, and brought up to date."""

from pathlib import Path

import pytest
from support.library import Library
from support.repositories import Commit, MakeRepository
from support.samples import indexed, ready_at, recalled, workspace_at

from repomem.core.errors import NotFound
from repomem.index.run import index
from repomem.recall.answer import answered
from repomem.recall.callers import CalledDefinition, callers_at
from repomem.recall.show import show
from repomem.workspace.run import Run

MONEY = "src/ledgerly/money.py"
PARSER = "src/ledgerly/parser.py"
USE = """import { createDraft } from "./internal";

export function make() {
  return createDraft({});
}
"""


def definitions(folder: Path, symbol: str) -> tuple[CalledDefinition, ...]:
    with ready_at(folder) as it:
        return show(it.snapshot, symbol).definitions


def callers(folder: Path, symbol: str) -> list[tuple[str, str, str]]:
    """Path, what it stands in, and by what it is known: of the only definition."""
    [called] = definitions(folder, symbol)
    return [(one.path, one.within, one.how.value) for one in called.callers]


def test_a_symbol_is_shown_with_its_callers(library: Library) -> None:
    [called] = definitions(library("ledgerly"), "parse_money")
    assert (called.file.path, called.site.kind, called.namesakes) == (MONEY, "function", 0)
    assert (PARSER, "parse_journal", "import") in [(c.path, c.within, c.how.value) for c in called.callers]


def test_a_symbol_may_be_qualified_by_its_class_or_its_file(library: Library) -> None:
    folder = library("ledgerly")
    named = [definitions(folder, name) for name in ("Ledger.post", "Ledger::post", "src/ledgerly/ledger.py:post")]
    assert [[called.site.qualified for called in found] for found in named] == [["Ledger.post"]] * 3
    with pytest.raises(NotFound):
        definitions(folder, "Money.post")
    with pytest.raises(NotFound):
        definitions(folder, f"{MONEY}:post")


def test_callers_in_tests_come_later_and_name_matches_last(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(
            {
                "z.py": "class C:\n    def go(self):\n        pass\n    def twice(self):\n        self.go()\n",
                "a.py": "def f(c):\n    c.go()\n",
                "tests/test_z.py": "from z import C\n\ndef test_it():\n    C.go(None)\n",
            }
        )
    )
    assert callers(folder, "go") == [
        ("z.py", "C.twice", "scope"),
        ("tests/test_z.py", "test_it", "import"),
        ("a.py", "f", "name"),
    ]


def test_a_definition_that_nothing_uses_has_no_callers(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "def lonely():\n    return 1\n"}))
    assert callers(folder, "lonely") == []


def test_a_name_that_is_also_the_start_of_a_commit_may_be_a_symbol(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "def facade():\n    pass\n\nfacade()\n"}))
    assert callers(folder, "facade") == [("a.py", "", "scope")]


def test_a_caller_that_is_edited_away_is_gone_after_the_next_index(make_repository: MakeRepository) -> None:
    files = {"a.py": "def f():\n    pass\n", "b.py": "from a import f\n\ndef g():\n    f()\n"}
    folder = make_repository(Commit(files))
    assert callers(folder, "f") == [("b.py", "g", "import")]
    (folder / "b.py").write_text("def g():\n    pass\n")
    indexed(folder)
    assert callers(folder, "f") == []
    (folder / "c.py").write_text("import a\na.f()\n")
    indexed(folder)
    assert callers(folder, "f") == [("c.py", "", "import")]


def _sending(*callers: str) -> dict[str, str]:
    calling = {f"{name}.py": f"from send import deliver\n\ndef {name}():\n    deliver()\n" for name in callers}
    body = "    parcel = weigh(parcel)\n    return hand_over(parcel, courier)\n"
    return {"send.py": f"def deliver(parcel, courier):\n{body}", **calling}


def test_a_brief_shows_the_callers_of_the_first_place(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit(_sending("north", "south", "tests/test_west"), "feat: deliver parcels"))
    assert (
        "   called by `north` north.py:4, `south` south.py:4"
        in recalled(folder, "deliver a parcel by courier").markdown
    )


def test_a_brief_counts_the_callers_that_it_does_not_name(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit(_sending("a1", "b2", "c3", "d4", "e5"), "feat: deliver parcels"))
    brief = recalled(folder, "deliver a parcel by courier")
    told = "`a1` a1.py:4, `b2` b2.py:4, `c3` c3.py:4 and 2 more"
    assert f"   called by {told}\n" in brief.markdown
    [item] = [item for item in brief.items if item.title == "called by"]
    assert (item.kind, item.text, item.symbol, item.id) == ("code", told, "deliver", "send.py:1-3")


def test_the_methods_of_a_type_are_not_among_those_who_use_it(make_repository: MakeRepository) -> None:
    scale = "package post\n\ntype ParcelScale struct {\n\tunit int\n}\n"
    method = "package post\n\nfunc (s *ParcelScale) Weigh() int {\n\treturn s.unit\n}\n"
    user = "package post\n\nfunc newDepot(scale *ParcelScale) int {\n\treturn scale.Weigh()\n}\n"
    folder = make_repository(Commit({"scale.go": scale, "weigh.go": method, "depot.go": user}, "feat: scales"))
    assert "   used by `newDepot` depot.go:3\n" in recalled(folder, "the unit of `ParcelScale`").markdown


def test_callers_in_the_same_file_come_before_those_with_a_path(make_repository: MakeRepository) -> None:
    sending = _sending("a1")
    sending["send.py"] += "\n\ndef resend(parcel, courier):\n    return deliver(parcel, courier)\n"
    folder = make_repository(Commit(sending, "feat: deliver parcels"))
    assert "called by `resend` line 7, `a1` a1.py:4\n" in recalled(folder, "`deliver` a parcel").markdown


def test_a_brief_counts_the_callers_that_are_known_by_name_alone(make_repository: MakeRepository) -> None:
    tank = "class Tank:\n    def refill(self):\n        return 1\n\n    def start(self):\n        self.refill()\n"
    users = "def one(tank):\n    tank.refill()\n\n\ndef two(tank):\n    tank.refill()\n    tank.refill()\n"
    folder = make_repository(Commit({"tank.py": tank, "users.py": users}))
    indexed(folder)
    assert "called by `Tank.start` line 6; 2 more (name match)\n" in recalled(folder, "refill").markdown
    (folder / "other.py").write_text("class Bottle:\n    def refill(self):\n        return 2\n")
    indexed(folder)
    assert "by name" not in recalled(folder, "refill").markdown


def test_a_brief_without_known_callers_says_nothing_of_them(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({**_sending(), "b.py": "def b(x):\n    x.deliver()\n"}, "feat: deliver parcels"))
    assert "called by" not in recalled(folder, "deliver a parcel by courier").markdown


def test_an_incomplete_index_is_mentioned_when_a_symbol_is_not_found(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "def price():\n    return 1\n"}))
    with workspace_at(folder) as workspace:
        index(workspace, Run())
        (folder / "b.py").write_text("def surcharge():\n    return price()\n")
        late = Run(deadline=0.0)
        with pytest.raises(NotFound) as raised:
            answered(workspace, late, lambda now: show(now, "surcharge"))
    assert "not indexed yet" in raised.value.hint
    assert len(definitions(folder, "surcharge")) == 1


def test_a_caller_of_several_lines_is_shown_once(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(
            {
                "parcel.py": "def deliver_parcel(by):\n    return by\n",
                "north.py": "from parcel import deliver_parcel\n\n\ndef north():\n"
                "    deliver_parcel('sled')\n    deliver_parcel('van')\n",
            }
        )
    )
    assert "   called by `north` north.py:5, 6\n" in recalled(folder, "deliver_parcel by courier").markdown


def test_a_call_of_a_namesake_is_not_a_caller(make_repository: MakeRepository) -> None:
    types = "class Sled {\n public:\n  int pull(int to);\n};\nclass Van {\n public:\n  int pull(int to);\n};\n"
    bodies = "int Sled::pull(int to)\n{\n  return to;\n}\n\nint Van::pull(int to)\n{\n  return to + 1;\n}\n"
    use = '#include "parcel.hpp"\n\nint Tram::go(int to)\n{\n  return Van::pull(to);\n}\n'
    folder = make_repository(
        Commit({"parcel.hpp": types, "parcel.cpp": f'#include "parcel.hpp"\n\n{bodies}', "tram.cpp": use})
    )
    found = {one.site.qualified: one.callers for one in definitions(folder, "parcel.cpp:pull")}
    assert [one.path for one in found["Van.pull"]] == ["tram.cpp"]
    assert not found["Sled.pull"]


def test_a_definition_has_the_same_callers_asked_with_others_or_alone(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(
            {
                "server.h": "int accept_client(void);\nint read_query(void);\nint write_reply(void);\n",
                "net.c": '#include "server.h"\nint accept_client(void) { return 1; }\n'
                "int read_query(void) { return accept_client(); }\nint write_reply(void) { return 2; }\n",
                "loop.c": '#include "server.h"\nint run_loop(void) { return read_query() + write_reply(); }\n',
                "quotes.py": "def stale():\n    return []\n\ndef cancel():\n    return stale()\n",
                "orders.py": "from quotes import stale\n\ndef run():\n    return stale()\n",
            }
        )
    )
    with ready_at(folder) as it:
        names = ("accept_client", "read_query", "write_reply", "stale", "cancel")
        shown = [
            each for name in names for each in show(it.snapshot, name).definitions if not each.file.path.endswith(".h")
        ]
        sites = [(each.file.path, each.site) for each in shown]
        together = callers_at(it.snapshot, sites)
        assert together == [found for site in sites for found in callers_at(it.snapshot, [site])]
        found = [each.callers if each else () for each in together]
        assert found == [each.resolved for each in shown]
        assert [[one.within for one in each] for each in found] == [
            ["read_query"], ["run_loop"], ["run_loop"], ["run", "cancel"], []
        ]  # fmt: skip


def test_a_wildcard_re_export_counts_as_an_import(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(
            {
                "src/core/proxy.ts": "export function createDraft(base: object) {\n  return base;\n}\n",
                "src/core/index.ts": 'export * from "./proxy";\n',
                "src/internal.ts": 'export * from "./core";\n',
                "src/use.ts": USE,
            }
        )
    )
    assert callers(folder, "createDraft") == [("src/use.ts", "make", "import")]


def test_a_type_in_elixir_is_no_caller_of_what_it_declares(make_repository: MakeRepository) -> None:
    code = (
        "defmodule Shop do\n  @spec total(list) :: integer\n  def total(items), do: Enum.sum(items)\n\n"
        "  def pay(items) do\n    total(items)\n  end\nend\n"
    )
    folder = make_repository(Commit({"lib/shop.ex": code}))
    [called] = definitions(folder, "Shop.total")
    assert [(one.line, one.within) for one in called.callers] == [(6, "Shop.pay")]


def test_a_header_re_exports_the_declarations_of_headers_it_includes(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(
            {
                "net.h": "int accept_client(void);\n",
                "server.h": '#include "net.h"\n',
                "net.c": '#include "net.h"\nint accept_client(void) { return 1; }\n',
                "loop.c": '#include "server.h"\nint run_loop(void) { return accept_client(); }\n',
                "other.c": "int accept_all(void) { return accept_client(); }\n",
            }
        )
    )
    with ready_at(folder) as it:
        shown = show(it.snapshot, "accept_client").definitions
        [called] = [one for one in shown if one.file.path == "net.c"]
        assert [(one.path, one.within) for one in called.resolved] == [("loop.c", "run_loop")]
        [found] = callers_at(it.snapshot, [("net.c", called.site)])
        assert found
        assert found.resolved == called.resolved


def test_tests_in_a_source_file_come_after_its_other_callers(make_repository: MakeRepository) -> None:
    text = "pub fn go() {}\n\nmod tests {\n    fn a() {\n        go();\n    }\n}\n\nfn z() {\n    go();\n}\n"
    folder = make_repository(Commit({"src/lib.rs": text}))
    indexed(folder)
    assert [within for _, within, _ in callers(folder, "go")] == ["z", "tests.a"]


@pytest.mark.parametrize(("users", "is_shown"), [(10, True), (11, False)])
def test_the_users_of_a_type_that_many_use_are_not_named(
    make_repository: MakeRepository, users: int, *, is_shown: bool
) -> None:
    use = "".join(f"func weigh{at}() {{ _ = ParcelScale{{}} }}\n" for at in range(users))
    files = {
        "scale.go": "package depot\n\ntype ParcelScale struct {\n\tunit string\n}\n",
        "depot.go": f"package depot\n\n{use}",
    }
    folder = make_repository(Commit(files, "weigh"))
    assert ("   used by " in recalled(folder, "the unit of `ParcelScale`").markdown) is is_shown
