"""The places that commits change, and the headings that git finds for them."""

import os
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.hunks import HUNKS_KEPT, LINE_LENGTH, LINES_KEPT, old_lines, touched
from repomem.adapters.git.log import resolve, revisions
from repomem.adapters.git.repository import Repository
from repomem.adapters.languages.definition_lines import changed_names
from repomem.core.types.commits import Hunk

FILLER = "\n" * 8


def hunks_of_head(top: Path) -> list[Hunk]:
    repository = Repository.open(top)
    return list(touched(repository, revisions(repository, 1, "HEAD")))


SAMPLES = {
    "a.py": ("class A:\n    def f(self):\n" + "        pass\n" * 9 + "        {}\n", "def f(self):"),
    "a.rb": ("class A\n  def f?(x)\n" + "    y\n" * 9 + "    {}\n", "def f?(x)"),
    "a.go": (
        "func (s *Server) Serve(x int) error {{\n" + "\ty()\n" * 9 + "\t{}\n",
        "func (s *Server) Serve(x int) error {",
    ),
    "a.rs": (
        "impl A {{\n    pub fn f(&self) -> u8 {{\n" + "        y();\n" * 9 + "        {}\n",
        "pub fn f(&self) -> u8 {",
    ),
    "a.c": ("static int f(struct x *y)\n{{\n" + "\tz();\n" * 9 + "\t{}\n", "static int f(struct x *y)"),
    "a.java": (
        "class A {{\n    public void f(int x) {{\n" + "        y();\n" * 9 + "        {}\n",
        "public void f(int x) {",
    ),
    "b.java": (
        "class A {{\n    @Test(timeout = 9) public void f(int x) {{\n" + "        y();\n" * 9 + "        {}\n",
        "@Test(timeout = 9) public void f(int x) {",
    ),
    "a.cs": (
        "class A {{\n    public void F(int x)\n    {{\n" + "        y();\n" * 9 + "        {}\n",
        "public void F(int x)",
    ),
    "a.php": (
        "<?php\nclass A {{\n    public function f($x) {{\n" + "        y();\n" * 9 + "        {}\n",
        "public function f($x) {",
    ),
    "a.kt": ("class A {{\n    fun f(x: Int): Int {{\n" + "        y()\n" * 9 + "        {}\n", "fun f(x: Int): Int {"),
    "a.ex": ("defmodule A do\n  def f(x) do\n" + "    y\n" * 9 + "    {}\n", "def f(x) do"),
    "a.sh": ("f() {{\n" + "  y\n" * 9 + "  {}\n", "f() {"),
    "a.js": ("class A {{\n  async f(x) {{\n    if (x) {{\n" + "      y();\n" * 9 + "      {}\n", "async f(x) {"),
    "a.ts": (
        "export const f = async (x: number) => {{\n" + "  y();\n" * 9 + "  {}\n",
        "export const f = async (x: number) => {",
    ),
    "a.swift": (
        "public struct A {{\n    private(set) static func f(x: Int) {{\n" + "        y()\n" * 9 + "        {}\n",
        "private(set) static func f(x: Int) {",
    ),
    "a.scala": (
        "object A {{\n  private[this] def f(x: Int) = {{\n" + "    y\n" * 9 + "    {}\n",
        "private[this] def f(x: Int) = {",
    ),
    "a.lua": ("local M = 1\nfunction M.f(x)\n" + "  y()\n" * 9 + "  {}\n", "function M.f(x)"),
    "a.hs": ("f :: Int -> Int\nf x =\n" + "  y\n" * 9 + "  {}\n", "f :: Int -> Int"),
    "a.zig": (
        "const A = struct {{\n    pub fn f(x: u8) u8 {{\n" + "        y();\n" * 9 + "        {}\n",
        "pub fn f(x: u8) u8 {",
    ),
    "a.dart": (
        "class A {{\n  Future<int> f(int x) async {{\n    if (x) {{\n" + "      y();\n" * 9 + "      {}\n",
        "Future<int> f(int x) async {",
    ),
}


