"""What a file uses: what each name hangs on, what it stands in, and whether it is a variable there."""

import pytest
from hypothesis import given, strategies as st

from repomem.adapters.languages.outline import outline_of
from repomem.adapters.languages.uses import uses_of
from repomem.core.encoded_uses import packed_imports, packed_uses, unpacked
from repomem.core.types.code import Import, Use


def uses_in(language: str, text: str) -> list[Use]:
    data = text.encode()
    return list(uses_of(data, outline_of(data, language, with_references=True), language))


@pytest.mark.parametrize(
    ("language", "text", "receiver"),
    [
        ("python", "send()", ""),
        ("python", "session.send()", "session"),
        ("python", "requests.api . send()", "requests.api"),
        ("python", "make().send()", "?"),
        ("python", "make().adapter.send()", "?"),
        ("python", "items[0].send()", "?"),
        ("python", "super().send()", "super"),
        ("python", "f(*send())", ""),
        ("javascript", "client?.send()", "client"),
        ("javascript", "f(...send())", ""),
        ("javascript", "a ? b : send()", ""),
        ("go", "package p\nfunc f() { pkg.send() }", "pkg"),
        ("rust", "fn f() { crate::net::send() }", "crate.net"),
        ("rust", "fn f() { for i in 0..send() {} }", ""),
        ("rust", "fn f() { Vec::<u8>::send() }", "?"),
        ("php", "<?php $this->client->send();", "$this.client"),
        ("php", "<?php \\send();", ""),
        ("cpp", "void f() { p->send(); }", "p"),
        ("cpp", "void f() { ::send(); }", ""),
        ("ruby", "Net::HTTP.send(1)", "Net.HTTP"),
    ],
)
def test_a_name_hangs_on(language: str, text: str, receiver: str) -> None:
    assert [use.receiver for use in uses_in(language, text) if use.name == "send"] == [receiver]


@pytest.mark.parametrize(
    "text",
    [
        "class Db { port::Mutex lock_; };",
        "class Db { a::b::Mutex lock_; };",
        "typedef Mutex<int, Less> Lock;",
        "void f(const port::Mutex& lock) {}",
        "void f() { log::Mutex* lock = make(); }",
    ],
)
def test_a_type_of_a_namespace_or_with_arguments_is_used(text: str) -> None:
    assert {use.kind for use in uses_in("cpp", text) if use.name == "Mutex"} == {"type"}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "class C:\n    def m(self):\n        self.send()\n"),
        ("javascript", "class C { m() { this.send() } }"),
        ("go", "package p\nfunc (c *C) m() { c.send() }"),
        ("rust", "impl C { fn m(&self) { self.send() } }"),
        ("php", "<?php class C { function m() { $this->send(); } }"),
    ],
)
def test_a_call_on_the_instance_names_its_type(language: str, text: str) -> None:
    [use] = [use for use in uses_in(language, text) if use.name == "send"]
    assert (use.receiver, use.owner, use.within) == ("self", "C", "C.m")


def test_the_parameter_of_another_function_is_no_instance_in_go() -> None:
    uses = uses_in("go", "package p\nfunc (c *C) m() { d.send() }")
    assert [use.receiver for use in uses if use.name == "send"] == ["d"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def f(send):\n    send()\n"),
        ("python", "def f(a, send=None):\n    def g():\n        send()\n"),
        ("python", "def f():\n    send = 1\n    send()\n"),
        ("python", "def f():\n    for a, send in b:\n        send()\n"),
        ("python", "def f():\n    with a as send:\n        send()\n"),
        ("python", "def f():\n    return lambda send: send()\n"),
        ("javascript", "function f() { const { a, send } = b; send(); }"),
        ("javascript", "function f() { return (a, send) => send(); }"),
        ("go", "package p\nfunc f() {\n a, send := b()\n send()\n}"),
        ("go", "package p\nfunc f() { k(func(send func()) { send() }) }"),
        ("java", "class C { void m(Sender send) { send(); } }"),
    ],
)
def test_a_name_that_the_function_gives_a_meaning_is_local(language: str, text: str) -> None:
    assert [use.is_local for use in uses_in(language, text) if use.name == "send" and not use.receiver] == [True]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def f():\n    send(send=1)\n"),
        ("python", "def f():\n    for a in send():\n        pass\n"),
        ("python", "def f(a: int):\n    b = send()\n"),
        ("javascript", "async function f() { for await (const a of send(b)) {} }"),
        ("javascript", "function f() { const a = send(); }"),
        ("go", "package p\nfunc f() (send error) { return send() }"),
        ("python", "send = 1\nsend()\n"),
    ],
)
def test_another_name_for_it_leaves_it_as_it_is(language: str, text: str) -> None:
    assert not any(use.is_local for use in uses_in(language, text) if use.name == "send")


_NAMES = st.text(min_size=1, max_size=8)
_FIELDS = st.text(max_size=8)
_USES = st.builds(
    Use,
    name=_NAMES,
    kind=st.sampled_from(["call", "class", "type"]),
    line=st.integers(1, 10_000),
    receiver=_FIELDS,
    within=_FIELDS,
    owner=_FIELDS,
    is_local=st.booleans(),
)


@given(st.lists(_USES), st.lists(st.builds(Import, _NAMES, _FIELDS, _FIELDS)))
def test_packed_uses_are_unpacked(uses: list[Use], imports: list[Import]) -> None:
    def plain(text: str) -> str:
        return text.replace("\t", " ").replace("\n", " ")

    text = packed_imports(imports) + packed_uses(uses)
    found_imports, found_uses = unpacked(text, {plain(use.name) for use in uses})
    assert found_imports == tuple(dict.fromkeys(Import(*map(plain, each)) for each in imports))
    expected = [
        use._replace(
            name=plain(use.name), receiver=plain(use.receiver), within=plain(use.within), owner=plain(use.owner)
        )
        for use in uses
    ]
    assert sorted(found_uses) == sorted(expected)


def test_only_requested_names_and_their_aliases_are_unpacked() -> None:
    imports = packed_imports([Import("a", "send", "post")])
    text = imports + packed_uses([Use("post", "call", 3), Use("get", "call", 4), Use("send", "call", 5)])
    assert [use.line for use in unpacked(text, {"send"})[1]] == [3, 5]
