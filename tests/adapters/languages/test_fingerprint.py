"""What a print leaves alone and what it does not, language by language; then the rules that hold for all of them."""

from pathlib import Path
from textwrap import dedent

import pytest

from repomem.adapters.languages.fingerprint import MAX_BYTES, prints_of
from repomem.adapters.languages.grammar import LANGUAGES
from repomem.adapters.languages.outline import outline_of
from repomem.core.types.code import SymbolPrint

SAMPLES = Path(__file__).parents[3] / "fixtures" / "languages"


def code(text: str) -> bytes:
    return dedent(text).lstrip("\n").encode()


def prints_in(language: str, text: str) -> dict[str, str]:
    return {each.qualified: each.print for each in prints_of(code(text), language)}


def print_of(language: str, text: str) -> str:
    """The print of the outermost definition that comes first."""
    _, first, *_ = prints_of(code(text), language)
    assert first.tokens > 0
    return first.print


SAME = {
    "python: white space": ("def f(a, b):\n    return a + b\n", "def f( a,b ) :\n\n  return a+b # sum\n"),
    "python: comments, docstring": (
        "def f(a):\n    g(a)\n    return a\n",
        'def f(a):\n    """Give a.\n\n    It is a.\n    """\n    # first\n    g(a)  # g\n    "note"\n    return a\n',
    ),
    "python: annotations": (
        "def f(a, b=1, *c, **d):\n    x = 1\n    return x\n",
        "def f(a: int, b: int = 1, *c: int, **d: str) -> list[int]:\n    x: int = 1\n    y: str\n    return x\n",
    ),
    "python: declarations of what a method sets": (
        "class A(B):\n    def f(self):\n        self.x = self.y = 1\n",
        "class A(B):\n    x: int\n    y: int\n\n    def f(self) -> None:\n        self.x = self.y = 1\n",
    ),
    "python: type parameters": ("def f(a):\n    return a\n", "def f[T: int](a: T) -> T:\n    return a\n"),
    "python: decorators for type checkers": (
        "class A:\n    x = 1\n",
        "@typing.final\nclass A:\n    x: int = 1\n",
    ),
    "python: casts for type checkers": (
        "def f(a):\n    b = g(a)\n    return b.c(a)\n",
        'def f(a):\n    b = t.cast("B[C]", g(a))  # of a\n    return t.cast(B, b).c(typing.cast(int | None, a))\n',
    ),
    "python: an imported cast": (
        "def f(a):\n    return a\n",
        "from typing import (\n    Any,\n    cast,\n)\n\ndef f(a):\n    return cast(list[Any], a)\n",
    ),
    "python: quotes": (
        "def f():\n    return 'it\\'s \"x\"', u'y', R'z'\n",
        'def f():\n    return "it\'s \\"x\\"", "y", r"""z"""\n',
    ),
    "python: trailing commas, brackets": (
        "def f(a, b):\n    if a and b:\n        for x, y in a: g(x, y)\n    return a, (b + 1)\n",
        """
        def f(
            a,
            b,
        ):
            if (
                a
                and b
            ):
                for (x, y) in (a):
                    g(
                        x,
                        y,
                    )
            return (a, b + 1)
        """,
    ),
    "python: line continuation": ("def f():\n    return a + b\n", "def f():\n    return a \\\n        + b\n"),
    "python: numbers": ("def f():\n    return 0XFF, 1E5, 1_000\n", "def f():\n    return 0xff, 1e5, 1000\n"),
    "python: its name": ("def f(n):\n    return f(n - 1)\n", "def g(n):\n    return g(n - 1)\n"),
    "python: its name, not that of others": (
        "class A:\n    def get(self):\n        return self.d.get(1)\n",
        "class A:\n    def fetch(self):\n        return self.d.get(1)\n",
    ),
    "python: pass": ("def f():\n    pass\n", 'def f():\n    """Nothing."""\n'),
    "javascript: formatted": (
        "function f(a) { if (a) return 'x'; const g = x => { return x }; return [1,2] }",
        """
        // gives it
        export default function f(
          a,
        ) {
          if (a) {
            return "x";
          }
          const g = (x) => {
            return x;
          };
          return [
            1,
            2,
          ];
        }
        """,
    ),
    "javascript: keys": ("const f = () => ({'a': 1, b: 0XF})", 'const f = () => ({ a: 1, "b": 0xf, });\n'),
    "javascript: markup": (
        "const f = () => <div className='x'>hi {a}</div>",
        "const f = () => (\n  <div className=\"x\">\n    hi{' '}\n    {a}\n  </div>\n);\n",
    ),
    "javascript: declarations": (
        "module.exports = function f(a) { var b = 1; for (var c of a) { g(b) } }",
        "export default function f(a) { const b = 1; for (let c of a) { g(b) } }",
    ),
    "javascript: new": ("function f() { return new A }", "function f() {\n  return new A();\n}\n"),
    "typescript: types": (
        "function f(a, b, ...c) { let x = a; return g(x); }",
        """
        export function f<T extends B>(a: string, b?: number, ...c: any[]): Promise<T> {
          let x: string = a as string;
          return g<T>(x!) satisfies T;
        }
        """,
    ),
    "typescript: class": (
        "class A extends B { x = 1; async m() { return 1 } }",
        """
        export abstract class A<T> extends B<T> implements C {
          private readonly x: number = 1;
          protected async m(this: A): Promise<void> { return 1; }
        }
        """,
    ),
    "typescript: types of types": ("type T = 'a' | 'b'", "export type T =\n  | 'a'\n  | \"b\";\n"),
    "go: formatted": (
        "package p\nfunc (s *S) F(a int) error { return s.g(a, 1) }\n",
        "package q\n\n// F does.\nfunc (s *S) F(a int) error {\n\treturn s.g(\n\t\ta,\n\t\t1,\n\t) // g\n}\n",
    ),
    "go: its name": ("func F(a int) int { return F(a) }\n", "func G(a int) int { return G(a) }\n"),
    "rust: formatted": (
        "fn f(a: i32) -> i32 { match a { 1 => { 2 } _ => vec![1, 2] } }",
        """
        /// Gives it.
        #[inline]
        #[cfg(feature = "x")]
        pub(crate) fn f(
            a: i32,
        ) -> i32 {
            match a {
                1 => 2, // one
                _ => vec![
                    1,
                    2,
                ],
            }
        }
        """,
    ),
    "java: annotations and modifiers": (
        "class A { int m(int a) { if (a > 1) return a; return 0; } }",
        """
        /** A. */
        @Service("x")
        public final class A {
            @Override
            public int m(final @Nullable int a) {
                if (a > 1) {
                    return (a);
                }
                return 0;
            }
        }
        """,
    ),
    "c: formatted": (
        "static int f(int a, char *b) { if (a) return 0XFF; return g(a, b); }",
        "/* f */\nstatic int\nf(int a,\n  char* b)\n{\n  if (a) {\n    return 0xff;\n  }\n  return (g(a, b));\n}\n",
    ),
    "cpp: formatted": (
        "template <class T> T f(T a) { for (auto x : a) g(x); return a; }",
        "template <class T>\n[[nodiscard]] T f(T a)\n{\n  for (auto x : a) {\n    g(x);  // x\n  }\n  return a;\n}\n",
    ),
    "c_sharp: attributes and modifiers": (
        "class A { int x = 1; int M(int a) { if (a > 1) return 1; return x; } }",
        """
        /// <summary>A</summary>
        [Serializable]
        public sealed class A
        {
            [Field] private readonly int x = 1;

            [Pure]
            public int M([In] int a)
            {
                if (a > 1)
                {
                    return 1;
                }
                return x;
            }
        }
        """,
    ),
    "ruby: formatted": (
        "def f(a, b = 1)\n  if a then g 'x', b end\n  a.each { |x| h(x) }\n  k()\nend\n",
        """
        # Gives it.
        def f a, b = 1
          if a
            g("x", b)
          end
          a.each do |x|
            h x
          end
          k
        end
        """,
    ),
    "php: types and attributes": (
        "<?php\nfunction f($a, $b = 'x') { if ($a) return array(1, 2); foreach ($a as $x) g($x); }\n",
        """
        <?php
        /** Gives it. */
        #[Pure]
        function f(?int $a, string|int $b = "x"): ?array
        {
            if ($a) {
                return [1, 2,];
            }
            foreach ($a as $x) {
                g($x); // each
            }
        }
        """,
    ),
    "php: methods": (
        "<?php\nclass A { var $x = 1; }\n",
        "<?php\nfinal class A\n{\n    var int $x = 1;\n\n    private function g(): void\n    {\n    }\n}\n",
    ),
    "kotlin: formatted": (
        "fun f(a: Int): Int { if (a > 1) return 1 else g(a); return 2 }",
        """
        /** f */
        @Test
        private fun f(
            a: Int,
        ): Int {
            if (a > 1) {
                return 1
            } else {
                g(a) // g
            }
            return 2
        }
        """,
    ),
    "swift: formatted": (
        "func f(_ a: Int) -> Int { if a > 1 { return 1 }; return g(a) }",
        """
        /// f
        @objc public func f(
            _ a: Int
        ) -> Int {
            if (a > 1) {
                return 1
            }
            return g(a);
        }
        """,
    ),
    "scala: formatted": (
        "def f(a: Int): Int = { if (a > 1) 1 else { g(a) } }",
        "/** f */\n@inline private def f(\n    a: Int\n): Int =\n  if (a > 1) { 1 }\n  else g(a) // g\n",
    ),
    "bash: formatted": (
        'f() { local x="a $y"; if [ "$x" = b ]; then echo hi; fi; }\n',
        '# f\nfunction f() {\n  local x="a $y" # x\n  if [ "$x" = b ]\n  then\n    echo hi\n  fi\n}\n',
    ),
    "elixir: documented": (
        'defmodule A do\n  @x 1\n  def f(a) do\n    g(a, "x")\n  end\nend\n',
        """
        defmodule A do
          @moduledoc "A"
          @x 1
          @doc \"\"\"
          f
          \"\"\"
          @spec f(integer) :: integer
          def f(a), do: a
        end
        """,
    ),
    "lua: formatted": (
        "local function f(a) local x = 'a'; if a then return (x) end g'y' g{1,} end",
        '-- f\nlocal function f(a)\n  local x = "a"\n  if a then\n    return x\n  end\n  g("y")\n  g({ 1 })\nend\n',
    ),
    "ocaml: formatted": (
        'let f a b = if a then g a else h "x" b',
        '(** f *)\nlet f a b =\n  if a then g a (* g *)\n  else\n    h "x" b\n',
    ),
    "julia: formatted": (
        "function f(a, b)\n    if a; g(a, 1E5) end\n    return b\nend\n",
        '"""f"""\nfunction f(\n    a,\n    b,\n)\n    if a\n        g(a, 1e5) # g\n    end\n    return b\nend\n',
    ),
    "perl: formatted": (
        "sub f { my ($a) = @_; if ($a) { g($a, 'x') } return $a; }\n",
        """
        # f
        sub f {
            my ($a) = @_;

            if ($a) {
                g($a, 'x',);    # g
            }
            return $a;
        }
        """,
    ),
    "objc: formatted": (
        '@implementation A\n- (int)f:(int)a { if (a) return [self g:a to:@"x"]; return 0; }\n@end\n',
        """
        /** A. */
        @implementation A
        /// f
        - (int)f:(int)a
        {
            if (a) {
                return [self g:a
                            to:@"x"];
            }
            return 0;
        }
        @end
        """,
    ),
    "sql: formatted": (
        "CREATE VIEW v AS SELECT a, b FROM t WHERE a = 'x';\n",
        "-- v\nCREATE VIEW v AS\nSELECT\n  a,\n  b\nFROM t -- t\nWHERE a = 'x';\n",
    ),
    "hcl: formatted": (
        'resource "a" "b" {\n  c = [1, 2]\n  de = f("x")\n}\n',
        '# b\nresource "a" "b" {\n  c  = [\n    1,\n    2,\n  ]\n  de = f("x") # f\n}\n',
    ),
    "make: formatted": ("a: b c\n\tg x\n", "# a\na:  b  c\n\tg x\n"),
    "svelte: formatted": (
        "<script>\nfunction f(a) { return a + 1 }\n</script>\n",
        "<script>\n  function f( a ) {\n    return a + 1\n  }\n</script>\n",
    ),
    "markdown: wrapped": (
        "# T\none two three\n- a *b*\n\n| a | b |\n|---|---|\n",
        "T\n=\n\none two\nthree <!-- four -->\n\n* a _b_\n\n| a   | b   |\n| --- | --- |\n",
    ),
    "markdown: its title": ("# One\ntext\n", "## Two words\n\ntext\n"),
}


