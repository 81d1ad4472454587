"""Definitions that share a name: overloads, getter and setter, declarations, and functions named like methods."""

import re
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import ready_at, recalled

from repomem.cli.recall.show import MOST_BY_NAME, MOST_CALLERS, shown_markdown
from repomem.recall.show import LONGEST_BODY, show

READER = """class Reader {
  int width(char one) {
    return 1;
  }

  int width(char one, char two) {
    return 2;
  }

  int fill() {
    return width('a', 'b');
  }
}
"""
TABLE = """class Table:
    def transform(self, column):
        return column

    def extract(self):
        return self.transform(1)
"""


def text(folder: Path, symbol: str) -> str:
    with ready_at(folder) as it:
        return shown_markdown(show(it.snapshot, symbol))


def without_code(markdown: str) -> str:
    return re.sub(r"```\w+\n.*?```\n", "", markdown, flags=re.DOTALL)


def test_every_overload_is_shown_and_their_callers_are_those_of_any(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"Reader.java": READER}))
    assert without_code(text(folder, "width")) == (
        "Reader.java:2-4 Reader.width (method)\nReader.java:6-8 Reader.width (method)\n"
        "  called from (may call any of 2 definitions):\n    Reader.java:11 Reader.fill\n"
    )


def test_callers_that_are_matched_by_name_may_call_any_overload(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"Reader.java": READER, "Use.java": "class Use { void all(R r) { r.width(); } }\n"})
    )
    assert "  perhaps called from (name match, may call any of 2 definitions):\n" in text(folder, "width")


def test_the_code_behind_overloads_of_python_is_shown(make_repository: MakeRepository) -> None:
    stubs = "".join(
        f"@overload\ndef width(value: {kind}) -> int: ...  # no code\n\n\n" for kind in ("int", "str", "bytes")
    )
    code = "def width(value):\n    return len(str(value))\n"
    assert f"```python\n{code}```\n" in text(make_repository(Commit({"a.py": stubs + code})), "width")


def test_callers_in_tests_come_last_and_text_names_only_the_first(make_repository: MakeRepository) -> None:
    users = "".join(f"\n\ndef use_{number}():\n    return total()\n" for number in range(MOST_CALLERS))
    imported = "from money import total\n"
    files = {"money.py": "def total():\n    return 1\n", "tests/test_a.py": imported + users, "ui.py": imported + users}
    lines = text(make_repository(Commit(files)), "total").splitlines()
    assert [line.split(":")[0].strip() for line in lines if " use_" in line] == ["ui.py"] * MOST_CALLERS
    assert lines[-1] == f"    and {MOST_CALLERS} more (`--format json` has all)"


@pytest.mark.parametrize("calls", [MOST_BY_NAME, MOST_BY_NAME + 1])
def test_many_calls_by_a_name_that_other_definitions_have_are_counted_only(
    make_repository: MakeRepository, calls: int
) -> None:
    tank = "class Tank:\n    def fill(self):\n        return 1\n\n    def start(self):\n        return self.fill()\n"
    users = "".join(f"\n\ndef use_{number}(it):\n    return it.fill()\n" for number in range(calls))
    files = {"tank.py": tank, "cup.py": tank.replace("Tank", "Cup"), "ui.py": users}
    shown = text(make_repository(Commit(files)), "tank.py:Tank.fill")
    assert "  called from:\n    tank.py:6 Tank.start\n" in shown
    assert (" use_" in shown) is (calls <= MOST_BY_NAME)
    assert (f"  not listed: {calls} calls by this name" in shown) is (calls > MOST_BY_NAME)


def test_a_header_does_not_repeat_the_callers_of_its_definition(make_repository: MakeRepository) -> None:
    files = {
        "disk.h": "int Get();\n",
        "disk.cc": '#include "disk.h"\nint Get() { return 1; }\n',
        "main.cc": '#include "disk.h"\nint Read() { return Get(); }\n',
    }
    shown = text(make_repository(Commit(files)), "Get")
    assert shown.count("main.cc:2 Read") == 1
    assert shown.endswith("disk.h:1 Get (function)\n")


