"""The outline of languages beside the main ones: whole samples against their golden outline, then rule by rule."""

from pathlib import Path

import pytest

from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.outline import outline_of
from repomem.core.types.code import Outline

LANGUAGES = Path(__file__).parents[3] / "fixtures" / "languages"
PROGRAMMING = (
    *("dart", "elixir", "haskell", "hcl", "julia", "kotlin", "lua", "make", "objc", "ocaml", "ocaml_interface", "perl"),
    *("scala", "sql", "swift", "zig"),
)
DATA_AND_TEXT = ("css", "html", "json", "markdown", "svelte", "toml", "yaml")


def rendered(outline: Outline) -> str:
    """One line for each definition (lines, kind, name, qualified), then one for each reference."""
    lines = [f"{d.start_line}-{d.end_line} {d.kind} | {d.name} | {d.qualified}" for d in outline.definitions]
    lines += [f"{reference.line} -> {reference.kind} {reference.name}" for reference in outline.references]
    return "\n".join(lines) + "\n"


def sample_of(language: str) -> bytes:
    (sample,) = (LANGUAGES / language).glob("sample.*")
    return sample.read_bytes()


def qualified_names(language: str, text: str) -> list[str]:
    return [definition.qualified for definition in outline_of(text.encode(), language).definitions]


def spans(language: str, text: str) -> list[tuple[str, int, int]]:
    outline = outline_of(text.encode(), language)
    return [(each.qualified, each.start_line, each.end_line) for each in outline.definitions]


def references(language: str, text: str) -> set[tuple[str, str]]:
    outline = outline_of(text.encode(), language, with_references=True)
    return {(reference.kind, reference.name) for reference in outline.references}


@pytest.mark.parametrize("language", [*PROGRAMMING, *DATA_AND_TEXT])
def test_a_sample_has_its_golden_outline(language: str) -> None:
    golden = (LANGUAGES / language / "outline.txt").read_text(encoding="utf-8")

    outline = outline_of(sample_of(language), language, with_references=True)

    assert rendered(outline) == golden
    assert not outline.is_broken


@pytest.mark.parametrize("language", [*PROGRAMMING, *DATA_AND_TEXT])
def test_byte_spans_and_line_spans_agree(language: str) -> None:
    data = sample_of(language)

    for definition in outline_of(data, language).definitions:
        assert definition.start_line == data[: definition.start_byte].count(b"\n") + 1
        assert definition.end_line == data[: definition.end_byte - 1].count(b"\n") + 1


@pytest.mark.parametrize("language", [*PROGRAMMING, *DATA_AND_TEXT])
def test_an_empty_file_has_no_definitions(language: str) -> None:
    assert outline_of(b"", language, with_references=True).definitions == ()


