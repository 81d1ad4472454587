"""What an import statement makes known, in each language that repomem reads them in."""

import pytest

from repomem.adapters.languages.outline import outline_of
from repomem.core.types.code import Import


def imports_in(language: str, text: str) -> list[tuple[str, str, str]]:
    outline = outline_of(text.encode(), language, with_references=True)
    return [(each.module, each.name, each.local) for each in outline.imports]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import os.path, json as j", [("os.path", "", "os.path"), ("json", "", "j")]),
        ("from .a import (b, c as d,  # why\n  e)", [(".a", "b", "b"), (".a", "c", "d"), (".a", "e", "e")]),
        ("from . import utils", [(".", "utils", "utils")]),
        ("from x import *", [("x", "*", "")]),
        ("def f():\n    from late import thing", [("late", "thing", "thing")]),
    ],
)
def test_python(text: str, found: list[tuple[str, str, str]]) -> None:
    assert imports_in("python", text) == found


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "import a, { b as c, d } from './x.js'",
            [("./x.js", "default", "a"), ("./x.js", "b", "c"), ("./x.js", "d", "d")],
        ),
        ("import * as ns from 'm'", [("m", "", "ns")]),
        ("import 'm'", []),
        ("export { a as b } from './x'", [("./x", "a", "b")]),
        ("export * from './x'", [("./x", "*", "")]),
        ("const x = require('./x')", [("./x", "", "x")]),
        ("const { a, b: c } = require('./x')", [("./x", "a", "a"), ("./x", "b", "c")]),
        ("const a = require('./x').y", [("./x", "y", "a")]),
        ("const a = other('./x')", []),
    ],
)
def test_ecmascript(language: str, text: str, found: list[tuple[str, str, str]]) -> None:
    assert imports_in(language, text) == found


def test_the_types_of_typescript_are_imported_alike() -> None:
    assert imports_in("typescript", "import type { A, B as C } from './x'") == [("./x", "A", "A"), ("./x", "B", "C")]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("go", "package p\n", [("p", "", "")]),
        ("go", 'import "net/http"', [("net/http", "", "http")]),
        ("go", 'import (\n c "a.b/c/v5"\n . "x.y/z"\n "x.y/w/v2"\n)', [
            ("a.b/c/v5", "", "c"), ("x.y/z", "*", "z"), ("x.y/w/v2", "", "w")]),
        ("rust", "pub use crate::a::{self, b as c, d::{e, f::*}};", [
            ("crate", "a", "a"), ("crate::a", "b", "c"), ("crate::a::d", "e", "e"), ("crate::a::d::f", "*", "")]),
        ("rust", "mod inner;", [("self::inner", "", "inner")]),
        ("rust", "mod inner { fn f() {} }", []),
        ("java", "package a.b;\nimport a.c.D;\nimport static a.c.D.of;\nimport a.e.*;", [
            ("a.b", "", ""), ("a.c", "D", "D"), ("a.c.D", "of", "of"), ("a.e", "*", "")]),
        ("kotlin", "package a.b\nimport a.c.D as E\n", [("a.b", "", ""), ("a.c", "D", "E")]),
        ("scala", "package a.b\nimport a.{C, D => E}\n", [("a.b", "", ""), ("a", "C", "C"), ("a", "D", "E")]),
        ("c_sharp", "using A.B;\nusing X = A.C.D;\nnamespace A.Own { class K {} }", [
            ("A.B", "*", ""), ("A.C", "D", "X"), ("A.Own", "", "")]),
        ("ruby", "require 'a/b'\nrequire_relative 'c'\nputs 'd'\n", [("a/b", "*", ""), ("./c", "*", "")]),
        ("php", "<?php\nnamespace A\\Own;\nuse B\\C;\nuse B\\{D, E as F};\nuse function B\\g;\n", [
            ("A\\Own", "", ""), ("B", "C", "C"), ("B", "D", "D"), ("B", "E", "F"), ("B", "g", "g")]),
        ("c", '#include "a/b.h"\n#include <stdio.h>\n', [("a/b.h", "*", ""), ("stdio.h", "*", "")]),
        ("cpp", '#include "a.hpp"\n', [("a.hpp", "*", "")]),
    ],
)  # fmt: skip
def test_other_languages(language: str, text: str, found: list[tuple[str, str, str]]) -> None:
    assert imports_in(language, text) == found


def test_a_language_without_an_import_reader_has_no_imports() -> None:
    assert imports_in("bash", "source ./a.sh\n") == []


def test_without_references_no_imports_are_read() -> None:
    assert outline_of(b"import os\n", "python").imports == ()
    assert outline_of(b"import os\n", "python", with_references=True).imports == (Import("os", "", "os"),)
