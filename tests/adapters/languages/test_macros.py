"""Macros that annotate C and C++: the outline of code that they hide from the grammar."""

import pytest

from repomem.adapters.languages.macros import hidden_in
from repomem.adapters.languages.outline import outline_of
from repomem.core.types.code import Definition


def definitions_in(text: str, language: str = "cpp") -> tuple[Definition, ...]:
    return outline_of(text.encode(), language).definitions


def kinds_in(text: str, language: str = "cpp") -> list[tuple[str, str]]:
    return [(each.kind, each.qualified) for each in definitions_in(text, language)]


@pytest.mark.parametrize(
    "head",
    [
        "class FOO_EXPORT DB {",
        "struct FOO_API DB : Base {",
        "class ABSL_ATTRIBUTE(x) DB final {",
        'class FOO_EXPORT FOO_DEPRECATED("use (b)") DB : public Base<A, B>, private C {',
        "class\nFOO_EXPORT\nDB\n{",
        "template <class T>\nclass FOO_EXPORT DB<T> {",
    ],
)
def test_members_of_an_exported_type_belong_to_it(head: str) -> None:
    outline = outline_of(f"{head}\n public:\n  DB();\n  int get(int key);\n}};\n".encode(), "cpp")

    kind = "struct" if "struct" in head else "class"
    assert [(each.kind, each.qualified) for each in outline.definitions] == [
        (kind, "DB"),
        ("constructor", "DB.DB"),
        ("method", "DB.get"),
    ]
    assert not outline.is_broken
    assert outline.definitions[0].start_byte == 0


@pytest.mark.parametrize(
    "head",
    [
        "class pipe_t FOO_FINAL : public Base {",
        "struct FOO_API pipe_t FOO_FINAL\n    : public Base<A, B>,\n      private C\n{",
        "class pipe_t FOO_FINAL {",
    ],
)
def test_a_macro_after_the_name_of_a_type_hides_nothing(head: str) -> None:
    members = (
        " public:\n  int get() const;\n  bool put(int key, int (*done)(int)) FOO_OVERRIDE;\n  ~pipe_t() FOO_DEFAULT;\n"
    )
    outline = outline_of(f"namespace n {{\n{head}\n{members}}};\n}}\n".encode(), "cpp")

    assert [each.qualified for each in outline.definitions] == [
        "n",
        "n.pipe_t",
        "n.pipe_t.get",
        "n.pipe_t.put",
        "n.pipe_t.~pipe_t",
    ]
    assert not outline.is_broken


def test_a_cast_or_a_comparison_before_a_constant_stays() -> None:
    lines = ("if (g(a)) RETRY;", "else if (h(a)) STOP;", "b = (long)(a) == LIMIT;", "return (long) LIMIT;")
    assert not hidden_in("\n  ".join(("int f(int a)\n{", *lines, "}")).encode()).spans


@pytest.mark.parametrize("head", ["enum class FOO_API Color : int {", "enum FOO_API Color {"])
def test_an_exported_enum_has_its_constants(head: str) -> None:
    assert kinds_in(head + " kRed };\n") == [("enum", "Color"), ("constant", "Color.kRed")]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("FOO_EXPORT open_t* open_it(int a);\n", "cpp"),
        ("FOO_EXPORT const char*\nopen_it(int a);\n", "c"),
        ("FOO_EXPORT\nvoid open_it(int a);\n", "cpp"),
        ("FOO_WARN_UNUSED(1) static int open_it(int a) { return a; }\n", "c"),
        ("JNIEXPORT jint JNICALL open_it(int a) { return a; }\n", "c"),
        ("FOO_PUBLIC(cJSON *) open_it(const char *a);\n", "cpp"),
        ("FOO_INLINE(unsigned int) open_it(int a)\n{\n\treturn a;\n}\n", "c"),
        ("static int\nPRIV(open_it)(int a)\n{\n\treturn a;\n}\n", "c"),
        ("static int PRIV(open_it)(int a)\n{\n\treturn a;\n}\n", "c"),
        ("FOO_BEGIN_DECLS\n\n/* Opens. */\nFOO_API(int) open_it(int a);\n\nFOO_END_DECLS\n", "cpp"),
    ],
)
def test_a_function_with_macros_is_found_whole(text: str, language: str) -> None:
    text = f"/* Before. */\nint before;\n\n/** Opens it. */\n{text}"
    outline = outline_of(text.encode(), language)

    assert [(each.kind, each.name) for each in outline.definitions] == [("function", "open_it")]
    assert not outline.is_broken


