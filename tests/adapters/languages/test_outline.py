"""The outline of the main languages: whole samples against their golden outline, then rule by rule."""

from pathlib import Path

import pytest

from repomem.adapters.languages.outline import MAX_DEPTH, MAX_SIGNATURE, outline_of
from repomem.core.types.code import Definition, Outline

SAMPLES = Path(__file__).parents[3] / "fixtures" / "languages"
MAIN_LANGUAGES = (
    "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "c_sharp", "ruby", "php", "bash",
)  # fmt: skip


def sample_of(language: str) -> bytes:
    (sample,) = (SAMPLES / language).glob("sample.*")
    return sample.read_bytes()


def rendered(outline: Outline) -> str:
    """One line for each definition (lines, kind, name, qualified), then one for each reference."""
    lines = [f"{d.start_line}-{d.end_line} {d.kind} | {d.name} | {d.qualified}" for d in outline.definitions]
    lines += [f"{reference.line} -> {reference.kind} {reference.name}" for reference in outline.references]
    return "\n".join(lines) + "\n"


def definitions_in(language: str, text: str) -> tuple[Definition, ...]:
    return outline_of(text.encode(), language).definitions


def kinds_in(language: str, text: str) -> list[tuple[str, str]]:
    return [(definition.kind, definition.qualified) for definition in definitions_in(language, text)]


def spans_in(language: str, text: str) -> list[tuple[str, int, int]]:
    return [(each.qualified, each.start_line, each.end_line) for each in definitions_in(language, text)]


@pytest.mark.parametrize("language", MAIN_LANGUAGES)
def test_a_sample_has_its_golden_outline(language: str) -> None:
    golden = (SAMPLES / language / "outline.txt").read_text(encoding="utf-8")

    outline = outline_of(sample_of(language), language, with_references=True)

    assert rendered(outline) == golden
    assert not outline.is_broken


@pytest.mark.parametrize("language", MAIN_LANGUAGES)
def test_definitions_are_the_same_without_references(language: str) -> None:
    with_references = outline_of(sample_of(language), language, with_references=True)

    assert outline_of(sample_of(language), language) == Outline(with_references.definitions, (), is_broken=False)


@pytest.mark.parametrize("language", MAIN_LANGUAGES)
def test_spans_in_bytes_and_lines_agree(language: str) -> None:
    data = sample_of(language)

    for definition in outline_of(data, language).definitions:
        assert definition.start_line == data[: definition.start_byte].count(b"\n") + 1
        assert definition.end_line == data[: definition.end_byte - 1].count(b"\n") + 1
        assert definition.name in data[definition.start_byte : definition.end_byte].decode()
        assert definition.qualified.endswith(definition.name)


@pytest.mark.parametrize("language", MAIN_LANGUAGES)
def test_an_empty_file_has_an_empty_outline(language: str) -> None:
    assert outline_of(b"", language, with_references=True) == Outline((), (), is_broken=False)


