"""Whether a use means a definition: by scope, by import, by its name alone, or not at all."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, strategies as st

from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.outline import outline_of
from repomem.adapters.languages.uses import uses_of
from repomem.core.types.code import Role
from repomem.core.types.indexed import FileUses, IndexedFile, Symbol
from repomem.ranking.callers import CallTarget, callers_of
from repomem.ranking.modules import ReferencingFile


def read(version: int, path: str, text: str) -> ReferencingFile:
    """A file as the index has it."""
    language = language_of(path)
    outline = outline_of(text.encode(), language, with_references=True)
    sites = [Symbol(d.qualified, d.kind, d.start_line, d.end_line, d.signature) for d in outline.definitions]
    uses = tuple(uses_of(text.encode(), outline, language))
    file = IndexedFile(version, path, Role.SOURCE, language, 1)
    return ReferencingFile(file, FileUses(version, tuple(sites), outline.imports, uses))


def callers(files: Mapping[str, str], path: str, symbol: str) -> list[tuple[str, int, str]]:
    """Path, line and how of what uses a symbol."""
    found = [read(number, name, text) for number, (name, text) in enumerate(files.items())]
    names = {symbol.rpartition(".")[2], *symbol.split(".")}
    narrowed = [
        ReferencingFile(file.file, file.references._replace(sites=tuple(sites)))
        for file in found
        for sites in [[site for site in file.references.sites if site.qualified.rpartition(".")[2] in names]]
    ]
    [file] = [each for each in narrowed if each.path == path]
    [site] = [each for each in file.references.sites if each.qualified == symbol]
    return [(one.path, one.line, one.how.value) for one in callers_of(CallTarget(file, site), narrowed, set(files))]


def test_a_function_is_called_in_its_own_file_by_its_name() -> None:
    assert callers({"a.py": "def f():\n    pass\n\nf()\n"}, "a.py", "f") == [("a.py", 4, "scope")]


def test_an_inner_definition_shadows_the_one_of_the_file() -> None:
    text = "def f():\n    pass\n\ndef g():\n    def f():\n        pass\n    f()\n"
    assert callers({"a.py": text}, "a.py", "f") == []
    assert callers({"a.py": text}, "a.py", "g.f") == [("a.py", 7, "scope")]


def test_a_variable_of_that_name_is_not_resolved() -> None:
    text = "def f():\n    pass\n\ndef g(f):\n    f()\n\ndef h():\n    f = make()\n    f()\n"
    assert callers({"a.py": text}, "a.py", "f") == [("a.py", 5, "name"), ("a.py", 9, "name")]


def test_a_bare_name_never_means_a_method_nor_a_member_call_a_function() -> None:
    text = "class C:\n    def f(self):\n        self.f()\n        f()\n\ndef f():\n    pass\n"
    assert callers({"a.py": text}, "a.py", "C.f") == [("a.py", 3, "scope")]
    assert callers({"a.py": text}, "a.py", "f") == [("a.py", 4, "scope")]


def test_a_method_call_on_an_unknown_type_matches_by_name() -> None:
    text = "class C:\n    def f(self):\n        pass\n\ndef g(c: C):\n    c.f()\n    C().f()\n    make()[0].f()\n"
    assert callers({"a.py": text}, "a.py", "C.f") == [("a.py", line, "name") for line in (6, 7, 8)]


def test_a_call_on_the_type_itself_is_resolved() -> None:
    text = "class C:\n    def f(self):\n        pass\n\nC.f(x)\n"
    other = "from a import C\nC.f(x)\n"
    unrelated = "from elsewhere import C\nC.f(x)\n"
    found = callers({"a.py": text, "b.py": other, "c.py": unrelated}, "a.py", "C.f")
    assert found == [("a.py", 5, "scope"), ("b.py", 2, "import")]


def test_a_call_never_means_the_method_of_another_class_in_the_file() -> None:
    text = "class A:\n    def f(self):\n        pass\n"
    text += "class B:\n    def f(self):\n        self.f()\n    def g(self):\n        super().f()\n"
    assert callers({"a.py": text}, "a.py", "A.f") == [("a.py", 8, "name")]
    assert callers({"a.py": text}, "a.py", "B.f") == [("a.py", 6, "scope")]


def test_an_override_that_calls_its_base_by_name_does_not_call_itself() -> None:
    text = "from base import Base\n\nclass A(Base):\n    def f(self):\n        Base.f(self)\n        self.base.f()\n"
    assert callers({"a.py": text}, "a.py", "A.f") == [("a.py", 6, "name")]


def test_a_call_on_a_possible_subclass_matches_by_name() -> None:
    text = "class A:\n    def f(self):\n        pass\nclass B(A):\n    def g(self):\n        self.f()\n"
    assert callers({"a.py": text}, "a.py", "A.f") == [("a.py", 6, "name")]


def test_a_constructor_is_called_by_the_name_of_its_class() -> None:
    text = "class A:\n    def __init__(self):\n        pass\n\nA()\n"
    assert callers({"a.py": text, "b.py": "import a\n\na.A()\n"}, "a.py", "A.__init__") == [
        ("a.py", 5, "scope"),
        ("b.py", 3, "import"),
    ]


DEFINED = "def f():\n    pass\n"


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("p/b.py", "from .a import f\nf()\n", "import"),
        ("p/b.py", "from p.a import f as g\ng()\n", "import"),
        ("p/b.py", "from . import a\na.f()\n", "import"),
        ("p/q/b.py", "from ..a import f\nf()\n", "import"),
        ("p/b.py", "import p.a\np.a.f()\n", "import"),
        ("p/b.py", "import p.a as x\nx.f()\n", "import"),
        ("p/b.py", "from .a import *\nf()\n", "import"),
        ("tests/b.py", "from p import f\nf()\n", "import"),  # which its index gives on
        ("tests/b.py", "import p\np.f()\n", "import"),
        ("p/b.py", "from .other import f\nf()\n", None),
        ("p/b.py", "import json\njson.f()\n", None),
        ("p/b.py", "import a\na.f()\n", None),  # of another package: p/a.py is p.a
        ("p/b.py", "something.f()\n", None),
        ("p/b.py", "f()\n", None),
        ("p/b.py", "def f():\n    pass\nf()\n", None),
    ],
)
def test_python_imports(path: str, text: str, found: str | None) -> None:
    files = {"src/p/__init__.py": "from .a import f\n", "src/p/a.py": DEFINED, f"src/{path}": text}
    last = len(text.splitlines())
    assert callers(files, "src/p/a.py", "f") == ([(f"src/{path}", last, found)] if found else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import { f } from './a.js'; f()", "import"),
        ("import { f as g } from './a'; g()", "import"),
        ("import f from './a.js'; f()", "import"),
        ("import * as a from './a.js'; a.f()", "import"),
        ("import a from './a.js'; a.f()", "import"),
        ("const { f } = require('./a'); f()", "import"),
        ("const a = require('./a'); a.f()", "import"),
        ("import { f } from './index.js'; f()", "import"),
        ("import { f } from 'a'; f()", None),
        ("import { f } from '../a.js'; f()", None),
        ("x.f()", None),
    ],
)
def test_javascript_imports(text: str, found: str | None) -> None:
    files = {"lib/index.js": "export * from './a.js'", "lib/a.js": "export function f() {}", "lib/b.js": text}
    assert callers(files, "lib/a.js", "f") == ([("lib/b.js", 1, found)] if found else [])


GO = "package p\n\nfunc F() {}\n"


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("p/b.go", "package p\nfunc g() { F() }", "scope"),
        ("p/b_test.go", 'package p_test\nimport "x.org/m/p"\nfunc g() { p.F() }', "import"),
        ("b.go", 'package m\nimport q "x.org/m/p"\nfunc g() { q.F() }', "import"),
        ("b.go", 'package m\nimport "p"\nfunc g() { p.F() }', None),
        ("b.go", "package m\nfunc g() { F() }", None),
        ("b.go", "package m\nfunc g(p T) { p.F() }", None),
    ],
)
def test_go_packages(path: str, text: str, found: str | None) -> None:
    expected = [(path, text.count("\n") + 1, found)] if found else []
    assert callers({"p/a.go": GO, path: text}, "p/a.go", "F") == expected


def test_methods_of_a_go_type_call_each_other_across_the_files_of_a_package() -> None:
    files = {"a.go": "package p\nfunc (c *C) f() {}\n", "b.go": "package p\nfunc (c *C) g(d *C) {\n c.f()\n d.f()\n}\n"}
    assert callers(files, "a.go", "C.f") == [("b.go", 3, "scope"), ("b.go", 4, "name")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("use crate::a::f;\nfn g() { f() }", "import"),
        ("use crate::a;\nfn g() { a::f() }", "import"),
        ("fn g() { crate::a::f() }", "import"),
        ("use super::a::f as h;\nfn g() { h() }", "import"),
        ("use crate::f;\nfn g() { f() }", "import"),  # which lib.rs gives on
        ("use other::a::f;\nfn g() { f() }", None),
        ("fn g() { f() }", None),
        ("fn g(x: X) { x.f() }", None),
    ],
)
def test_rust_paths(text: str, found: str | None) -> None:
    files = {"k/src/lib.rs": "mod a;\npub use self::a::f;\n", "k/src/a.rs": "pub fn f() {}\n", "k/src/b.rs": text}
    expected = [("k/src/b.rs", text.count("\n") + 1, found)] if found else []
    assert callers(files, "k/src/a.rs", "f") == expected


def test_another_crate_is_named_by_its_folder() -> None:
    files = {"my-core/src/a.rs": "pub fn f() {}\n", "app/src/main.rs": "use my_core::a::f;\nfn g() { f() }\n"}
    assert callers(files, "my-core/src/a.rs", "f") == [("app/src/main.rs", 2, "import")]


@pytest.mark.parametrize(
    ("header", "call", "found"),
    [
        ("package a.b;", "C.f();", "scope"),
        ("package x;\nimport a.b.C;", "C.f();", "import"),
        ("package x;\nimport static a.b.C.f;", "f();", "import"),
        ("package x;\nimport z.C;", "C.f();", None),
        ("package x;", "c.f();", "name"),
        ("package x;", "f();", "name"),  # it may inherit it
    ],
)
def test_java_classes(header: str, call: str, found: str | None) -> None:
    text = f"{header}\nclass D {{ void g() {{ {call} }} }}\n"
    files = {"src/a/b/C.java": "package a.b;\nclass C { static void f() {} }\n", "src/x/D.java": text}
    expected = [("src/x/D.java", header.count("\n") + 2, found)] if found else []
    assert callers(files, "src/a/b/C.java", "C.f") == expected


def test_a_bare_call_within_its_class_is_resolved_where_the_language_leaves_out_this() -> None:
    text = "class C {\n void f() {}\n void g() { f(); }\n}\n"
    assert callers({"C.java": text}, "C.java", "C.f") == [("C.java", 3, "scope")]
    text = "class C\n  def f\n  end\n  def g\n    f()\n  end\nend\n"
    assert callers({"c.rb": text}, "c.rb", "C.f") == [("c.rb", 5, "scope")]


def test_php_namespaces() -> None:
    files = {
        "C.php": "<?php\nnamespace A;\nclass C { static function f() {} }\n",
        "D.php": "<?php\nnamespace B;\nuse A\\C;\nC::f();\n",
        "E.php": "<?php\nnamespace A;\nC::f();\n",
        "F.php": "<?php\nnamespace B;\nuse Z\\C;\nC::f();\n",
    }
    assert callers(files, "C.php", "C.f") == [("D.php", 4, "import"), ("E.php", 3, "scope")]


def test_a_definition_declared_in_a_header_is_called_where_the_header_is_included() -> None:
    files = {
        "include/x.h": "int f(void);\n",
        "src/a.c": '#include "x.h"\nint f(void) { return 0; }\n',
        "src/b.c": '#include "x.h"\nint g(void) { return f(); }\n',
        "src/c.c": "int h(void) { return f(); }\n",
    }
    assert callers(files, "src/a.c", "f") == [("src/b.c", 2, "import"), ("src/c.c", 1, "name")]
    twice = {**files, "src/win.c": "int f(void) { return 1; }\n"}
    assert callers(twice, "src/a.c", "f") == [("src/b.c", 2, "name"), ("src/c.c", 1, "name")]


def test_a_type_that_a_header_defines_is_not_one_of_another_file() -> None:
    files = {
        "order.h": "class Order {\n public:\n  int x;\n};\n",
        "order_test.cc": "struct Order {\n  int y;\n};\n",
        "main.cc": '#include "order.h"\nint f() { Order one; return one.x; }\n',
    }
    assert callers(files, "order.h", "Order") == [("main.cc", 2, "import")]
    assert callers(files, "order_test.cc", "Order") == [("main.cc", 2, "name")]


def test_an_opaque_type_is_used_where_its_header_is_included() -> None:
    files = {
        "order.h": "typedef struct Order Order;\n",
        "order.c": '#include "order.h"\nstruct Order {\n  int y;\n};\n',
        "main.c": '#include "order.h"\nint f(Order *one) { return 0; }\n',
    }
    assert callers(files, "order.c", "Order") == [("main.c", 2, "import")]


def test_a_ruby_require_resolves_definitions() -> None:
    files = {"lib/a.rb": "def f(x)\nend\n", "lib/b.rb": "require_relative 'a'\nf(1)\n", "lib/c.rb": "f(1)\n"}
    assert callers(files, "lib/a.rb", "f") == [("lib/b.rb", 2, "import"), ("lib/c.rb", 1, "name")]


def test_languages_that_cannot_call_each_other_do_not() -> None:
    assert callers({"a.py": DEFINED, "b.rb": "f(1)\n"}, "a.py", "f") == []


def test_circular_imports_terminate() -> None:
    files = {"p/__init__.py": "from .b import f\n", "p/b.py": "from . import f\n", "p/a.py": DEFINED}
    files["c.py"] = "from p import f\nf()\n"
    assert callers(files, "p/a.py", "f") == []


NAMES = ("area", "border", "corner", "depth")
Calls = dict[str, list[str]]  # a function to the functions that it calls
CALLS = st.fixed_dictionaries({name: st.lists(st.sampled_from(NAMES), unique=True) for name in NAMES})


def c_program(calls: Calls) -> dict[str, str]:
    """Functions in two files, declared in one header; and a macro that calls the first."""
    texts = {
        name: f"int {name}(void) {{\n" + "".join(f"    {each}();\n" for each in calls[name]) + "}\n" for name in NAMES
    }
    header = "".join(f"int {name}(void);\n" for name in NAMES) + "#define EDGE(x) (area() + (x))\n"
    include = '#include "shape.h"\n'
    halves = [include + texts[a] + texts[b] for a, b in (NAMES[:2], NAMES[2:])]
    user = include + "int use(void) {\n" + "".join(f"    {name}();\n" for name in NAMES) + "    return EDGE(1);\n}\n"
    return {"shape.h": header, "one.c": halves[0], "two.c": halves[1], "use.c": user}


def python_program(calls: Calls) -> dict[str, str]:
    """Functions in one file, one with an inner one; a class with methods of their names; a file that imports them."""
    bodies = {name: "".join(f"    {each}()\n" for each in calls[name]) + "    return 1\n\n" for name in NAMES}
    functions = "".join(f"def {name}():\n{bodies[name]}" for name in NAMES)
    inner = "def outer():\n    def depth():\n        return area()\n    return depth()\n\n"
    methods = "".join(f"    def {name}(self):\n        self.{name}()\n        {name}()\n\n" for name in NAMES[:2])
    user = "from shape import area as edge, border, Box, outer\nimport shape\n\n"
    user += "def use():\n    edge()\n    border()\n    outer()\n    shape.corner()\n    Box().area()\n"
    return {"shape.py": f"{functions}{inner}class Box:\n{methods}", "use.py": user}


def of_name(file: ReferencingFile, name: str) -> ReferencingFile:
    """A file as it is read for one name: with its definitions, and its uses under aliases too."""
    references = file.references
    wanted = {name, *(each.local for each in references.imports if each.local and each.name == name)}
    sites = tuple(site for site in references.sites if site.qualified.rpartition(".")[2] == name)
    uses = tuple(use for use in references.uses if use.name in wanted)
    return ReferencingFile(file.file, references._replace(sites=sites, uses=uses))


@pytest.mark.parametrize("program", [c_program, python_program])
@given(calls=CALLS)
def test_a_definition_has_the_same_callers_asked_together_with_others_or_alone(
    program: Callable[[Calls], dict[str, str]], calls: Calls
) -> None:
    texts = program(calls)
    files = [read(number, name, text) for number, (name, text) in enumerate(texts.items())]
    for file in files:
        for site in file.references.sites:
            name = site.qualified.rpartition(".")[2]
            alone = [of_name(each, name) for each in files]
            [target] = [each for each in alone if each.path == file.path]
            together = callers_of(CallTarget(file, site), files, texts)
            assert together == callers_of(CallTarget(target, site), alone, texts)


def test_a_header_that_declares_two_functions_does_not_mix_up_their_callers() -> None:
    files = {
        "x.h": "int f(void);\nint g(void);\n",
        "a.c": '#include "x.h"\nint f(void) { return 0; }\nint g(void) { return 0; }\n',
        "b.c": '#include "x.h"\nint h(void) { return g(); }\n',
    }
    assert callers(files, "a.c", "f") == []
    assert callers(files, "a.c", "g") == [("b.c", 2, "import")]


def test_a_static_import_of_one_method_is_not_a_use_of_another() -> None:
    one = "package a.b;\nclass C { static void f() {} static void g() {} }\n"
    for imported in ("a.b.C.g", "a.b.C.*"):
        files = {
            "src/a/b/C.java": one,
            "src/x/D.java": f"package x;\nimport static {imported};\nclass D {{ {{ g(); }} }}",
        }
        assert callers(files, "src/a/b/C.java", "C.f") == []
        assert callers(files, "src/a/b/C.java", "C.g") == [("src/x/D.java", 3, "import")]


def test_an_imported_function_is_not_its_inner_one() -> None:
    files = {"a.py": "def g():\n    def f():\n        pass\n    f()\n", "b.py": "from a import g\ng()\n"}
    assert callers(files, "a.py", "g.f") == [("a.py", 4, "scope")]


def test_a_class_that_extends_another_does_not_call_its_constructor() -> None:
    files = {
        "b.h": "class B { public: B(); };\n",
        "a.h": '#include "b.h"\nclass A : public B {};\nB* make() { return new B(); }\n',
    }
    assert callers(files, "b.h", "B") == [("a.h", 2, "import"), ("a.h", 3, "import")]
    assert callers(files, "b.h", "B.B") == [("a.h", 3, "import")]


def test_a_nested_class_of_another_class_is_no_use() -> None:
    files = {
        "a.h": "class A {\n  class Iterator {};\n  Iterator begin();\n};\n",
        "b.h": '#include "a.h"\nclass B {\n  class Iterator {};\n  Iterator begin();\n};\n',
        "b.cpp": '#include "a.h"\n#include "b.h"\nvoid B::run() { Iterator it; }\nvoid A::run() { Iterator it; }\n',
    }
    expected = [("a.h", 3, "scope"), ("b.cpp", 3, "name"), ("b.cpp", 4, "import")]
    assert callers(files, "a.h", "A.Iterator") == expected


ENCODER = "defmodule Shop.Form do\n  def encode(x), do: x\n  def all(xs), do: Enum.map(xs, &encode/1)\nend\n"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("defmodule A do\n  def f, do: Shop.Form.encode(1)\nend\n", "scope"),
        ("defmodule A do\n  alias Shop.Form\n  def f, do: Form.encode(1)\nend\n", "import"),
        ("defmodule A do\n  alias Shop.{Cart, Form}\n  def f, do: Form.encode(1)\nend\n", "import"),
        ("defmodule A do\n  alias Shop.Form, as: F\n  def f, do: F.encode(1)\nend\n", "import"),
        ("defmodule A do\n  alias Shop, as: S\n  def f, do: S.Form.encode(1)\nend\n", "import"),
        ("defmodule A do\n  import Shop.Form\n  def f, do: encode(1)\nend\n", "import"),
        ("defmodule Shop do\n  def f, do: Form.encode(1)\nend\n", "scope"),
        ("defmodule A do\n  def f(form), do: form.encode(1)\nend\n", "name"),
        ("defmodule A do\n  def f, do: Form.encode(1)\nend\n", "name"),
        ("defmodule A do\n  alias Other.Form\n  def f, do: Form.encode(1)\nend\n", ""),
        ("defmodule A do\n  def f, do: Jason.encode(1)\nend\n", ""),
    ],
)
def test_a_function_of_elixir_is_called_by_its_module(text: str, how: str) -> None:
    found = callers({"form.ex": ENCODER, "a.ex": text}, "form.ex", "Shop.Form.encode")
    assert found[0] == ("form.ex", 3, "scope")
    assert [one[2] for one in found[1:]] == ([how] if how else [])


def test_a_constant_that_holds_a_function_is_called() -> None:
    files = {
        "immer.ts": "const immer = new Immer()\nexport const produce: Producer = immer.produce\n",
        "a.ts": 'import {produce} from "./immer"\nproduce(1)\n',
    }
    assert callers(files, "immer.ts", "produce") == [("a.ts", 2, "import")]


def test_a_full_name_means_the_same_in_every_file_of_cpp() -> None:
    files = {
        "os.h": "namespace a { namespace os {\nint id();\n} }\n",
        "b.cpp": "int run() { return a::os::id() + b::os::id(); }\n",
    }
    assert callers(files, "os.h", "a.os.id") == [("b.cpp", 1, "scope"), ("b.cpp", 1, "name")]


def test_super_within_an_inline_module_of_rust_is_its_file() -> None:
    files = {
        "src/lib.rs": "mod context;\npub fn Ok(x: u8) -> u8 { x }\n",
        "src/context.rs": "fn near() {}\nmod ext {\n    use super::*;\n    fn f() { Ok(1); near(); }\n}\n",
        "src/other.rs": "use super::*;\nfn f() { Ok(1); }\n",
        "src/deep.rs": "mod ext {\n    use super::super::Ok;\n    fn f() { Ok(1); }\n}\n",
    }
    assert callers(files, "src/lib.rs", "Ok") == [("src/other.rs", 2, "import"), ("src/deep.rs", 3, "import")]
    assert callers(files, "src/context.rs", "near") == [("src/context.rs", 4, "scope")]