def test_a_declaration_starts_at_its_macro() -> None:
    text = "int a;\n\n/** Opens it. */\nFOO_EXPORT\nint open_it(int a);\n\nFOO(char *) name_of(int a);\n"
    opened, named = definitions_in(text)

    assert (opened.start_line, opened.docstring, opened.signature) == (4, "Opens it.", "FOO_EXPORT int open_it(int a);")
    assert (named.start_line, named.signature) == (7, "FOO(char *) name_of(int a);")


def test_a_type_of_functions_behind_a_macro_has_its_own_name() -> None:
    assert kinds_in("typedef int FOO_CALLBACK(visit_fn)(void *data);\n") == [("type", "visit_fn")]
    assert kinds_in("typedef int visit_fn(void *data);\n", "c") == [("type", "visit_fn")]


def test_annotations_for_thread_safety_are_no_methods() -> None:
    text = (
        "class Pool {\n  void Lock() EXCLUSIVE_LOCK_FUNCTION() { lock(); }\n  int size() LOCKS_EXCLUDED(mu_);\n"
        "  int used_ ABSL_GUARDED_BY(mu_);\n};\n"
    )

    assert kinds_in(text) == [("class", "Pool"), ("method", "Pool.Lock"), ("method", "Pool.size")]


@pytest.mark.parametrize(
    "text",
    [
        "struct POINT origin = {1, 2};",
        "struct FLAGS { enum KIND kind : 3; };",
        "struct TIMEVAL now(void);",
        "UINT32 const x = 1;",
        "UINT32 static x = 1;",
        "DWORD last_error(void);",
        "void f(void) {\n    LIST_FOREACH(x) visit(x);\n    if (x)\n        CHECK_OK(y);\n}",
        "#define GUARDED_BY(x) THREAD_ATTRIBUTE(guarded_by(x))",
        "#define FOO_API __declspec(dllexport)\n#ifndef GUARDED_BY\n#endif",
        "TEST_CASE(7)\nvoid f(int a) {}",
        "#if A && \\\n  BBB\nint f(void);\n#endif",
    ],
)
def test_what_may_be_code_stays(text: str) -> None:
    assert hidden_in(f"{text}\n".encode()).spans == ()


def test_hidden_text_keeps_its_length_and_lines() -> None:
    text = b"class FOO_API\r\n  BAR_API(x)\r\nDB {};\r\n"
    seen = hidden_in(text).code

    assert seen == b"class        \r\n            \r\nDB {};\r\n"


def test_a_hidden_macro_is_still_used() -> None:
    references = outline_of(
        b"class FOO_API DB {};\n\nFOO_PUBLIC(int) f(void);\n", "cpp", with_references=True
    ).references

    assert [(each.name, each.kind, each.line) for each in references] == [
        ("FOO_API", "type", 1),
        ("FOO_PUBLIC", "call", 3),
    ]


def test_words_of_a_comment_are_no_macros() -> None:
    text = b"/*\nPROCUREMENT OF SUBSTITUTE GOODS (OR services)\n*/\nint a;\n"

    assert hidden_in(text).spans
    assert outline_of(text, "c", with_references=True).references == ()


BRANCHED = """namespace store {

class Limiter {
 public:
  Limiter(int most)
      :
#if !defined(NDEBUG)
        most_(most),
#endif  // !defined(NDEBUG)
        left_(most) {
    assert(most >= 0);
  }

  bool Acquire() { return true; }
};

}  // namespace store
"""