@pytest.mark.parametrize("language", PROGRAMMING)
def test_a_truncated_file_gives_its_readable_definitions(language: str) -> None:
    data = sample_of(language)

    outline = outline_of(data[: len(data) // 2] + b"\n((({{{", language, with_references=True)

    assert outline.is_broken
    assert len(outline.references) > 2


@pytest.mark.parametrize(
    ("language", "qualified", "docstring"),
    [
        ("dart", "Order.add", "Adds an item."),
        ("elixir", "Shop.Order", "An order and its items."),
        ("elixir", "Shop.Order.add", "Adds an item."),
        ("elixir", "Shop.Order.total", "The sum of all prices."),
        ("haskell", "total", "The sum of all prices."),
        ("hcl", "aws_instance.web", "What serves the shop."),
        ("julia", "Shop.LIMIT", "The most that a basket holds."),
        ("julia", "Shop.Item", "An item."),
        ("julia", "Shop.total", "Sums all prices."),
        ("kotlin", "Order.add", "Adds an item, unless the order is full."),
        ("lua", "M.add", "Adds an item."),
        ("make", "all", "Builds everything."),
        ("objc", "Store", "What can be stored."),
        ("objc", "Basket.initWithItems", "Makes one."),
        ("ocaml", "total", "Sums all prices."),
        ("ocaml", "more", "Goes on."),
        ("ocaml_interface", "total", "The sum of all prices."),
        ("perl", "Shop.Basket.new", "Makes one."),
        ("scala", "Order.add", "Adds an item."),
        ("sql", "shop.items", "What is for sale."),
        ("sql", "shop.open_orders", "Orders with what they hold."),
        ("svelte", "load", "Loads the items."),
        ("svelte", "add", "Adds an item."),
        ("swift", "View.send", "Calls every handler."),
        ("zig", "Item.discounted", "The price after a discount."),
    ],
)
def test_documentation_is_found_where_the_language_keeps_it(language: str, qualified: str, docstring: str) -> None:
    definitions = outline_of(sample_of(language), language).definitions

    assert [each.docstring for each in definitions if each.qualified == qualified] == [docstring]


@pytest.mark.parametrize(
    ("language", "qualified", "signature"),
    [
        ("dart", "Order.add", "bool add(Item item)"),
        ("elixir", "Shop.Order.total", "def total(order)"),
        ("haskell", "total", "total :: [Item] -> Price"),
        ("hcl", "aws_instance.web", 'resource "aws_instance" "web"'),
        ("julia", "Shop.add!", "function add!(basket::Basket, item::Item)::Basket"),
        ("julia", "Shop.Basket", "Base.@kwdef mutable struct Basket"),
        ("kotlin", "Order.add", "fun add(item: Item): Boolean"),
        ("lua", "M.add", "function M.add(order, item)"),
        ("make", "all", "all: $(OBJECTS) lib.a"),
        ("markdown", "Reference.Options", "Options"),
        ("objc", "Entry", "@interface Entry : Base <Store>"),
        ("objc", "Basket", "@implementation Basket"),
        ("objc", "Basket.shared", "+ (Basket *)shared"),
        ("ocaml", "more", "and more items"),
        ("ocaml", "Make", "module Make (S : STORE) : STORE"),
        ("ocaml_interface", "total", "val total : item list -> price"),
        ("perl", "Shop.Basket.new", "sub new"),
        ("scala", "Order.add", "def add(item: A): Boolean"),
        ("sql", "shop.total", "CREATE FUNCTION shop.total(order_id integer) RETURNS numeric"),
        ("svelte", "add", "function add(item: Item)"),
        ("swift", "View.send", "func send(_ event: Event)"),
        ("zig", "Item.discounted", "pub fn discounted(self: Item, percent: u64) u64"),
    ],
)
def test_a_signature_ends_before_the_body(language: str, qualified: str, signature: str) -> None:
    definitions = outline_of(sample_of(language), language).definitions

    assert [each.signature for each in definitions if each.qualified == qualified] == [signature]


def test_the_equations_of_a_haskell_function_are_one_definition() -> None:
    assert spans("haskell", "f :: Int -> Int\nf 0 = 1\nf n =\n  n\n\ng = f\n") == [("f", 1, 4), ("g", 6, 6)]


def test_equations_of_two_haskell_instances_stay_apart() -> None:
    text = "instance Show A where\n  show _ = a\ninstance Show B where\n  show _ = b\n"

    assert spans("haskell", text) == [("Show.show", 2, 2), ("Show.show", 4, 4)]


def test_clauses_of_two_elixir_implementations_stay_apart() -> None:
    text = "defimpl P, for: A do\n  def f(x), do: x\nend\ndefimpl P, for: B do\n  def f(x), do: x\nend\n"

    assert spans("elixir", text) == [("P", 1, 3), ("P.f", 2, 2), ("P", 4, 6), ("P.f", 5, 5)]


def test_an_elixir_constant_is_no_clause_of_the_function_below_it() -> None:
    text = "defmodule A do\n  @limit 3\n  def limit, do: @limit\nend\n"

    assert spans("elixir", text) == [("A", 1, 4), ("A.limit", 2, 2), ("A.limit", 3, 3)]


def test_notes_to_the_elixir_compiler_are_no_constants() -> None:
    assert qualified_names("elixir", "defmodule A do\n  @behaviour B\n  @impl true\n  def f, do: 1\nend\n") == [
        "A",
        "A.f",
    ]


# A pattern that takes any number of attributes is tried from each of them: one such took half a minute for this file.
def test_many_elixir_attributes_are_parsed_fast() -> None:
    text = "defmodule A do\n" + '  @doc "x"\n' * 3000 + "  def f, do: 1\nend\n"

    assert qualified_names("elixir", text) == ["A", "A.f"]


def test_an_elixir_definition_is_no_call_of_itself() -> None:
    assert references("elixir", "defmodule A do\n  def f(x), do: g(x)\nend\n") == {("call", "g")}


def test_a_haskell_name_keeps_its_prime() -> None:
    assert ("call", "foldl'") in references("haskell", "f = foldl' g 0\n")


def test_members_of_a_swift_extension_belong_to_its_type() -> None:
    assert qualified_names("swift", "extension Foo.Bar: Baz {\n  func twice() {}\n}\n") == ["Foo.Bar.twice"]


def test_every_case_of_one_swift_line_is_a_constant() -> None:
    assert qualified_names("swift", "enum E {\n  case a, b(Int)\n}\n") == ["E", "E.a", "E.b"]


def test_operators_are_functions() -> None:
    assert qualified_names("swift", "func <+> (a: Int, b: Int) -> Int { a }\n") == ["<+>"]
    assert qualified_names("haskell", "a <+> b = a\n") == ["<+>"]
    assert qualified_names("scala", "class A {\n  def ::(b: B) = b\n}\n") == ["A", "A.::"]
    assert qualified_names("dart", "class A {\n  A operator +(A b) => b;\n}\n") == ["A", "A.+"]


def test_a_scala_class_and_its_companion_are_two_definitions() -> None:
    outline = outline_of(b"class A\nobject A { def f = 1 }\n", "scala")

    assert [(each.qualified, each.kind) for each in outline.definitions] == [
        ("A", "class"),
        ("A", "module"),
        ("A.f", "method"),
    ]


def test_members_of_a_kotlin_companion_belong_to_the_class() -> None:
    text = "class A {\n    companion object {\n        fun of() = A()\n    }\n}\n"

    assert qualified_names("kotlin", text) == ["A", "A.of"]


def test_local_variables_are_no_definitions() -> None:
    assert qualified_names("kotlin", "fun f() {\n    val a = 1\n}\n") == ["f"]
    assert qualified_names("swift", "func f() {\n    let a = 1\n}\n") == ["f"]
    assert qualified_names("scala", "object A {\n  def f = {\n    val a = 1\n    a\n  }\n}\n") == ["A", "A.f"]
    assert qualified_names("dart", "void f() {\n  var a = 1;\n}\n") == ["f"]
    assert qualified_names("zig", "fn f() void {\n    const a = 1;\n}\n") == ["f"]
    assert qualified_names("lua", "function f()\n  local a = {}\nend\n") == ["f"]


def test_the_tables_in_front_of_a_lua_function_enclose_it() -> None:
    outline = outline_of(b"function M.a.b:c()\nend\n", "lua")

    assert [(each.name, each.qualified, each.kind) for each in outline.definitions] == [("c", "M.a.b.c", "method")]


def test_what_a_file_imports_is_no_definition_of_it() -> None:
    assert qualified_names("lua", 'local m = require("m")\n') == []
    assert qualified_names("zig", 'const std = @import("std");\nconst A = @import("a.zig").A;\n') == ["A"]
    assert ("import", "m") in references("lua", 'local m = require("m")\n')


def test_a_zig_constant_that_holds_a_type_is_that_type() -> None:
    outline = outline_of(b"const A = struct { x: u8 };\nconst B = enum { y };\nconst C = error{Full};\n", "zig")

    assert [(each.qualified, each.kind) for each in outline.definitions] == [
        ("A", "struct"),
        ("A.x", "field"),
        ("B", "enum"),
        ("B.y", "constant"),
        ("C", "type"),
    ]


def test_the_body_beside_a_dart_signature_belongs_to_the_function() -> None:
    assert spans("dart", "int f() {\n  return 1;\n}\n\nint g() =>\n    2;\n") == [("f", 1, 3), ("g", 5, 6)]


def test_a_section_reaches_to_the_next_heading_of_its_level_or_above() -> None:
    text = "# A\n## B\ntext\n### C\n## D\n# E\n"

    assert spans("markdown", text) == [("A", 1, 5), ("A.B", 2, 4), ("A.B.C", 4, 4), ("A.D", 5, 5), ("E", 6, 6)]


def test_headings_nest_whichever_way_they_are_written() -> None:
    assert spans("markdown", "A\n===\n\n### B\n\nC\n---\n") == [("A", 1, 7), ("A.B", 4, 5), ("A.C", 6, 7)]


def test_a_hash_in_a_code_block_is_no_heading() -> None:
    assert qualified_names("markdown", "# A\n\n```sh\n# B\n```\n\n    # C\n") == ["A"]


def test_closing_hashes_are_no_part_of_a_heading_but_those_of_a_name_are() -> None:
    assert qualified_names("markdown", "# A ##\n## C#\n") == ["A", "A.C#"]


def test_keys_below_the_second_level_are_no_definitions() -> None:
    expected = ["a", "a.b"]

    assert qualified_names("json", '{"a": {"b": {"c": 1}}}') == expected
    assert qualified_names("yaml", "a:\n  b:\n    c: 1\n") == expected
    assert qualified_names("toml", "[a]\nb = { c = 1 }\n") == expected


def test_a_key_with_a_dot_in_quotes_is_one_name() -> None:
    assert [each.name for each in outline_of(b'{"a.b": 1}', "json").definitions] == ["a.b"]
    assert [each.name for each in outline_of(b'"a.b" = 1\n', "toml").definitions] == ["a.b"]
    assert [each.name for each in outline_of(b'"a.b": 1\n', "yaml").definitions] == ["a.b"]


def test_every_toml_table_is_a_definition() -> None:
    assert qualified_names("toml", "[a.b.c]\nd = 1\n[[e]]\nf = 1\n") == ["a.b.c", "e", "e.f"]


def test_the_text_of_an_html_heading_is_read_through_its_markup() -> None:
    assert qualified_names("html", "<h2>The <b>big</b> one</h2>\n") == ["The big one"]


def test_css_rules_inside_of_a_media_query_are_found() -> None:
    assert qualified_names("css", "@media print {\n  .a,\n  .b { --gap: 1px; color: red }\n}\n") == [
        ".a, .b",
        ".a, .b.--gap",
    ]


def test_a_perl_package_reaches_to_the_next_or_to_the_end_of_its_block() -> None:
    assert spans("perl", "package A;\nsub f {}\npackage B;\nsub g {}\n") == [
        ("A", 1, 2),
        ("A.f", 2, 2),
        ("B", 3, 4),
        ("B.g", 4, 4),
    ]
    assert spans("perl", "package A {\n  sub f {}\n}\nsub g {}\n") == [("A", 1, 3), ("A.f", 2, 2), ("g", 4, 4)]


def test_pragmas_of_perl_are_no_imports() -> None:
    text = "use strict;\nuse 5.010;\nuse JSON;\nuse parent 'A';\nuse base qw(B);\n"

    assert references("perl", text) == {("import", "JSON"), ("class", "A"), ("class", "B")}


def test_definitions_of_one_ocaml_let_stand_side_by_side() -> None:
    text = "let rec f x =\n  g x\nand g x =\n  f x\ntype a = A\nand b = B\n"

    assert spans("ocaml", text) == [
        ("f", 1, 2),
        ("g", 3, 4),
        ("a", 5, 5),
        ("a.A", 5, 5),
        ("b", 6, 6),
        ("b.B", 6, 6),
    ]


def test_an_ocaml_function_is_told_from_a_constant() -> None:
    outline = outline_of(b"let a = 1\nlet b = fun x -> x\nlet c = function 1 -> 2\nlet d () = a\n", "ocaml")

    assert [each.kind for each in outline.definitions] == ["constant", "function", "function", "function"]


def test_a_julia_function_is_found_however_it_is_written() -> None:
    text = (
        "f(x) = x\nf(x::T) where {T} = x\nf(x)::Int = x\nfunction g(x)::Int where {T} where {S}\nend\n"
        "@inline k(x) = x\nx -> x\n"
    )

    assert qualified_names("julia", text) == ["f", "f", "f", "g", "k"]
    assert qualified_names("julia", "Base.h(x) = x\nfunction Base.h(x)\nend\n") == ["Base.h", "Base.h"]


def test_the_name_of_a_method_of_another_julia_module_is_no_call() -> None:
    assert references("julia", "Base.show(x) = f(x)\n") == {("call", "f")}


def test_members_of_an_objective_c_category_belong_to_its_class() -> None:
    text = "@interface A (B)\n- (void)f;\n@end\n@implementation A (B)\n- (void)f {\n}\n@end\n"

    assert qualified_names("objc", text) == ["A.f", "A.f"]


def test_a_message_is_called_by_the_first_part_of_its_selector() -> None:
    assert references("objc", "void f(void) { [A go:1 to:2]; }") == {("class", "A"), ("call", "go")}


def test_quotes_are_no_part_of_a_name_in_sql() -> None:
    assert qualified_names("sql", 'CREATE TABLE "public"."users" ("id" int);\n') == ["public.users", "public.users.id"]
    assert qualified_names("sql", "CREATE TABLE `users` (`id` int);\n") == ["users", "users.id"]


def test_a_dialect_of_sql_that_is_not_known_leaves_the_rest_to_be_read() -> None:
    text = (
        "CREATE PACKAGE p IS PROCEDURE q; END;\n/\nGO\nCREATE TABLE a (b int);\n"
        "CREATE FUNCTION f() RETURNS trigger AS $$\nBEGIN\n  IF NEW.a THEN RETURN NEW; END IF;\nEND;\n"
        "$$ LANGUAGE plpgsql;\nCREATE VIEW v AS SELECT 1;\n"
    )

    assert [name for name in qualified_names("sql", text) if name in {"a", "a.b", "f", "v"}] == ["a", "a.b", "f", "v"]


def test_what_hcl_refers_to_is_called_by_the_name_of_its_block() -> None:
    text = "x = [var.a, local.b, module.c.d, data.e.f.g, aws_vpc.h.id, each.key, path.module, i(1)]\n"

    assert references("hcl", text) == {
        ("type", "a"),
        ("type", "b"),
        ("type", "c"),
        ("class", "f"),
        ("class", "h"),
        ("call", "i"),
    }


def test_a_block_of_hcl_within_another_is_no_definition() -> None:
    text = 'resource "a" "b" {\n  dynamic "c" {\n    x = 1\n  }\n}\n'

    assert qualified_names("hcl", text) == ["a.b"]


def test_special_targets_and_variables_of_make_are_no_definitions() -> None:
    text = ".PHONY: a\n.SUFFIXES:\nX = 1\na b: c\n\techo\nb: Y = 2\n"

    assert qualified_names("make", text) == ["a", "b"]
    assert references("make", text) == {("call", "c")}


# What make cannot read becomes the targets of one rule: the text of all was looked at once for each word of it.
def test_many_make_targets_are_parsed_fast() -> None:
    assert qualified_names("make", "a b c d " * 5_000 + ": e\n") == ["a", "b", "c"]


def test_every_script_of_a_svelte_file_is_read_where_it_stands() -> None:
    text = "<p>x</p>\n<script>\nfunction f() {}\n</script>\n<p id='p'>\n</p>\n<script>\nfunction g() {}\n</script>\n"

    assert spans("svelte", text) == [("f", 3, 3), ("p", 5, 6), ("g", 8, 8)]


def test_a_broken_script_breaks_its_svelte_file() -> None:
    outline = outline_of(b"<script>\nfunction f() {}\nfunction (\n</script>\n", "svelte")

    assert outline.is_broken
    assert [each.name for each in outline.definitions] == ["f"]


def test_a_header_of_cpp_is_read_as_such() -> None:
    source = b"namespace fmt {\ntemplate <typename T> class arg_store {\n public:\n  int size() const;\n};\n}\n"
    names = [each.name for each in outline_of(source, language_of("include/fmt/args.h")).definitions]
    assert {"arg_store", "size"} <= set(names)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "yaml",
            "jobs:\n  a:\n    x: 1\n    # Of a.\n\n  # Of b.\n  b:\n    run: |\n      # No comment.\n\n# Of z.\nz: 1\n",
            [("jobs", 1, 9), ("jobs.a", 2, 4), ("jobs.b", 7, 9), ("z", 12, 12)],
        ),
        ("toml", "[a]\nx = 1\n\n# Of b.\n[b]\ny = 2\n", [("a", 1, 2), ("a.x", 2, 2), ("b", 5, 6), ("b.y", 6, 6)]),
        (
            "scala",
            "object A:\n  def a =\n    1\n\n  // Of b.\n  def b =\n    2\n",
            [("A", 1, 7), ("A.a", 2, 3), ("A.b", 6, 7)],
        ),
    ],
)
def test_a_block_ends_before_the_comment_on_the_next_one(
    language: str, text: str, expected: list[tuple[str, int, int]]
) -> None:
    assert spans(language, text) == expected