def test_a_type_of_a_source_file_is_not_used_where_a_header_defines_another(make_repository: MakeRepository) -> None:
    files = {
        "order.h": "class Order {\n public:\n  int x;\n};\n",
        "order_test.cc": "struct Order {\n  int y;\n};\nint g() { Order two; return two.y; }\n",
        "main.cc": '#include "order.h"\nint f() { Order one; return one.x; }\n',
    }
    shown = text(make_repository(Commit(files)), "Order")
    assert "order.h:1-4 Order (class)\n  used from:\n    main.cc:2 f\n" in shown
    assert "order_test.cc:1-3 Order (struct)\n  used from:\n    order_test.cc:4 g\n" in shown
    assert shown.count("main.cc:2 f") == 1


def test_the_code_of_a_symbol_is_shown_if_it_is_the_only_one_and_not_long(make_repository: MakeRepository) -> None:
    long = "def long():\n" + "    print()\n" * LONGEST_BODY
    folder = make_repository(
        Commit({"a.py": f"def short():\n    return 1\n\n\n{long}", "b.py": "def two():\n    pass\n"})
    )
    assert "```python\ndef short():\n    return 1\n```\n" in text(folder, "short")
    assert "```" not in text(folder, "long")
    assert "```python\ndef two():" in text(folder, "b.py:two")


def test_a_brief_names_no_caller_of_an_overload_as_its_own(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"Reader.java": READER}))
    assert "called by" not in recalled(folder, "width of one char").markdown


def test_a_declaration_is_shown_and_is_no_overload(make_repository: MakeRepository) -> None:
    code = "class Disk {\n  int Get();\n  int Two() { return Get(); }\n};\n\nint Disk::Get() {\n  return 1;\n}\n"
    folder = make_repository(Commit({"disk.cc": code}))
    assert text(folder, "Disk.Get") == (
        "disk.cc:2 Disk.Get (method)\ndisk.cc:6-8 Disk.Get (method)\n```cpp\nint Disk::Get() {\n  return 1;\n}\n```\n"
        "  called from:\n    disk.cc:3 Disk.Two\n"
    )


def test_a_declaration_does_not_say_that_a_function_has_no_callers_if_its_definition_has_some(
    make_repository: MakeRepository,
) -> None:
    code = '#include "disk.h"\nint Disk::Get() { return 1; }\nint Disk::Two() { return Get(); }\n'
    folder = make_repository(Commit({"disk.h": "class Disk {\n  int Get();\n  int Two();\n};\n", "disk.cc": code}))
    assert text(folder, "Disk.Get") == (
        "disk.cc:2 Disk.Get (method)\n```cpp\nint Disk::Get() { return 1; }\n```\n"
        "  called from:\n    disk.cc:3 Disk.Two\ndisk.h:2 Disk.Get (method)\n"
    )


def test_a_declaration_in_a_header_is_no_other_candidate(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(
            {
                "disk.h": "class Disk {\n  int Get();\n  int Two();\n};\n",
                "disk.cc": '#include "disk.h"\nint Disk::Get() { return 1; }\nint Disk::Two() { return Get(); }\n',
                "main.cc": '#include "disk.h"\nint Read(Disk* disk) { return disk->Get(); }\n',
            }
        )
    )
    assert "  perhaps called from (name match, the only candidate here):\n    main.cc:2 Read\n" in text(
        folder, "disk.cc:Get"
    )
    assert "called by `Disk::Two` line 3; 1 more (name match)\n" in recalled(folder, "Disk.Get in disk.cc").markdown


def test_calls_are_not_denied_where_none_were_looked_for(make_repository: MakeRepository) -> None:
    code = "class Reply {\n  get body () {\n    return 1\n  }\n\n  set body (it) {\n    this.it = it\n  }\n}\n"
    folder = make_repository(Commit({"reply.js": code, "typings.d.ts": "class Option {\n  parseArg?: Parse;\n}\n"}))
    assert (
        without_code(text(folder, "body")) == "reply.js:2-4 Reply.body (property)\nreply.js:6-8 Reply.body (property)\n"
    )
    assert text(folder, "parseArg") == "typings.d.ts:2 Option.parseArg (field)\n"


