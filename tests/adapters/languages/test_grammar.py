"""Which language a file is in, and that every registered grammar and query loads."""

import subprocess
import sys
from importlib.resources import files

import pytest

from repomem.adapters.languages.grammar import LANGUAGES, language_of
from repomem.adapters.languages.parsers import definitions_query_of, has_grammar, parser_of, query_of

DEFINITION_KINDS = {
    *("class", "interface", "struct", "enum", "trait", "module", "type", "function", "method", "constructor"),
    *("property", "field", "constant", "variable", "macro", "section", "key", "selector"),
}
REFERENCE_KINDS = {"call", "class", "type", "import"}


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("stubs/b.pyi", "python"),
        ("B.PY", "python"),
        ("x.jsx", "javascript"),
        ("x.mjs", "javascript"),
        ("x.cts", "typescript"),
        ("types.d.ts", "typescript"),
        ("x.tsx", "tsx"),
        ("include/uv.h", "cpp"),
        ("include/fmt.hpp", "cpp"),
        ("x.cxx", "cpp"),
        ("x.cs", "c_sharp"),
        ("deep/Rakefile", "ruby"),
        ("Gemfile", "ruby"),
        ("x.gemspec", "ruby"),
        ("build.sbt", "scala"),
        ("build.gradle.kts", "kotlin"),
        ("mix.exs", "elixir"),
        ("tsconfig.jsonc", "json"),
        ("Cargo.lock", "toml"),
        (".bashrc", "bash"),
        ("x.yml", "yaml"),
        ("src/shop.ml", "ocaml"),
        ("src/shop.mli", "ocaml_interface"),
        ("lib/Shop.pm", "perl"),
        ("t/basic.t", "perl"),
        ("View.mm", "objc"),
        ("main.tf", "hcl"),
        ("deep/Makefile", "make"),
        ("GNUmakefile", "make"),
        ("rules.mk", "make"),
        ("App.svelte", "svelte"),
        ("README", ""),
        ("archive.tar.gz", ""),
        (".py", ""),
        ("x.rb/notes", ""),
        ("", ""),
    ],
)
def test_the_language_follows_from_the_path(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("first_line", "language"),
    [
        ("#!/bin/sh", "bash"),
        ("#! /usr/bin/bash -eu\n", "bash"),
        ("#!/usr/bin/env python3.11", "python"),
        ("#!/usr/bin/env -S LANG=C node --trace", "javascript"),
        ("#!/usr/local/bin/ruby", "ruby"),
        ("#!/usr/bin/env perl", "perl"),
        ("#!/usr/bin/make -f", "make"),
        ("#!/usr/bin/env awk", ""),
        ("#!", ""),
        ("python", ""),
        ("", ""),
    ],
)
def test_a_shebang_determines_the_language_of_a_file_without_extension(first_line: str, language: str) -> None:
    assert language_of("bin/tool", first_line) == language


def test_an_extension_outranks_a_shebang() -> None:
    assert language_of("tool.py", "#!/bin/sh") == "python"


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("a.m", "", "objc"),
        ("a.m", '#import "A.h"', "objc"),
        ("a.m", "// A view.", "objc"),
        ("a.m", "function y = f(x)", ""),
        ("a.m", "% Says it.", ""),
        ("a.m", "## Copyright", ""),
        ("a.pl", "use strict;", "perl"),
        ("a.pl", ":- module(a, [b/1]).", ""),
    ],
)
def test_the_first_line_distinguishes_languages_with_one_extension(path: str, first_line: str, language: str) -> None:
    assert language_of(path, first_line) == language


def test_no_two_languages_claim_the_same_files() -> None:
    for claims in ("extensions", "file_names", "interpreters"):
        claimed = [claim for grammar in LANGUAGES.values() for claim in getattr(grammar, claims)]
        assert sorted(set(claimed)) == sorted(claimed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_registered_grammar_parses(language: str) -> None:
    assert has_grammar(language)
    assert parser_of(language).parse(b"").root_node.end_byte == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_query_compiles_and_gives_kinds_of_the_contract(language: str) -> None:
    query = query_of(language)

    assert query is not None
    captures = [query.capture_name(i).split(".") for i in range(query.capture_count)]
    assert {parts[1] for parts in captures if parts[0] == "definition"} <= DEFINITION_KINDS
    assert {parts[1] for parts in captures if parts[0] == "reference"} <= REFERENCE_KINDS
    assert ["name"] in captures


def test_a_query_is_compiled_once_and_apart_from_that_for_definitions() -> None:
    assert query_of("python") is query_of("python")
    assert definitions_query_of("python") is definitions_query_of("python")
    assert query_of("python") is not definitions_query_of("python")


def test_every_query_file_belongs_to_a_language() -> None:
    named = {name for grammar in LANGUAGES.values() for name in grammar.query_files or (grammar.name,)}

    queries = files("repomem.adapters.languages") / "queries"
    wanted = {f"{name}.scm" for name in named}
    assert {path.name for path in queries.iterdir()} == {*wanted, "locals"}
    assert {path.name for path in (queries / "locals").iterdir()} <= wanted


def test_an_unknown_language_has_no_grammar() -> None:
    assert not has_grammar("cobol")
    assert not has_grammar("")


def test_a_grammar_is_imported_only_when_a_file_needs_it() -> None:
    program = (
        "import sys; from repomem.adapters.languages.grammar import language_of;"
        "from repomem.adapters.languages.parsers import parser_of;"
        "language_of('x.go'); parser_of('rust');"
        "print(sorted(name for name in sys.modules if name.startswith('tree_sitter_') and '.' not in name))"
    )

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "['tree_sitter_rust']"