def test_branches_among_initializers_do_not_break_the_constructor() -> None:
    outline = outline_of(BRANCHED.encode(), "cpp")

    assert not outline.is_broken
    assert [(each.qualified, each.start_line, each.end_line) for each in outline.definitions] == [
        ("store", 1, 17),
        ("store.Limiter", 3, 15),
        ("store.Limiter.Limiter", 5, 12),
        ("store.Limiter.Acquire", 14, 14),
    ]


@pytest.mark.parametrize(
    "value",
    [
        "=\n#ifdef GZIP\n        self->wrap == 2 ? GZIP :\n#endif\n        INITIAL;",
        "=\n#if GZIP > 1\n        gzip_state();\n# else\n        initial_state();\n#endif",
        "= self->wrap &&\n#ifdef GZIP\n        is_gzip(self) &&\n#endif\n        is_open(self);",
        "= is_any(\n#ifdef GZIP\n        GZIP,\n#endif\n        INITIAL);",
        "=\n#ifdef GZIP\n        GZIP |\n#endif\n#ifdef ZSTD\n        ZSTD |\n#endif\n        INITIAL;",
        "= 1;\n#ifdef GZIP\n    if (is_gzip(self))\n        start(self);\n    else\n#endif\n        go(self);",
        "= 1;\n    if (a) b();\n#ifdef GZIP\n    else if (c) d();\n#endif\n    else e();",
        "= 1;\n#ifndef GZIP\n    if (is_plain(self))\n#endif\n        go(self);",
        "= 1;\n#ifdef GZIP\n    if (is_gzip(self)) {\n#else\n\n    if (is_plain()) {\n#endif\n        go(self);\n    }",
        "= 1;\n#if GZIP == 1\n    if (a(self)) {\n#elif GZIP == 2\n    if (b(self)) {\n\n#else\n    {\n#endif\n    }",
    ],
)
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_branches_within_a_statement_do_not_break_the_function(value: str, language: str) -> None:
    text = (
        f"int reset(struct it *self) {{\n    self->state {value}\n    return 0;\n}}\n\nint end(void) {{ return 1; }}\n"
    )
    outline = outline_of(text.encode(), language)
    assert not outline.is_broken
    assert [each.qualified for each in outline.definitions] == ["reset", "end"]


@pytest.mark.parametrize(
    "text",
    [
        "/* =====\n   ===== */\n#ifdef A\nint a(void) { return 1; }\n#else\nint b(void) { return 1; }\n#endif\n",
        "// A =\n#ifdef A\nint a(void) { return 1; }\n#else\nint b(void) { return 1; }\n#endif\n",
        '#ifdef __cplusplus\nextern "C" {\n#endif\nint a(void);\nint b(void);\n#ifdef __cplusplus\n}\n#endif\n',
        "#define OF(a) (\n#ifdef A\nint a(void) { return 1; }\n#else\nint b(void) { return 1; }\n#endif\n",
    ],
)
def test_branches_outside_of_statements_stay(text: str) -> None:
    assert not hidden_in(text.encode()).spans
    assert [name for _, name in kinds_in(text, "c") if name in {"a", "b"}] == ["a", "b"]


def test_a_branch_of_a_statement_with_branches_in_it_is_no_function() -> None:
    text = "int f(int e) {\n    if (e) {\n        g();\n    }\n#ifndef A\n    else if (e >= -T) {\n#ifdef B\n"
    text += "        h();\n#endif\n        k();\n    }\n#endif\n    return e;\n}\n"
    assert [name for _, name in kinds_in(text, "c")] == ["f"]


def test_of_two_heads_of_one_function_none_is_hidden() -> None:
    assert not hidden_in(b"#ifdef A\nint a(void) {\n#else\nint b(void) {\n#endif\n    return 1;\n}\n").spans