@pytest.mark.parametrize("name", SAME)
def test_a_change_of_looks_leaves_the_print_alone(name: str) -> None:
    language = name.partition(":")[0]
    before, after = SAME[name]

    assert print_of(language, before) == print_of(language, after)


def last_print(language: str, text: str) -> str:
    return prints_of(text.encode(), language)[-1].print


BASE = {
    "python": "def f(a, b=1):\n    if a:\n        g(a)\n        h(b)\n    return a + b, 'x'\n",
    "javascript": "function f(a, b = 1) { if (a) { g(a); h(b); } return [a + b, 'x']; }",
    "typescript": "function f(a: A, b = 1): B { if (a) { g(a); h(b); } return [a + b, 'x']; }",
    "go": 'func f(a, b int) (int, string) { if a > 0 { g(a); h(b) }; return a + b + 1, "x" }',
    "rust": 'fn f(a: i32, b: i32) -> (i32, &str) { if a > 0 { g(a); h(b); } (a + b + 1, "x") }',
    "java": 'class A { int f(int a, int b) { if (a > 0) { g(a); h(b); } return k(a + b + 1, "x"); } }',
    "c": 'int f(int a, int b) { if (a) { g(a); h(b); } return k(a + b + 1, "x"); }',
    "cpp": 'int f(int a, int b) { if (a) { g(a); h(b); } return k(a + b + 1, "x"); }',
    "c_sharp": 'class A { int F(int a, int b) { if (a > 0) { g(a); h(b); } return k(a + b + 1, "x"); } }',
    "ruby": "def f(a, b = 1)\n  if a\n    g(a)\n    h(b)\n  end\n  [a + b, 'x']\nend\n",
    "php": "<?php\nfunction f($a, $b = 1) { if ($a) { g($a); h($b); } return [$a + $b, 'x']; }\n",
    "kotlin": 'fun f(a: Int, b: Int = 1): Any { if (a > 0) { g(a); h(b) }; return k(a + b, "x") }',
    "swift": 'func f(a: Int, b: Int = 1) -> Any { if a > 0 { g(a); h(b) }; return k(a + b, "x") }',
    "scala": 'def f(a: Int, b: Int = 1): Any = { if (a > 0) { g(a); h(b) }; k(a + b, "x") }',
    "bash": 'f() { if [ "$a" -gt 1 ]; then g a; h b; fi; k "$a" + "x"; }',
    "elixir": 'def f(a, b) do\n  if a do\n    g(a)\n    h(b)\n  end\n  {a + b, 1, "x"}\nend\n',
    "lua": "local function f(a, b) if a then g(a) h(b) end return a + b, 1, 'x' end",
    "julia": 'function f(a, b)\n    if a\n        g(a)\n        h(b)\n    end\n    return a + b, 1, "x"\nend\n',
    "objc": '@implementation A\n- (int)f:(int)a { if (a) { g(a); h(b); } return k(a + b + 1, @"x"); }\n@end\n',
    "ocaml": 'let f a b = if a then begin g (a); h (b) end; (a + b, 1, "x")',
    "perl": "sub f { if ($a) { g($a); h($b); } return ($a + $b, 1, 'x'); }\n",
    "svelte": "<script>\nfunction f(a, b) { if (a) { g(a); h(b); } return k(a + b + 1, 'x'); }\n</script>\n",
}
EDITS = {
    "operator": ("+", "-"),
    "constant": ("1", "2"),
    "string": ("x", "y"),
    "argument": ("g(a)", "g(b)"),
    "callee": ("g(a)", "gg(a)"),
}
CALL = {"bash": "g a", "ocaml": "g (a)", "perl": "g($a)", "php": "g($a)"}  # where it is not g(a)


