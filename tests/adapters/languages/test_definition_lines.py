"""Names of definitions, read from single lines."""

import pytest

from repomem.adapters.languages.definition_lines import changed_names, defined_name

DEFINITIONS = [
    ("a.py", "class Session(Base):", "Session"),
    ("a.py", "    async def close(self) -> None:", "close"),
    ("a.rb", "  def self.call(env)", "call"),
    ("a.rb", "  def empty?", "empty?"),
    ("a.rb", "class Rack::Builder < Base", "Builder"),
    ("a.go", "func (s *Server) Serve(l net.Listener) error {", "Serve"),
    ("a.go", "func New() *Engine {", "New"),
    ("a.go", "type Command struct {", "Command"),
    ("a.go", "func Map[T any](xs []T) []T {", "Map"),
    ("a.rs", "pub(crate) async fn run<T>(&self) -> Result<T>", "run"),
    ("a.rs", "impl<T> fmt::Display for Wrapper<T> {", "Wrapper"),
    ("a.rs", "impl Router {", "Router"),
    ("a.rs", "pub trait Service {", "Service"),
    ("a.rs", "macro_rules! join {", "join"),
    ("a.c", "static int parse_line(struct reader *r, char *line)", "parse_line"),
    ("a.c", "struct reader {", "reader"),
    ("a.cpp", "void Loop::run(int n) {", "run"),
    ("a.cpp", "enum class Color : int {", "Color"),
    ("a.h", "GIT_EXTERN(int) git_commit_create(", "git_commit_create"),
    ("a.h", "CJSON_PUBLIC(cJSON *) cJSON_Parse(const char *value);", "cJSON_Parse"),
    ("a.c", "static int GIT_CALLBACK(on_error)(int code)", "on_error"),
    ("a.h", "typedef int (*commit_create_cb)(", "commit_create_cb"),
    ("a.h", "typedef void (GIT_CALL *progress_cb)(int done);", "progress_cb"),
    ("a.cc", "TEST_F(StackTest, Pops) {", "Pops"),
    ("a.java", "    public static <T> List<T> of(T... items) throws Bad {", "of"),
    ("A.java", "public final class Money implements Comparable<Money> {", "Money"),
    ("a.cs", "    public async Task<int> RunAsync(string x)", "RunAsync"),
    ("a.cs", "    private static T Parse<T, U?>(object? value)", "Parse"),
    ("a.cs", "    public static void Add<T>(Handler<T> one) => Add(typeof(T), one, true);", "Add"),
    ("a.cs", "    int Size() => 1;", "Size"),
    ("a.cs", "public record Point(int X, int Y);", "Point"),
    ("a.php", "    public function handle(array $record): bool", "handle"),
    ("a.kt", "    override suspend fun <T> load(x: T): T {", "load"),
    ("a.kt", "fun String.shout(): String = uppercase()", "shout"),
    ("a.kt", "data class Point(val x: Int)", "Point"),
    ("a.ex", "  defp fetch(conn, opts) do", "fetch"),
    ("a.ex", "defmodule Plug.Conn do", "Conn"),
    ("a.sh", "main() {", "main"),
    ("a.sh", "function set_up {", "set_up"),
    ("a.js", "export default async function* walk(tree) {", "walk"),
    ("a.js", "module.exports = function buildPath(base) {", "buildPath"),
    ("a.js", "Axios.prototype.request = function (config) {", "request"),
    ("a.ts", "export const select = <T,>(x: T) => x", None),
    ("a.ts", "export const select = (x: number): number => x", "select"),
    ("a.ts", "  private async send(url: string): Promise<void> {", "send"),
    ("a.ts", "export interface Options {", "Options"),
    ("a.ts", "  #next(x) {", "#next"),
    ("a.swift", "    private(set) static func make<T>(_ x: T) -> T {", "make"),
    ("a.swift", "public extension ConstraintView {", "ConstraintView"),
    ("a.swift", "    @objc public convenience init?<T>(_ x: T) {", "init"),
    ("a.swift", "    subscript(at: Int) -> T {", "subscript"),
    ("a.swift", "    deinit {", "deinit"),
    ("a.scala", "  final private[circe] def decode(c: HCursor): Result = {", "decode"),
    ("a.scala", "case class User(name: String)", "User"),
    ("a.lua", "function M.find(opts)", "find"),
    ("a.lua", "local pick = function(x)", "pick"),
    ("a.hs", "parse :: String -> Maybe Int", "parse"),
    ("a.hs", "data Tree a = Leaf | Node a", "Tree"),
    ("a.zig", "pub fn init(allocator: Allocator) !Self {", "init"),
    ("a.zig", "pub const Parser = struct {", "Parser"),
    ("a.dart", "  Future<void> save(File f) async {", "save"),
    ("a.rs", "    pub fn new() -> Self {", "new"),
    ("a.rs", "    fn lock<'a>(&'a self) -> Guard<'a> {", "lock"),
    ("a.py", "    def print(self):", "print"),
    ("a.rb", "  def new", "new"),
    ("a.php", "    public function delete(int $id): void", "delete"),
    ("a.kt", "    override fun catch(error: Error) {", "catch"),
    ("a.ex", "  defp with(value) do", "with"),
]
NO_DEFINITIONS = [
    ("a.py", "class is also used for the other thing"),
    ("a.py", "    # def old(self):"),
    ("a.py", "    return define(x)"),
    ("a.py", "    definition = class_of(x)"),
    ("a.c", "    return parse_line(r, line);"),
    ("a.c", "    if (parse_line(r, line)) {"),
    ("a.c", "    else if (x) {"),
    ("a.c", " * The function parse_line(r) reads"),
    ("a.c", "int parse_line(struct reader *r);"),
    ("a.c", "    int (*callback)(int code) = find(code)"),
    ("a.c", "    if (FOO_OK(code) && parse(code)) {"),
    ("a.c", "    FOO_CHECK(code)"),
    ("a.java", "    // public void gone(int x) {"),
    ("a.java", "        throw new IllegalState(x) {"),
    ("a.js", "it('should work', function () {"),
    ("a.js", "  runs(function () {"),
    ("a.js", "  } else if (x) {"),
    ("a.js", "    switch (x) {"),
    ("a.cs", "        lock (x) {"),
    ("a.java", "        return new Foo(x) {"),
    ("a.js", "  const x = call(y);"),
    ("a.js", "module.exports = async function ({ targets }) {"),
    ("a.cs", "    int size = Size(x);"),
    ("a.go", "\tfor i := range fn(x) {"),
    ("a.rs", "    let x = make(y);"),
    ("a.swift", "        self.init(x)"),
    ("a.swift", "        super.init(frame: frame)"),
    ("a.swift", "        return init(x)"),
    ("README.md", "# class Session(Base):"),
    ("data.json", "def f(x):"),
    ("Makefile", "function x() {"),
    ("a.py", ""),
]