def test_calls_of_a_constructor_are_not_denied_where_a_declaration_is_one(make_repository: MakeRepository) -> None:
    code = (
        "class Till {\n public:\n  Till(int coins) { count = coins; }\n  int count;\n};\n"
        "int f() { Till one(3); return one.count; }\n"
    )
    shown = text(make_repository(Commit({"till.cc": code})), "Till")
    assert "till.cc:1-5 Till (class)\n  used from:\n    till.cc:6 f\n" in shown
    assert "no calls found" not in shown


def test_an_exported_class_may_be_used_by_another_name(make_repository: MakeRepository) -> None:
    files = {"app.js": "module.exports = class App {}\n", "main.js": "const Web = require('.')\nnew Web()\n"}
    folder = make_repository(Commit(files))
    assert text(folder, "App") == (
        "app.js:1 App (class)\n```javascript\nmodule.exports = class App {}\n```\n  no uses by this name found\n"
    )


def test_a_function_is_no_candidate_for_a_call_on_an_object(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(
            {
                "table.py": TABLE,
                "cli.py": "def transform(table):\n    table.transform(2)\n",
                "docs/transform.md": "# transform\n",
                "other.py": "import cli\n\n\ndef run():\n    cli.transform(3)\n",
                "third.py": "from . import cli\n\n\ndef go():\n    cli.transform(3)\n",
            }
        )
    )
    by_name = "  perhaps called from (name match, the only candidate here):\n    cli.py:2 transform\n"
    assert text(folder, "Table.transform") == (
        "table.py:2-3 Table.transform (method)\n"
        "```python\n    def transform(self, column):\n        return column\n```\n"
        "  called from:\n    table.py:6 Table.extract\n" + by_name
    )
    assert "called by `Table.extract` line 6; 1 more (name match)\n" in recalled(folder, "Table.transform").markdown


def test_an_extension_function_of_kotlin_shares_its_callers_with_its_namesakes_in_the_package(
    make_repository: MakeRepository,
) -> None:
    files = {
        "lib/internal/Buffer.kt": "package lib.internal\n\nfun Buffer.common(x: Int): Int {\n  return x\n}\n",
        "lib/internal/Text.kt": "package lib.internal\n\nfun Text.common(x: Int): Int {\n  return x\n}\n",
        "lib/Buffer.kt": "package lib\n\nimport lib.internal.common\n\nclass Buffer {\n  fun write() = common(1)\n}\n",
    }
    folder = make_repository(Commit(files))
    assert text(folder, "common").count("called from (may call any of 2 definitions):") == 2
    assert text(folder, "Text.common").startswith("lib/internal/Text.kt:3-5 common (function)\n```kotlin\n")


def test_syntax_that_is_not_read_as_a_call_is_reported(make_repository: MakeRepository) -> None:
    code = "class Shell\n  def tool\n    'vimdiff'\n  end\n\n  def merge\n    system(tool)\n  end\nend\n"
    shown = text(make_repository(Commit({"shell.rb": code})), "tool")
    assert "not read: calls that are a bare name (they look like variables)" in shown


def test_calls_within_a_macro_of_c_are_reported_as_not_read(make_repository: MakeRepository) -> None:
    code = "int most(void) {\n  return 7;\n}\n\n#define IS_MOST(x) ((x) == most())\n"
    shown = text(make_repository(Commit({"most.c": code})), "most")
    assert "  no calls found (not read: calls in the body of a `#define`)\n" in shown


def test_a_private_method_is_called_from_its_own_file_alone(make_repository: MakeRepository) -> None:
    code = "class Codec {\n  private static boolean fits(int a, int b, int c) {\n    return a < b;\n  }\n"
    code += "  boolean all() {\n    return fits(1, 2, 3);\n  }\n}\n"
    other = "class Data {\n  void read(Charset set) {\n    set.fits();\n  }\n}\n"
    shown = text(make_repository(Commit({"Codec.java": code, "Data.java": other})), "fits")
    assert "Codec.java:6 Codec.all" in shown
    assert "Data.java" not in shown