def with_last_replaced(text: str, old: str, new: str) -> str:
    before, found, after = text.rpartition(old)
    assert found
    return before + new + after


@pytest.mark.parametrize("language", BASE)
@pytest.mark.parametrize("edit", EDITS)
def test_a_change_of_behaviour_changes_the_fingerprint(language: str, edit: str) -> None:
    old, new = EDITS[edit]
    if old == "g(a)" and language in CALL:
        old = CALL[language]
        new = old.replace("g", "gg") if edit == "callee" else old.replace("a", "b")

    changed = with_last_replaced(BASE[language], old, new)

    assert last_print(language, changed) != last_print(language, BASE[language])


@pytest.mark.parametrize("language", BASE)
def test_the_order_of_statements_is_part_of_the_print(language: str) -> None:
    first = CALL.get(language, "g(a)")
    second = first.replace("g", "h").replace("a", "b")
    changed = BASE[language].replace(first, "?").replace(second, first).replace("?", second)

    assert last_print(language, changed) != last_print(language, BASE[language])


OTHER = {
    "python: a statement leaves its block": (
        "def f(a):\n    if a:\n        g()\n        h()\n",
        "def f(a):\n    if a:\n        g()\n    h()\n",
    ),
    "python: the last statement leaves its block": (
        "def f(a):\n    for x in a:\n        if x:\n            g()\n    h()\n",
        "def f(a):\n    for x in a:\n        if x:\n            g()\n        h()\n",
    ),
    "python: brackets that bind": ("def f(a):\n    return (a + 1) * 2\n", "def f(a):\n    return a + 1 * 2\n"),
    "python: a tuple of one": ("def f(a):\n    return (a)\n", "def f(a):\n    return (a,)\n"),
    "python: a call": ("def f(a):\n    return a\n", "def f(a):\n    return a()\n"),
    "python: a name for a string": ("def f(a):\n    return a\n", "def f(a):\n    return 'a'\n"),
    "python: a raw string": ("def f():\n    return '\\n'\n", "def f():\n    return r'\\n'\n"),
    "python: white space in a string": ("def f():\n    return 'a b'\n", "def f():\n    return 'a  b'\n"),
    "python: a default": ("def f(a=1):\n    pass\n", "def f(a):\n    pass\n"),
    "python: a decorator": ("def f(a):\n    pass\n", "@cache\ndef f(a):\n    pass\n"),
    "python: async": ("def f(a):\n    pass\n", "async def f(a):\n    pass\n"),
    "python: a base": ("class A(B):\n    x = 1\n", "class A(C):\n    x = 1\n"),
    "python: a field of a data class": (
        "@dataclass\nclass A:\n    x: int\n",
        "@dataclass\nclass A:\n    x: int\n    y: int\n",
    ),
    "python: a field that a base makes": ("class A(B):\n    x: int\n", "class A(B):\n    x: int\n    y: int\n"),
    "python: a function within a function": (
        "def f():\n    def g():\n        return 1\n    return g\n",
        "def f():\n    def g():\n        return 2\n    return g\n",
    ),
    "python: a cast of a query": (
        "from sqlalchemy import cast\n\ndef f(a):\n    return a\n",
        "from sqlalchemy import cast\n\ndef f(a):\n    return cast(a, a)\n",
    ),
    "python: a cast of a model": ("def f(a):\n    return a\n", "def f(a):\n    return a.cast(b, a)\n"),
    "python: the value of a cast": ("def f(a):\n    return t.cast(A, a)\n", "def f(a):\n    return t.cast(A, a.b)\n"),
    "javascript: what an arrow gives": ("const f = (a) => { g(a) }", "const f = (a) => g(a)"),
    "javascript: a bound name": ("function f(a) { return b }", "function f(b) { return b }"),
    "typescript: a type of a type": ("interface I { a: string }", "interface I { a: number }"),
    "typescript: a signature": ("interface I { a(): string }", "interface I { a(): string; b(): string }"),
    "go: a type": ("func F(a int) {}", "func F(a int64) {}"),
    "rust: the value of a block": ("fn f(a: A) -> B { g(a) }", "fn f(a: A) -> B { g(a); }"),
    "rust: how many": ("fn f() { g([0; 3]) }", "fn f() { g([0, 3]) }"),
    "java: static": ("class A { static int x = 1; }", "class A { int x = 1; }"),
    "c: a pointer": ("int f(int *a) { return *a; }", "int f(int *a) { return a; }"),
    "ruby: a symbol": ("def f\n  g(:a)\nend\n", "def f\n  g(a)\nend\n"),
    "ruby: an escape": ("def f\n  '\\n'\nend\n", 'def f\n  "\\n"\nend\n'),
    "php: a value": ("<?php\nfunction f($a) { return 'n'; }\n", "<?php\nfunction f($a) { return $n; }\n"),
    "bash: quotes": ("f() { g $a; }\n", 'f() { g "$a"; }\n'),
    "elixir: a clause": (
        "def f(1), do: 1\ndef f(a), do: a\n",
        "def f(1), do: 1\ndef f(2), do: 2\ndef f(a), do: a\n",
    ),
    "perl: white space in a string": ('sub f { return "a b" }\n', 'sub f { return "a  b" }\n'),
    "hcl: white space in a string": ('a "b" {\n  c = "d e"\n}\n', 'a "b" {\n  c = "d  e"\n}\n'),
    "markdown: a word": ("# T\none two\n", "# T\none three\n"),
}