def test_a_heading_is_found_in_every_language(make_repository: MakeRepository) -> None:
    top = make_repository(
        Commit({name: text.format("old") for name, (text, _) in SAMPLES.items()}),
        Commit({name: text.format("new") for name, (text, _) in SAMPLES.items()}),
    )
    found = {hunk.path: (hunk.heading.strip(), [line.strip() for line in hunk.lines]) for hunk in hunks_of_head(top)}
    assert found == {name: (heading, ["old", "new"]) for name, (_, heading) in SAMPLES.items()}


OUTSIDE = {
    "a.py": "def f():\n    return 1\n\n\nTABLE = [\n{}]\n",
    "a.go": "func f() int {{\n    return 1\n}}\n\nvar table = []int{{\n{}}}\n",
    "a.js": "req.f = function f() {{\n    return 1;\n}};\n\ndefineGetter(req, 'fresh', function() {{\n{}}});\n",
    "b.js": "function f() {{\n    return 1;\n}}\n\nif (process.env.DEBUG) {{\n{}}}\n",
    "a.rs": "fn f() -> u8 {{\n    1\n}}\n\nstatic TABLE: &[u8] = &[\n{}];\n",
    "a.rb": "def f\n    1\nend\n\nTABLE = [\n{}]\n",
    "a.sh": "f() {{\n    y\n}}\n\nfor each in a b; do\n{}done\n",
    "a.lua": "function f()\n    return 1\nend\n\nlocal table = {{\n{}}}\n",
    "a.zig": "fn f() u8 {{\n    return 1;\n}}\n\nconst table = [_]u8{{\n{}}};\n",
    "a.swift": "func f() -> Int {{\n    return 1\n}}\n\nlet table = [\n{}]\n",
    "a.scala": "def f(): Int = {{\n    1\n}}\n\nval table = List(\n{})\n",
    "a.dart": "int f() {{\n    return 1;\n}}\n\nfinal table = [\n{}];\n",
    "a.c": "int f(void)\n{{\n    return 1;\n}}\n\nstatic int table[] = {{\n{}}};\n",
}


def test_no_definition_is_claimed_that_ended_above_the_change(make_repository: MakeRepository) -> None:
    before, after = "    1,\n" * 6, "    1,\n" * 5 + "    2,\n"
    top = make_repository(
        Commit({name: text.format(before) for name, text in OUTSIDE.items()}),
        Commit({name: text.format(after) for name, text in OUTSIDE.items()}),
    )
    hunks = hunks_of_head(top)
    assert {hunk.path for hunk in hunks} == set(OUTSIDE)
    assert [each for hunk in hunks for each in changed_names(hunk.path, hunk.heading, hunk.lines) if each == "f"] == []


def test_a_field_below_a_method_is_not_in_the_method(make_repository: MakeRepository) -> None:
    texts = {
        "A.java": "class A {\n    public int f(int x) {\n        return 1;\n    }\n\n    private int limit = {};\n}\n",
        "a.kt": "class A {\n    fun f(x: Int): Int {\n        return 1\n    }\n\n    private val limit = {}\n}\n",
        "a.php": "<?php\nclass A {\n    public function f($x) {\n        return 1;\n    }\n\n    private $l = {};\n}\n",
    }
    top = make_repository(
        *(Commit({name: text.replace("{}", number) for name, text in texts.items()}) for number in "34")
    )
    assert [changed_names(hunk.path, hunk.heading, hunk.lines) for hunk in hunks_of_head(top)] == [[], [], []]


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("internal static DbType? Look(Type type, out IHandler? handler)", ["Look"]),
        ("public static Action<IDbCommand, object?> Look(Identity identity)", ["Look"]),
        ("Task<(int Id, string? Name)> Look(Identity identity)", []),
        ("private static T? Look<T, U>(object? value)", ["Look"]),
        ("IEnumerator IEnumerable.Look()", []),
        ("static A()", ["A"]),
        ("public int? Limit", []),
        ("private static readonly string[] Names = new[]", []),
    ],
)
def test_a_change_in_c_sharp_is_in_no_method_above_its_own(
    make_repository: MakeRepository, signature: str, names: list[str]
) -> None:
    body = (
        "            int Local() => Find(sql);\n            var x = Find(sql, null);\n            insert into T(id)\n"
        + "            y();\n" * 9
    )
    earlier = "        public void Earlier(int x)\n        {\n            y();\n        }\n\n"
    text = f"namespace N\n{{\n    class A\n    {{\n{earlier}        {signature}\n        {{\n{body}"
    top = make_repository(*(Commit({"a.cs": f"{text}                {each}();\n"}) for each in ("old", "changed")))
    (hunk,) = hunks_of_head(top)
    assert changed_names(hunk.path, hunk.heading, hunk.lines) == names