def test_branches_that_open_a_block_each_do_not_put_later_functions_into_one_with_macros() -> None:
    text = """int send(int a) {
#define FLUSH() a = 0
  for (;;) {
    if (a == 0) {
      int bit;
#ifdef MSVC
      if (scan(&bit, a)) {
#else
      if (a != 0) {
        bit = 8;
#endif
        a = bit;
      }
    }
    FLUSH();
  }
  return a;
}

int shut(int a) {
  return a;
}
"""
    assert spans("c", text) == [("send", 1, 18), ("send.FLUSH", 2, 2), ("shut", 20, 22)]


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("elixir", 'defmodule A do\n  test "keeps the params" do\n    :ok\n  end\nend\n', "A.keeps the params"),
        ("c", "TEST_IMPL(ip_name) {\n  return 0;\n}\n", "ip_name"),
    ],
)
def test_a_test_goes_by_its_title(language: str, text: str, name: str) -> None:
    assert name in qualified_names(language, text)


def test_a_call_of_test_without_a_block_is_no_test() -> None:
    assert qualified_names("elixir", 'defmodule A do\n  test("a b", context)\nend\n') == ["A"]


def test_a_function_that_a_broken_tree_puts_around_a_type_is_none() -> None:
    source = (
        b"template <typename T> struct Depot {\n  }\n  CONSTEVAL INLINE Depot(const T& kept) : kept_(kept) {\n"
        b"    use(kept);\n  }\n};\n\nstruct Crate {\n  int row() { return 1; }\n};\n"
    )
    names = [one.qualified for one in outline_of(source, "cpp").definitions]
    assert names == ["Depot", "Crate", "Crate.row"]