@pytest.mark.parametrize("name", OTHER)
def test_code_that_only_looks_alike_has_another_fingerprint(name: str) -> None:
    language = name.partition(":")[0]
    before, after = OTHER[name]

    assert print_of(language, before) != print_of(language, after)


def test_a_method_that_changes_leaves_its_class_alone() -> None:
    before = prints_in("python", "class A:\n    x = 1\n\n    def f(self):\n        return 1\n")
    after = prints_in("python", "class A:\n    x = 1\n\n    def f(self):\n        return 2\n\n    def g(self): pass\n")

    assert before["A"] == after["A"]
    assert before["A.f"] != after["A.f"]


def test_a_field_that_changes_changes_its_class() -> None:
    before = prints_in("java", "class A { int x = 1; int f() { return 1; } }")
    after = prints_in("java", "class A { int x = 2; int f() { return 1; } }")

    assert before["A"] != after["A"]
    assert before["A.f"] == after["A.f"]


def test_a_section_has_no_part_in_the_one_around_it() -> None:
    before = prints_in("markdown", "# A\none\n## B\ntwo\n# C\nthree\n")
    after = prints_in("markdown", "# A\none\n## B\nother\n# C\nthree\n")

    assert [name for name in before if before[name] != after[name]] == ["", "A.B"]