def test_a_definition_that_is_indented_by_tabs_is_found(make_repository: MakeRepository) -> None:
    text = "class A {\n\tvoid set(int x) {\n\t\tput(target, list);\n\t\t{}();\n\t}\n}\n"
    top = make_repository(*(Commit({"A.java": text.replace("{}", each)}) for each in ("y", "z")))
    assert [changed_names(hunk.path, hunk.heading, hunk.lines) for hunk in hunks_of_head(top)] == [["set"]]


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("MACRO bool equal(const char* a, const char* b)", ["equal"]),
        ("std::vector<int> parts(int a = 1) const {", ["parts"]),
        ("static inline node* first(node* a) noexcept", ["first"]),
        ("if (equal(a, b)) {", ["Earlier"]),
        ("auto found = find(a, [](int b) {", ["Earlier"]),
        ("type value(a);", ["Earlier"]),
    ],
)
def test_a_function_that_is_indented_in_a_namespace_of_cpp_is_found(
    make_repository: MakeRepository, signature: str, names: list[str]
) -> None:
    text = f"namespace n {{\n\tint Earlier(int x)\n\t{{\n\t\ty();\n\t{signature}\n" + "\t\ty();\n" * 9
    top = make_repository(*(Commit({"a.cpp": f"{text}\t\t{each}();\n"}) for each in ("old", "changed")))
    (hunk,) = hunks_of_head(top)
    assert changed_names(hunk.path, hunk.heading, hunk.lines) == names


def test_a_label_or_a_where_clause_does_not_end_a_definition(make_repository: MakeRepository) -> None:
    texts = {
        "a.go": "func f() int {{\n\ty()\nLoop:\n\tfor {{\n\t\t{}()\n\t}}\n}}\n",
        "a.rs": "fn f<T>(x: T) -> u8\nwhere\n    T: Copy,\n{{\n    y();\n    {}();\n}}\n",
    }
    top = make_repository(*(Commit({name: text.format(word) for name, text in texts.items()}) for word in ("a", "b")))
    assert [changed_names(hunk.path, hunk.heading, hunk.lines) for hunk in hunks_of_head(top)] == [["f"], ["f"]]


def test_a_change_in_a_block_of_ruby_is_not_in_the_method_above(make_repository: MakeRepository) -> None:
    above = "class A\n  def start(x)\n    y\n  end\n\n"
    texts = {
        "a.rb": above + '  get "/busy" do\n    y\n    {}\n  end\nend\n',
        "b_test.rb": above + "  it('is busy') do |page|\n    y\n    {}\n  end\nend\n",
        "c.rb": "class A\n  def start(x)\n    each_page do\n      y\n      {}\n    end\n  end\nend\n",
    }
    top = make_repository(*(Commit({name: text.format(word) for name, text in texts.items()}) for word in ("a", "b")))
    names = {hunk.path: changed_names(hunk.path, hunk.heading, hunk.lines) for hunk in hunks_of_head(top)}
    assert names == {"a.rb": [], "b_test.rb": [], "c.rb": ["start"]}


