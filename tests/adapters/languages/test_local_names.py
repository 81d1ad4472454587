"""Fingerprints without local names: what a function's variables and its type are called has no effect."""

import pytest

from repomem.adapters.languages.fingerprint import prints_of
from repomem.core.types.code import SymbolPrint

RENAMED = {
    "python": (
        "def price(order, rate=1):\n    weight = order.kg()\n    return f(weight, [q for q in weight])\n",
        "def price(sent, cost=1):\n    mass = sent.kg()\n    return f(mass, [z for z in mass])\n",
    ),
    "go": (
        "func (e *Engine) Run(addr string) error {\n\tx, err := e.open(addr)\n\treturn x.close(err)\n}\n",
        "func (r *Router) Run(address string) error {\n\tc, failed := r.open(address)\n\treturn c.close(failed)\n}\n",
    ),
    "typescript": (
        "function p(order: O, rate = 1) {\n const w = order.kg();\n return {k: w * rate};\n}\n",
        "function p(sent: O, cost = 1) {\n const m = sent.kg();\n return {k: m * cost};\n}\n",
    ),
    "javascript": (
        "function p(order, rate = 1) {\n const w = order.kg();\n return w.map(x => x * rate);\n}\n",
        "function p(sent, cost = 1) {\n const m = sent.kg();\n return m.map(y => y * cost);\n}\n",
    ),
    "tsx": (
        "const p = (a) => {\n const w = a.kg();\n return w;\n}\n",
        "const p = (b) => {\n const m = b.kg();\n return m;\n}\n",
    ),
    "rust": (
        "fn p(order: &O) -> f64 {\n let mut w = order.kg();\n for i in w { g(i); }\n w * 2.0\n}\n",
        "fn p(sent: &O) -> f64 {\n let mut m = sent.kg();\n for k in m { g(k); }\n m * 2.0\n}\n",
    ),
    "java": (
        "class A { int p(O order) { int w = order.kg(); for (S s : w) f(s); return w; } }\n",
        "class A { int p(O sent) { int m = sent.kg(); for (S t : m) f(t); return m; } }\n",
    ),
    "c": (
        "int p(struct o *order) { int w = order->kg, z[3]; return w + z[0]; }\n",
        "int p(struct o *sent) { int m = sent->kg, y[3]; return m + y[0]; }\n",
    ),
    "cpp": (
        "int p(const O &order) { auto w = order.kg(); for (auto x : w) f(x); return w; }\n",
        "int p(const O &sent) { auto m = sent.kg(); for (auto y : m) f(y); return m; }\n",
    ),
    "c_sharp": (
        "class A { int P(O order) { var w = order.Kg(); foreach (var x in w) F(x); return w; } }\n",
        "class A { int P(O sent) { var m = sent.Kg(); foreach (var y in m) F(y); return m; } }\n",
    ),
    "ruby": (
        "def p(order)\n  w = order.kg\n  w.each { |x| f(x) }\nend\n",
        "def p(sent)\n  m = sent.kg\n  m.each { |y| f(y) }\nend\n",
    ),
    "php": (
        "<?php function p($order) { $w = $order->kg(); foreach ($w as $x) { f($x); } return $w; }\n",
        "<?php function p($sent) { $m = $sent->kg(); foreach ($m as $y) { f($y); } return $m; }\n",
    ),
    "kotlin": (
        "fun p(order: O): Int {\n  val w = order.kg()\n  return w\n}\n",
        "fun p(sent: O): Int {\n  val m = sent.kg()\n  return m\n}\n",
    ),
}
OTHERWISE = {
    "arguments in another order": ("def p(a, b):\n    return f(a, b)\n", "def p(a, b):\n    return f(b, a)\n"),
    "a name of the module": ("def p(a):\n    return LIMIT + a\n", "def p(a):\n    return DEPTH + a\n"),
    "another function": ("def p(a):\n    return first(a)\n", "def p(a):\n    return last(a)\n"),
    "an attribute": ("def p(size):\n    return x.size\n", "def p(depth):\n    return x.depth\n"),
    "another function's parameter": (
        "def p(size):\n    return f(1, size=size)\n",
        "def p(depth):\n    return f(1, depth=depth)\n",
    ),
    "a number": ("def p(a):\n    return a + 1\n", "def p(b):\n    return b + 2\n"),
    "one variable for two": (
        "def p(a):\n    b = f(a)\n    return g(a, b)\n",
        "def p(a):\n    a = f(a)\n    return g(a, a)\n",
    ),
}


def function_in(language: str, text: str) -> SymbolPrint:
    return next(each for each in prints_of(text.encode(), language) if each.kind in {"function", "method"})


@pytest.mark.parametrize("language", RENAMED)
def test_what_variables_are_called_has_no_effect(language: str) -> None:
    one, other = (function_in(language, text) for text in RENAMED[language])
    assert one.print != other.print
    assert one.unnamed == other.unnamed != ""


@pytest.mark.parametrize("change", OTHERWISE)
def test_what_they_do_has(change: str) -> None:
    one, other = (function_in("python", text) for text in OTHERWISE[change])
    assert one.unnamed != other.unnamed


def test_a_key_of_an_object_is_no_variable() -> None:
    one, other = "function p(w) { return {w, k: 1} }", "function p(m) { return {m, k: 1} }"
    assert function_in("javascript", one).unnamed != function_in("javascript", other).unnamed


def test_a_class_and_a_language_without_patterns_have_none() -> None:
    assert {each.unnamed for each in prints_of(b"class A:\n    x = 1\n", "python")} == {""}
    assert {each.unnamed for each in prints_of(b"f(x) -> Y = x + 1, Y.\n", "lua")} == {""}