@pytest.mark.parametrize(
    ("language", "definition", "place"),
    [
        ("python", "def f(a):\n    return a\n", "import x\n\n\nclass A:\n    def f(a):\n        return a\n"),
        ("javascript", "function f(a) { return a }", "{ function f(a) { return a } }\nconst b = 1\n"),
        ("java", "class A { int f() { return 1; } }", "package p;\nclass B { class A { int f() { return 1; } } }"),
    ],
)
def test_a_definition_takes_its_print_with_it(language: str, definition: str, place: str) -> None:
    name = prints_of(definition.encode(), language)[1].qualified

    moved = prints_in(language, place)

    assert prints_in(language, definition)[name] in moved.values()


def test_a_definition_alone_in_its_file_has_the_print_that_it_has_among_others() -> None:
    alone = prints_in("python", "def f(a):\n    return a")
    among = prints_in("python", "x = 1\ndef f(a):\n    return a\ny = 1\n")

    assert alone["f"] == among["f"]


def test_definitions_of_one_name_have_an_entry_each() -> None:
    source = "if x:\n    def f(): return 1\nelse:\n    def f(): return 2\n"

    _, first, second = prints_of(source.encode(), "python")

    assert (first.qualified, first.start_line) == ("f", 2)
    assert (second.qualified, second.start_line) == ("f", 4)
    assert first.print != second.print


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_file_comes_first_and_definitions_in_order(language: str) -> None:
    (sample,) = (SAMPLES / language).glob("sample.*")
    data = sample.read_bytes()

    whole, *definitions = prints_of(data, language)

    assert (whole.qualified, whole.kind, whole.start_line) == ("", "file", 1)
    assert whole.end_line == data.count(b"\n") + (not data.endswith(b"\n"))
    assert [each.start_line for each in definitions] == sorted(each.start_line for each in definitions)
    assert all(len(each.print) == 16 and each.tokens >= 0 for each in definitions)
    assert len(definitions) == len(outline_of(data, language).definitions)