def test_a_value_in_parentheses_is_not_what_a_change_below_it_is_in(make_repository: MakeRepository) -> None:
    text = "function f (x) {{\n  const on = ({} === 'a' &&\n    x.b)\n  let y = (x)\n  y.{}()\n}}\n"
    multi = "const f = async (\n  x,\n) => {{\n  const y = (x)\n  y.{}()\n}}\n"
    nested = "const f = (x = make(1), y) => {{\n  let z = (x)\n  z.{}()\n}}\n"
    texts = {"a.js": text.replace("{}", "x", 1), "b.js": multi, "c.js": nested}
    top = make_repository(*(Commit({name: text.format(word) for name, text in texts.items()}) for word in ("a", "b")))
    headings = [hunk.heading for hunk in hunks_of_head(top)]
    assert headings == ["function f (x) {", "const f = async (", "const f = (x = make(1), y) => {"]


def test_a_method_whose_parameters_stand_on_further_lines_is_not_the_one_above(make_repository: MakeRepository) -> None:
    above = "class A {\n  shows(): boolean {\n    return true;\n  }\n"
    text = above + "  private apply<T>(\n    x: T,\n  ): T {\n    y();\n    z();\n    {}();\n  }\n}\n"
    top = make_repository(*(Commit({"a.ts": text.replace("{}", word)}) for word in "bc"))
    assert [changed_names(hunk.path, hunk.heading, hunk.lines) for hunk in hunks_of_head(top)] == [["apply"]]


def test_an_indented_definition_ends_where_less_indented_lines_follow(make_repository: MakeRepository) -> None:
    texts = {
        "a.ex": 'defmodule A do\n  @doc """\n      def f do\n        y\n      end\n\n  {}\n  """\n',
        "a.swift": "class A {\n    func f() {\n        y()\n    }\n\n    deinit {\n        y()\n\n        {}()\n",
    }
    top = make_repository(*(Commit({name: text.replace("{}", word) for name, text in texts.items()}) for word in "ab"))
    names = [changed_names(hunk.path, hunk.heading, hunk.lines) for hunk in hunks_of_head(top)]
    assert names == [[], ["deinit"]]


def test_added_and_removed_files_come_whole(make_repository: MakeRepository) -> None:
    top = make_repository(
        Commit({"old.py": "def f():\n    pass\n"}), Commit({"old.py": None, "new.py": "x = 1\ny = 2"})
    )
    (head,) = revisions(Repository.open(top), 1, "HEAD")
    assert hunks_of_head(top) == [
        Hunk(head, "new.py", "", ("x = 1", "y = 2"), start=1),
        Hunk(head, "old.py", "", ("def f():", "    pass"), removed=2, old_start=1),
    ]


def test_several_hunks_of_several_commits_are_separated(make_repository: MakeRepository) -> None:
    text = "a\n" + FILLER + "b\n" + FILLER + "c\n"
    top = make_repository(
        Commit({"x": text}),
        Commit({"x": text.replace("a", "A").replace("c", "C")}),
        Commit({"x": None}, "merge", parents=[1, 0]),
        Commit({"y": "1\n"}),
    )
    repository = Repository.open(top)
    commits = revisions(repository, 0, "HEAD")
    assert list(touched(repository, [])) == []
    found = [(commits.index(hunk.commit), hunk.path, hunk.lines) for hunk in touched(repository, commits)]
    assert found[:3] == [(0, "y", ("1",)), (2, "x", ("a", "A")), (2, "x", ("c", "C"))]
    assert [place for place, _, _ in found] == [0, 2, 2, 3]


def test_text_that_looks_like_a_patch_is_text(make_repository: MakeRepository) -> None:
    trap = "-- a/other\n++ b/other\n@@ -1 +1 @@\ncommit 0123\ndiff --git a/x b/x\n\\ No newline\n"
    top = make_repository(Commit({"x": "1"}), Commit({"x": trap + "end"}))
    (hunk,) = hunks_of_head(top)
    assert (hunk.path, hunk.lines) == ("x", ("1", *trap.splitlines(), "end"))