@pytest.mark.parametrize(("path", "line", "name"), DEFINITIONS)
def test_a_line_that_starts_a_definition_names_it(path: str, line: str, name: str | None) -> None:
    assert defined_name(path, line) == name


@pytest.mark.parametrize(("path", "line"), NO_DEFINITIONS)
def test_other_lines_define_nothing(path: str, line: str) -> None:
    assert defined_name(path, line) is None


def test_lines_inside_a_definition_are_about_the_one_above() -> None:
    assert changed_names("a.py", "def f(x):", ["    y = 1", "    z = 2"]) == ["f"]


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("def f(x):", "TABLE = 1"),
        ("def f(x):", "# about the definition below"),
        ("def f(x):", ""),
        ("    def f(self):", "    limit = 30"),
        ("\tdef f(self):", "        limit = 30"),
    ],
)
def test_lines_that_are_not_indented_deeper_are_outside_of_the_definition_above(heading: str, line: str) -> None:
    assert changed_names("a.py", heading, ["", line]) == []


def test_a_comment_below_a_method_is_not_about_it() -> None:
    assert (
        changed_names("A.java", "    public void f() {", ["     * Casts each item.", "     * @return the caster"]) == []
    )
    assert changed_names("A.java", "    public void f() {", ["        *counter += 1;"]) == ["f"]


def test_a_definition_that_follows_another_leaves_it_as_it_was() -> None:
    lines = ["", "    # below", "    @property", "    def g(self):", "        pass"]
    assert changed_names("a.py", "def f(self):", lines) == ["g"]


def test_lines_that_end_one_definition_and_start_the_next_are_about_both() -> None:
    assert changed_names("a.py", "def f(self):", ["    return 1", "", "def g():"]) == ["f", "g"]


def test_attributes_are_of_the_definition_below() -> None:
    heading, attribute = "public void Old(Type type)", '        [Obsolete("by " + nameof(Add), error: true)]'
    assert changed_names("a.cs", heading, [attribute, "        [Browsable(false)]"]) == []
    assert changed_names("a.cs", heading, ["", attribute, "        public void Add()"]) == ["Add"]
    assert changed_names("a.cs", heading, ["        }", "        [Fact]", "        public int Size() => 1;"]) == [
        "Size"
    ]


@pytest.mark.parametrize("path", ["a.cs", "a.py", "a.c", "a.js", "a.rs", "a.hs", "a.sh", "a.zig"])
@pytest.mark.parametrize(
    "line", ["a " * 150, "public " * 50, "((" * 150, "data T " + "a " * 140, "f(" + ") " * 140, "<" * 300]
)
def test_no_line_takes_long_to_judge(path: str, line: str) -> None:
    for _ in range(50):
        assert defined_name(path, line) in (None, "f")


def test_an_annotation_and_a_definition_on_one_line_are_a_definition() -> None:
    lines = ["    @Test public void opens() {", "        open();"]
    assert changed_names("ATest.java", "    public void closes() {", lines) == ["opens"]


@pytest.mark.parametrize(
    ("path", "heading"),
    [("a.rb", "  def unlink?; verb == UNLINK end"), ("a.rs", "    fn len(&self) -> usize { self.kept }")],
)
def test_what_follows_a_definition_in_one_line_is_not_inside_of_it(path: str, heading: str) -> None:
    assert changed_names(path, heading, ["      'application/json'"]) == []