@pytest.mark.parametrize("language", ["python", "go", "java", "rust", "c", "typescript"])
def test_a_sample_indented_deeper_or_without_empty_lines_keeps_its_prints(language: str) -> None:
    (sample,) = (SAMPLES / language).glob("sample.*")
    text = sample.read_text(encoding="utf-8")
    dense = "\n".join(line.rstrip() for line in text.splitlines() if line.strip())

    assert [each.print for each in prints_of(dense.encode(), language)] == [
        each.print for each in prints_of(text.encode(), language)
    ]


def test_a_broken_file_has_the_prints_that_could_be_read() -> None:
    whole = prints_in("python", "def f(a):\n    return a\n")
    broken = prints_in("python", "def f(a):\n    return a\n\n\ndef g(:\n    x = = 1\n")

    assert broken["f"] == whole["f"]


def test_the_way_that_lines_end_is_no_part_of_the_print() -> None:
    source = 'def f(a):\n    """F."""\n    return """a\nb"""\n'

    assert prints_in("python", source) == prints_in("python", source.replace("\n", "\r\n"))


def test_without_a_grammar_the_year_of_a_copyright_is_no_part_of_the_print() -> None:
    old, new = "%% Copyright (c) 2011-2017, Ada\n%% Free.\n-module(till).\n", "%% Free.\n-module(till).\n"
    prints = {prints_of(text.encode(), "")[0].print for text in (old, old.replace("-2017", "-2026"), new)}
    assert len(prints) == 1
    licence = "Copyright (c) 2017 Ada\n\nPermission is granted.\n"
    assert prints_in("", licence) != prints_in("", licence.replace("2017", "2018"))