def test_fault_21_any_name_comes_back_as_it_is(make_repository: MakeRepository) -> None:
    names = ["a\nb", 'q"\\uo', "\udcff\udcfe", "-rf", "with space", "é", "tab\t", "\x01\x1b", "b/a/x", "end\r"]
    top = make_repository(Commit(dict.fromkeys(names, "1\n")))
    assert sorted(hunk.path for hunk in hunks_of_head(top)) == sorted(names)


def test_what_is_kept_of_a_commit_is_bounded(make_repository: MakeRepository) -> None:
    spaced = "".join(f"{number}\n\n" for number in range(2 * HUNKS_KEPT))
    top = make_repository(
        Commit({"many": spaced}),
        Commit({"long": "x\n" * 2000, "many": spaced.replace("\n\n", "!\n\n"), "wide": "é" * 100_000}),
    )
    hunks = hunks_of_head(top)
    assert len(hunks) == HUNKS_KEPT
    assert len(hunks[0].lines) == LINES_KEPT
    top = make_repository(Commit({"wide": "é" * 100_000}), name="wide")
    (hunk,) = hunks_of_head(top)
    assert hunk.lines == ("é" * LINE_LENGTH,)


def test_binary_files_and_bytes_that_are_no_text_do_not_stop_it(make_repository: MakeRepository) -> None:
    top = make_repository(Commit({"a": b"\0\1", "b.py": b"\xff\xfe\n", "c": "1\r\n"}))
    assert [(hunk.path, hunk.lines) for hunk in hunks_of_head(top)] == [("b.py", ("\ufffd\ufffd",)), ("c", ("1",))]


def test_configuration_does_not_bend_the_answer(make_repository: MakeRepository, run_git: RunGit) -> None:
    text = "a\n" * 3 + "def f():\n" + "    x\n" * 6
    top = make_repository(Commit({"d/x.py": text}), Commit({"d/x.py": text.replace("a", "b", 1) + "    y\n"}))
    before = hunks_of_head(top)
    assert [hunk.lines for hunk in before] == [("a", "b"), ("    y",)]
    for name, value in {
        "color.ui": "always",
        "core.attributesFile": os.devnull,
        "diff.algorithm": "patience",
        "diff.colorMoved": "zebra",
        "diff.context": "9",
        "diff.interHunkContext": "9",
        "diff.mnemonicPrefix": "true",
        "diff.noprefix": "true",
        "diff.relative": "true",
        "diff.suppressBlankEmpty": "true",
        "diff.wsErrorHighlight": "all",
        "diff.wordRegex": ".",
    }.items():
        run_git(top, "config", name, value)
    assert hunks_of_head(top / "d") == before


@pytest.mark.parametrize("count", [0, 1])
def test_a_submodule_changes_no_lines(count: int, make_repository: MakeRepository, run_git: RunGit) -> None:
    top = make_repository(Commit({"x": "1\n"}))
    run_git(top, "update-index", "--add", "--cacheinfo", f"160000,{run_git(top, 'rev-parse', 'HEAD')},sub")
    run_git(top, "commit", "-qm", "sub")
    if count:
        run_git(top, "config", "diff.submodule", "log")
    assert hunks_of_head(top) == []


def test_old_lines_are_those_at_the_parent(make_repository: MakeRepository) -> None:
    top = make_repository(
        Commit({"a b.py": "1\n2\n3\n4\n5\n", "gone.py": "1\n2\n"}),
        Commit({"a b.py": "1\n--- a/x\n@@ -9 +9 @@\n3\n4\n5\n6\n", "gone.py": None, "new.py": "1\n"}),
    )
    repository = Repository.open(top)
    parent, commit = (resolve(repository, name) for name in ("HEAD~1", "HEAD"))
    found = old_lines(repository, parent, commit)
    assert found["a b.py"] == [range(2, 3), range(5, 6)]
    assert found["gone.py"] == [range(1, 3)]