def lines_in(text: str) -> list[tuple[str, int, int]]:
    return [(each.qualified, each.start_line, each.end_line) for each in definitions_in(text)]


def test_a_function_ends_at_its_own_brace_where_macros_stand_for_try_and_catch() -> None:
    text = "void Pool::stop() {\n  FOO_TRY {\n    join();\n  }\n  FOO_CATCH_STD\n}\nvoid Pool::post() {\n  send();\n}\n"
    assert lines_in(text) == [("Pool.stop", 1, 6), ("Pool.post", 7, 9)]


def test_a_function_ends_at_its_own_brace_in_a_broken_tree() -> None:
    text = """void Pool::stop(){
    FOO_GUARD{if (auto p = lock()){
        p->stop();
}
else {
    fail("}");
}
}
FOO_LEAVE(here())
}

void Pool::post() { send(); }
"""
    assert lines_in(text) == [("Pool.stop", 1, 10), ("Pool.post", 12, 12)]


def test_a_constructor_out_of_its_class_may_begin_with_a_macro() -> None:
    text = "FOO_INLINE pool::pool(int n) : pool(n, [] {}) {}\nFOO_INLINE pool::~pool() { stop(); }\n"
    assert kinds_in(text) == [("constructor", "pool.pool"), ("method", "pool.~pool")]
    assert definitions_in(text)[1].signature == "FOO_INLINE pool::~pool()"


def test_a_macro_may_stand_between_type_and_name() -> None:
    text = "namespace a {\nvoid FOO_INLINE pool::post(int n) { send(n); }\n}\n"
    assert kinds_in(text) == [("module", "a"), ("method", "a.pool.post")]


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_test_has_the_names_that_its_macro_is_given(language: str) -> None:
    text = (
        "TEST_F(StackTest, Pops) {\n  pop();\n}\n\nTEST(Stack, Pushes)\n{\n  push();\n}\nFOO_FUNCTION(map) { go(); }\n"
    )
    assert kinds_in(text, language) == [
        ("function", "StackTest.Pops"),
        ("function", "Stack.Pushes"),
        ("function", "map"),
    ]
    assert [each.end_line for each in definitions_in(text, language)] == [3, 8, 9]


def test_a_test_with_a_title_is_named_by_it_unless_it_is_one_word() -> None:
    text = 'TEST_CASE("pops the last one", "[stack]") {\n  pop();\n}\n\nTEST_CASE("pushes") {\n  push();\n}\n'
    assert lines_in(text) == [("pops the last one", 1, 3)]


def test_a_constructor_in_capitals_is_no_macro() -> None:
    assert kinds_in("class URL { URL(Other) { go(); } };\n") == [("class", "URL"), ("constructor", "URL.URL")]


def test_the_last_constant_of_an_enum_is_no_macro() -> None:
    assert kinds_in("enum Color {\n  RED,\n  GREEN\n};\n")[1:] == [
        ("constant", "Color.RED"),
        ("constant", "Color.GREEN"),
    ]


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_group_that_a_macro_is_given_is_no_function(language: str) -> None:
    names = [each.name for each in definitions_in("TEST_SETUP(group) {\n  go();\n}\n", language)]
    assert "group" not in names


def test_a_macro_that_opens_a_block_within_a_function_is_no_type() -> None:
    text = "void fails(void)\n{\n    EXPECT_ABORT_BEGIN\n    check(1);\n    VERIFY_FAILS_END\n}\n\n"
    text += "void works(void)\n{\n    check(2);\n}\n"
    assert lines_in(text) == [("fails", 1, 6), ("works", 8, 11)]


def test_a_constructor_in_its_class_may_begin_with_a_macro() -> None:
    text = "class Style {\n public:\n  FOO_CONSTEXPR Style(int a = b()) noexcept\n      : ems(a), other() {}\n};\n"
    assert kinds_in(text) == [("class", "Style"), ("constructor", "Style.Style")]