def test_without_a_grammar_the_lines_are_hashed() -> None:
    before = prints_of(b"a  b\n\n  c\n", "")
    after = prints_of(b"a b\nc\n", "")

    assert before == (SymbolPrint("", "file", 1, 3, after[0].print, 2),)
    assert prints_of(b"a b\nd\n", "")[0].print != after[0].print


def test_a_file_too_large_has_the_entry_of_the_file_only() -> None:
    source = b"def f(a):\n    return a\n" * (MAX_BYTES // 20)

    (whole,) = prints_of(source, "python")

    assert whole.kind == "file"


def test_an_empty_file_has_an_entry() -> None:
    (whole,) = prints_of(b"", "python")

    assert (whole.start_line, whole.end_line, whole.tokens) == (1, 1, 0)


@pytest.mark.parametrize("language", ["python", "javascript", "c", "rust", "lua", "json"])
def test_brackets_nested_as_deep_as_a_file_is_long_are_read(language: str) -> None:
    source = b"x = " + b"[" * 60_000 + b"]" * 60_000 + b"\n"

    assert prints_of(source, language)[0].kind == "file"


ACCESSORS = {
    "python": "class Cart:\n    @property\n    def total(self):\n        return self.sum\n\n"
    "    @total.setter\n    def total(self, value):\n        self.sum = value\n        self.is_set = True\n",
    "javascript": "module.exports = {\n  get total () { return this.sum },\n\n"
    "  set total (value) { this.sum = value; this.isSet = true },\n};\n",
    "dart": "class Cart {\n  int get total => this.sum;\n  set total(int value) { this.sum = value; isSet = 1; }\n}\n",
}


@pytest.mark.parametrize("language", ACCESSORS)
def test_a_property_with_several_accessors_has_a_print_that_each_of_them_changes(language: str) -> None:
    text = ACCESSORS[language]

    def whole(edited: str) -> tuple[str, int, int]:
        named = [one for one in prints_of(code(edited), language) if one.qualified.endswith("total")]
        assert len(named) == 3
        largest = max(named, key=lambda one: one.tokens)
        assert largest is named[0]
        return largest.print, largest.start_line, largest.end_line

    getter_changed = text.replace("return self.sum", "return self.sum * 2").replace(
        "return this.sum", "return this.sum * 2"
    )
    getter_changed = getter_changed.replace("=> this.sum", "=> this.sum * 2")
    assert getter_changed != text
    prints = {whole(each)[0] for each in (text, getter_changed, text.replace("= value", "= -value"))}
    assert len(prints) == 3
    start, end = whole(text)[1:]
    assert end > start


def test_two_getters_of_one_name_are_no_property() -> None:
    text = "const a = { get total () { return 1 } };\nif (b) { a = { get total () { return 2 } } }\n"
    names = [one.qualified for one in prints_of(code(text + text), "javascript")]
    assert names.count("a.total") == 2