@pytest.mark.parametrize("language", MAIN_LANGUAGES)
def test_a_file_cut_in_half_gives_what_could_be_read(language: str) -> None:
    data = sample_of(language)

    outline = outline_of(data[: len(data) // 2] + b"\n((({{{", language, with_references=True)

    assert outline.is_broken
    assert len(outline.definitions) + len(outline.references) > 2


@pytest.mark.parametrize("language", MAIN_LANGUAGES)
def test_bytes_that_are_no_text_do_not_raise(language: str) -> None:
    outline_of(bytes(range(256)) * 8, language, with_references=True)


@pytest.mark.parametrize(
    ("language", "qualified", "docstring"),
    [
        ("python", "Basket", "Holds items."),
        ("python", "Basket.total", "The sum of all."),
        ("python", "plain", "Gives nothing. In two lines."),
        ("javascript", "add", "Adds two numbers."),
        ("typescript", "Source", "What can be read."),
        ("go", "Store", "Store keeps things."),
        ("go", "Red", "Red is one."),
        ("go", "Basket.Get", ""),  # a pragma is no documentation
        ("rust", "Point", "A point in the plane."),
        ("rust", "Point.new", "Makes one."),
        ("java", "Basket", "A basket with Item items."),
        ("java", "Basket.total", "Gives the sum."),
        ("c", "add", "Adds two numbers."),
        ("cpp", "shop.stock.Basket", "A basket."),
        ("c_sharp", "Shop.Stock.Basket", "A basket of Item."),
        ("ruby", "Shop.Basket", "A basket. With items."),
        ("ruby", "Shop.Basket.build", ""),
        ("php", "Basket.total", "Gives the sum."),
        ("bash", "greet", "Greets someone."),
    ],
)
def test_documentation_is_the_first_paragraph_without_its_markers(
    language: str, qualified: str, docstring: str
) -> None:
    definitions = outline_of(sample_of(language), language).definitions

    assert [each.docstring for each in definitions if each.qualified == qualified] == [docstring]


@pytest.mark.parametrize(
    ("language", "qualified", "signature"),
    [
        ("python", "Basket", "@register @dataclass(frozen=True) class Basket(Base, abc.ABC)"),
        ("python", "Basket.Entry.load", "async def load( self, path: str, ) -> dict"),
        ("python", "plain", 'def plain(a, b="#")'),
        ("javascript", "Cart", "export default class Cart extends Base"),
        ("tsx", "Hello", "export const Hello = ({ name }: Props) =>"),
        ("go", "Basket.Get", "func (b *Basket[T]) Get(id string) (*Item, error)"),
        ("rust", "Point.new", "#[inline] pub fn new(x: T) -> Self"),
        ("java", "Basket.total", "@Override public int total()"),
        ("c", "add", "static inline int add(int a, int b)"),
        ("cpp", "shop.stock.largest", "template <typename T> T largest(T a, T b)"),
        ("c_sharp", "Shop.Stock.Basket.Find", "[Obsolete] public static T Find(string id, Item item)"),
        ("ruby", "Shop.Basket", "class Basket < Base"),
        ("php", "Basket", "#[Marker] final class Basket extends Base implements Store"),
        ("bash", "leave", "function leave"),
    ],
)
def test_a_signature_runs_from_the_start_to_the_body(language: str, qualified: str, signature: str) -> None:
    definitions = outline_of(sample_of(language), language).definitions

    assert [each.signature for each in definitions if each.qualified == qualified] == [signature]


@pytest.mark.parametrize(
    ("made", "qualified"),
    [
        ("made = Class.new(Base) do", "RequestTest.made.initialize"),
        ("@made = Class.new do", "RequestTest.@made.initialize"),
        ("Made = Struct.new(:a) do", "RequestTest.Made.initialize"),
        ("Class.new(Base) do", "RequestTest.Class.initialize"),
        ("self.made ||= Module.new do", "RequestTest.Module.initialize"),
        ("made = Other.new do", "RequestTest.initialize"),
    ],
)
def test_a_class_made_by_a_call_owns_the_methods_of_its_block(made: str, qualified: str) -> None:
    text = f"class RequestTest\n  {made}\n    def initialize(*)\n    end\n  end\n  def other; end\nend\n"
    names = [name for kind, name in kinds_in("ruby", text) if kind in {"constructor", "method"}]
    assert names == [qualified, "RequestTest.other"]


def test_a_long_signature_is_cut() -> None:
    (definition,) = definitions_in("python", f"TABLE = [{'1, ' * 1000}]\n")

    assert definition.signature.startswith("TABLE = [1, 1,")
    assert len(definition.signature) <= MAX_SIGNATURE


def test_decorators_that_hide_the_name_are_no_part_of_the_signature() -> None:
    (short,) = definitions_in("python", "@property\ndef name(self): pass\n")
    (long,) = definitions_in("python", f"@parametrize({'1, ' * 40})\ndef param(case): pass\n")

    assert short.signature == "@property def name(self)"
    assert (long.signature, long.start_line) == ("def param(case)", 1)


def test_a_span_starts_at_decorators_attributes_and_export() -> None:
    assert spans_in("python", "@a\n@b(\n  1\n)\ndef f():\n  pass\n") == [("f", 1, 6)]
    assert spans_in("rust", "struct A;\n\n#[a]\n#[b(\n  c\n)]\nfn f() {}\n") == [("A", 1, 1), ("f", 3, 7)]
    assert spans_in("typescript", "@a()\nexport class A {\n  @b()\n  f() {}\n}\n") == [("A", 1, 5), ("A.f", 3, 4)]
    assert spans_in("cpp", "template <class T>\nvoid f(T x) {\n}\n") == [("f", 1, 3)]
    assert spans_in("java", "class A {\n  @B\n  int f() {\n  }\n}\n") == [("A", 1, 5), ("A.f", 2, 4)]


def test_a_comment_apart_from_the_definition_is_not_its_documentation() -> None:
    (definition,) = definitions_in("go", "package a\n\n// A licence.\n\nfunc F() {}\n")

    assert definition.docstring == ""


def test_a_long_comment_is_read_from_its_start() -> None:
    text = "/// Matches text.\n///\n" + "/// It explains\n/// itself at length.\n" * 200 + "pub struct Nfa;\n"
    [definition] = outline_of(text.encode(), "rust").definitions
    assert definition.docstring == "Matches text."


def test_a_comment_after_other_code_is_not_documentation() -> None:
    names = definitions_in("c", "int a = 1; /* of a */\nint b = 2;\n")

    assert [each.docstring for each in names] == ["", ""]


def test_a_function_is_a_method_only_in_a_type() -> None:
    assert kinds_in("python", "class A:\n  def f(self):\n    def g(): pass\n") == [
        ("class", "A"),
        ("method", "A.f"),
        ("function", "A.f.g"),
    ]
    assert kinds_in("cpp", "namespace n { void f() {} }") == [("module", "n"), ("function", "n.f")]
    assert kinds_in("ruby", "def f; end\nclass A\n  def f; end\nend\n") == [
        ("function", "f"),
        ("class", "A"),
        ("method", "A.f"),
    ]


def test_a_constructor_is_known_by_its_name() -> None:
    assert kinds_in("cpp", "n::A::A() {}\nn::A::~A() {}\nint n::A::b() { return 1; }") == [
        ("constructor", "n.A.A"),
        ("method", "n.A.~A"),
        ("method", "n.A.b"),
    ]
    assert kinds_in("python", "def __init__(): pass") == [("function", "__init__")]


def test_operators_of_cpp_keep_their_angle_brackets() -> None:
    text = "bool A<B<int>>::operator<(const A& b) { return true; }\nA& A<int>::operator[](int i) { return *this; }"

    assert [each.name for each in definitions_in("cpp", text)] == ["operator<", "operator[]"]
    assert [each.qualified for each in definitions_in("cpp", text)] == ["A.operator<", "A.operator[]"]


def test_impl_blocks_qualify_without_defining() -> None:
    text = "impl<'a> fmt::Display for a::Point<'a> { fn f() {} }\nimpl From<u8> for &Shape { fn g() {} }"

    assert kinds_in("rust", text) == [("method", "Point.f"), ("method", "Shape.g")]


def test_names_of_one_statement_do_not_enclose_each_other() -> None:
    assert kinds_in("java", "class A { int x, y; }") == [("class", "A"), ("field", "A.x"), ("field", "A.y")]
    assert kinds_in("c", "typedef struct a { int b; } a, *a_p;") == [("struct", "a"), ("type", "a_p")]


def test_prototypes_count_even_where_macros_break_the_tree() -> None:
    text = '#ifdef __cplusplus\nextern "C" {\n#endif\nAPI int uv_open(int a);\nAPI char* uv_name(void);\n'

    assert kinds_in("c", text) == [("function", "uv_open"), ("function", "uv_name")]


def test_a_prototype_in_a_function_is_local() -> None:
    assert kinds_in("c", "int f(void) { int g(void); return g(); }") == [("function", "f")]


def test_a_module_that_only_holds_another_is_no_definition() -> None:
    text = "const fs = require('fs')\nconst app = express()\nlet helper\nfunction f() { const x = 1 }\n"

    assert kinds_in("javascript", text) == [("variable", "app"), ("function", "f")]


def test_blocks_of_tests_are_no_definitions() -> None:
    assert kinds_in("javascript", "describe('a', () => {\n  it('b', function () {})\n})\n") == []


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_a_class_that_is_assigned_is_a_class(language: str) -> None:
    text = "module.exports = class App { run() {} }\nlib.Reply = class { end() {} }\n"
    assert kinds_in(language, text) == [
        ("class", "App"), ("method", "App.run"), ("class", "lib.Reply"), ("method", "lib.Reply.end")
    ]  # fmt: skip


def test_what_an_assignment_to_exports_names_is_a_definition() -> None:
    text = "exports.a = function () {}\nmodule.exports = function b() {}\nA.prototype.c = () => {}\n"

    assert kinds_in("javascript", text) == [("function", "a"), ("function", "b"), ("function", "A.c")]
    assert kinds_in("javascript", "module.exports = () => {}") == []


@pytest.mark.parametrize(
    ("text", "qualified"),
    [
        ("module.exports = class App extends Emitter { use() {} }", "App"),
        ("exports = module.exports = class App { use() {} }", "App"),
        ("exports.App = class { use() {} }", "App"),
        ("module.exports.App = class Other { use() {} }", "App"),
        ("core.App = class { use() {} }", "core.App"),
        ("var App = class { use() {} }", "App"),
        ("App = class Other { use() {} }", "App"),
        ("f({ App: class { use() {} } })", "App"),
        ("export default class App { use() {} }", "App"),
    ],
)
@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_a_class_that_is_assigned_or_exported_is_a_class(language: str, text: str, qualified: str) -> None:
    assert kinds_in(language, text) == [("class", qualified), ("method", f"{qualified}.use")]


def test_a_class_that_typescript_assigns_to_its_export_is_a_class() -> None:
    assert kinds_in("typescript", "export = class App { use() {} }") == [("class", "App"), ("method", "App.use")]


def test_a_name_of_broken_bytes_is_replaced() -> None:
    outline = outline_of("def f\udcff(): pass".encode("utf-8", "surrogateescape"), "python")

    assert outline.is_broken


def test_line_ends_of_windows_do_not_reach_names_or_docstrings() -> None:
    (definition,) = definitions_in("go", "package a\r\n\r\n// Says\r\n// it.\r\nfunc F(\r\n\ta int,\r\n) {\r\n}\r\n")

    assert definition.docstring == "Says it."
    assert definition.signature == "func F( a int, )"
    assert (definition.start_line, definition.end_line) == (5, 8)


def test_nesting_is_cut_at_its_depth() -> None:
    text = "".join(f"{'  ' * level}def f{level}():\n" for level in range(150)) + "  " * 150 + "pass\n"

    assert len(definitions_in("python", text)) == MAX_DEPTH


# A pattern that gathers siblings is tried from each of them: one such for HTML took minutes for this page.
def test_many_paragraphs_are_parsed_fast() -> None:
    page = "<div>" + "<p>x <b>y</b> z</p>\n" * 3000 + "<h1 id='z'>A <i>title</i></h1></div>"

    assert kinds_in("html", page) == [("section", "A title")]


def test_deep_parentheses_do_not_crash() -> None:
    outline = outline_of(b"x = " + b"(" * 50_000 + b")" * 50_000, "python", with_references=True)

    assert outline.definitions == ()


def test_the_name_of_a_definition_is_no_reference() -> None:
    references = outline_of(b"class A { B c(D e) { return f(); } }", "java", with_references=True).references

    assert {reference.name for reference in references} == {"B", "D", "f"}


@pytest.mark.parametrize("language", MAIN_LANGUAGES)
def test_qualified_names_of_a_sample_repeat_only_overloads(language: str) -> None:
    qualified = [definition.qualified for definition in outline_of(sample_of(language), language).definitions]
    repeated = {name for name in qualified if qualified.count(name) > 1}

    declared_and_defined = {"over", "shop.stock.Basket.Basket", "shop.stock.Basket.operator=="}
    assert repeated <= declared_and_defined


OPEN = """static int a(int x)
{
  if (x > 2) {
    x--;
  return 0;
}

static int b(void)
{
  return 2;
}
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_function_that_the_tree_leaves_open_does_not_contain_the_next(language: str) -> None:
    found = outline_of(OPEN.encode(), language).definitions
    assert [one.qualified for one in found if one.kind == "function"] == ["a", "b"]
    assert [one.end_line for one in found] == [6, 11]


UNBALANCED = """namespace store {

class Limiter : public Base {
 public:
  bool Acquire(int x) {
#ifdef NDEBUG
#ifdef FAST
    x--;
#endif
    if (x > 1) {
#else
    if (x > 2) {
#endif
      x--;
    }
    return x;
  }
};

class Other final : public Base {
 public:
  Status Read(size_t n) override {
    return 1;
  }
};

int lock(int fd) {
  return fd;
}

}  // namespace store
"""


def test_a_type_that_the_tree_leaves_open_does_not_contain_the_next() -> None:
    found = outline_of(UNBALANCED.encode(), "cpp").definitions

    assert [(each.kind, each.qualified, each.start_line, each.end_line) for each in found] == [
        ("class", "Limiter", 3, 18),
        ("method", "Limiter.Acquire", 5, 18),
        ("class", "Other", 20, 25),
        ("method", "Other.Read", 22, 24),
        ("function", "lock", 27, 29),
    ]


def test_items_within_a_macro_of_rust_are_definitions() -> None:
    text = """cfg_net! {
    /// Sends.
    pub fn send() {}
}
impl Pool {
    cfg_net! { pub fn post(&self) { send() } }
}
choose! { a => b }
fn main() { run! { fn inner() {} } }
"""
    assert kinds_in("rust", text) == [("function", "send"), ("method", "Pool.post"), ("function", "main")]
    outline = outline_of(text.encode(), "rust", with_references=True)
    assert not outline.is_broken
    assert [(each.name, each.line) for each in outline.references if each.name == "send"] == [("send", 6)]
    assert outline.definitions[0].docstring == "Sends."


def test_attributes_of_a_class_that_hold_a_function_or_a_descriptor_are_fields_in_python() -> None:
    text = "class Note(Base):\n    title = Text(50)\n    size = property(get)\n    __repr__ = __str__\n    count = 0\n"
    assert kinds_in("python", text) == [
        ("class", "Note"),
        ("field", "Note.title"),
        ("field", "Note.size"),
        ("field", "Note.__repr__"),
    ]
