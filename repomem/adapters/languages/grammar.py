"""The registry of languages: to add one, add its entry to `_REGISTRY` and its query to `queries/`.

Everything else about a language (file names, parser, query, comments) is derived from its entry. `parsers` documents
parsers and the captures of query files.
"""

from dataclasses import dataclass
from types import MappingProxyType

from repomem.core.lazy_pattern import lazy_pattern

SLASHES = ("///", "//")
NAMED_AS_ITS_TYPE = "*"  # as a constructor's name


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: its grammar, its files, and how it writes names and comments."""

    name: str
    module: str
    extensions: tuple[str, ...]  # lower case, with their dot
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()  # of a shebang, without path and version
    function: str = "language"  # of `module`: gives the grammar's capsule
    query_files: tuple[str, ...] = ()  # joined into its query; its own name where empty
    line_comments: tuple[str, ...] = SLASHES  # the longest first
    block_comment: tuple[str, str] = ("/*", "*/")
    separators: tuple[str, ...] = ()  # what joins the parts of a qualified name in this language
    constructor: str = ""  # the name of the function of a class that makes its instances
    has_docstrings: bool = False  # documentation is a string at the start of the body
    attribute_opening: str = ""  # opens an attribute that the grammar parses as a sibling of its definition
    merges_clauses: bool = False  # a function is written as several definitions in a row
    nests_functions: bool = True  # else a function within another is an error of the tree
    has_macros: bool = False  # a preprocessor removes what its grammar cannot parse: see `macros`
    foreign_openings: tuple[str, ...] = ()  # a first line of another language that has the same extension
    script: str = ""  # the language of @script captures, which its own grammar does not parse


_REGISTRY = (
    Grammar(
        name="python",
        module="tree_sitter_python",
        extensions=(".py", ".pyi", ".pyw"),
        file_names=("SConstruct", "SConscript", "wscript"),
        interpreters=("python", "pypy"),
        line_comments=("#",),
        block_comment=("", ""),
        constructor="__init__",
        has_docstrings=True,
    ),
    Grammar(
        name="javascript",
        module="tree_sitter_javascript",
        extensions=(".js", ".jsx", ".mjs", ".cjs"),
        file_names=("Jakefile",),
        interpreters=("node", "nodejs"),
        query_files=("ecmascript", "javascript", "jsx"),
        constructor="constructor",
    ),
    Grammar(
        name="typescript",
        module="tree_sitter_typescript",
        function="language_typescript",
        extensions=(".ts", ".mts", ".cts"),
        interpreters=("ts-node", "deno", "bun", "tsx"),
        query_files=("ecmascript", "typescript"),
        attribute_opening="@",
        constructor="constructor",
    ),
    Grammar(
        name="tsx",
        module="tree_sitter_typescript",
        function="language_tsx",
        extensions=(".tsx",),
        query_files=("ecmascript", "typescript", "jsx"),
        attribute_opening="@",
        constructor="constructor",
    ),
    Grammar(name="go", module="tree_sitter_go", extensions=(".go",)),
    Grammar(name="rust", module="tree_sitter_rust", extensions=(".rs",), attribute_opening="#["),
    Grammar(name="java", module="tree_sitter_java", extensions=(".java",), separators=(".",)),
    Grammar(name="c", module="tree_sitter_c", extensions=(".c",), nests_functions=False, has_macros=True),
    Grammar(
        name="cpp",
        module="tree_sitter_cpp",
        extensions=(
            ".cpp",
            ".cc",
            ".cxx",
            ".c++",
            ".hpp",
            ".hh",
            ".hxx",
            ".h++",
            ".h",  # of C too: the grammar of C++ reads more of a C header than that of C, and far more of its own
            ".ipp",
            ".inl",
            ".tpp",
            ".cu",
            ".cuh",
        ),
        query_files=("c", "cpp"),
        nests_functions=False,
        has_macros=True,
        constructor=NAMED_AS_ITS_TYPE,
        separators=("::",),
    ),
    Grammar(name="c_sharp", module="tree_sitter_c_sharp", extensions=(".cs", ".csx"), separators=(".",)),
    Grammar(
        name="ruby",
        module="tree_sitter_ruby",
        extensions=(".rb", ".rbw", ".rake", ".gemspec", ".podspec", ".ru", ".thor"),
        file_names=("Rakefile", "Gemfile", "Guardfile", "Podfile", "Vagrantfile", "Brewfile", "Capfile", "Fastfile"),
        interpreters=("ruby", "jruby", "rake"),
        line_comments=("#",),
        block_comment=("=begin", "=end"),
        separators=("::",),
        constructor="initialize",
    ),
    Grammar(
        name="php",
        module="tree_sitter_php",
        function="language_php",
        extensions=(".php", ".phtml", ".php5", ".php7", ".phps"),
        interpreters=("php",),
        line_comments=("//", "#"),
        separators=("\\",),
        constructor="__construct",
    ),
    Grammar(
        name="bash",
        module="tree_sitter_bash",
        extensions=(".sh", ".bash", ".zsh", ".ksh", ".bats"),
        file_names=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", "PKGBUILD"),
        interpreters=("bash", "sh", "dash", "ash", "ksh", "zsh", "bats"),
        line_comments=("#",),
        block_comment=("", ""),
    ),
    Grammar(
        name="kotlin",
        module="tree_sitter_kotlin",
        extensions=(".kt", ".kts"),
        interpreters=("kotlin",),
        separators=(".",),
    ),
    Grammar(
        name="swift", module="tree_sitter_swift", extensions=(".swift",), interpreters=("swift",), separators=(".",)
    ),
    Grammar(
        name="scala",
        module="tree_sitter_scala",
        extensions=(".scala", ".sc", ".sbt"),
        interpreters=("scala", "scala-cli"),
        separators=(".",),
    ),
    Grammar(
        name="haskell",
        module="tree_sitter_haskell",
        extensions=(".hs", ".hs-boot"),
        interpreters=("runhaskell", "runghc"),
        line_comments=("-- |", "--"),
        block_comment=("{-", "-}"),
        separators=(".",),
        merges_clauses=True,
    ),
    Grammar(
        name="lua",
        module="tree_sitter_lua",
        extensions=(".lua", ".rockspec", ".tl"),  # Teal is Lua with types
        file_names=(".luacheckrc",),
        interpreters=("lua", "luajit"),
        line_comments=("---", "--"),
        block_comment=("--[[", "]]"),
        separators=(".", ":"),
    ),
    Grammar(
        name="elixir",
        module="tree_sitter_elixir",
        extensions=(".ex", ".exs"),
        file_names=("mix.lock",),
        interpreters=("elixir",),
        line_comments=("#",),
        block_comment=("", ""),
        separators=(".",),
        merges_clauses=True,
    ),
    Grammar(
        name="ocaml",
        module="tree_sitter_ocaml",
        function="language_ocaml",
        query_files=("ocaml", "ocaml_values"),
        extensions=(".ml",),
        interpreters=("ocaml",),
        line_comments=(),
        block_comment=("(*", "*)"),
        separators=(".",),
    ),
    Grammar(
        name="ocaml_interface",
        module="tree_sitter_ocaml",
        function="language_ocaml_interface",
        extensions=(".mli",),
        query_files=("ocaml",),
        line_comments=(),
        block_comment=("(*", "*)"),
        separators=(".",),
    ),
    Grammar(
        name="julia",
        module="tree_sitter_julia",
        extensions=(".jl",),
        interpreters=("julia",),
        line_comments=("#",),
        block_comment=("#=", "=#"),
        separators=(".",),
        constructor=NAMED_AS_ITS_TYPE,
    ),
    Grammar(
        name="perl",
        module="tree_sitter_perl",
        extensions=(".pl", ".pm", ".t", ".psgi"),
        file_names=("cpanfile",),
        interpreters=("perl",),
        line_comments=("#",),
        block_comment=("", ""),
        separators=("::",),
        foreign_openings=(":-", "%", "/*"),  # Prolog
    ),
    Grammar(
        name="objc",
        module="tree_sitter_objc",
        extensions=(".m", ".mm"),
        query_files=("c", "objc"),
        nests_functions=False,
        has_macros=True,
        foreign_openings=("%", "##", "function", "classdef"),  # MATLAB and Octave
    ),
    Grammar(
        name="sql",
        module="tree_sitter_sql",
        extensions=(".sql", ".psql", ".ddl"),
        line_comments=("--",),
        separators=(".",),
    ),
    Grammar(
        name="hcl",
        module="tree_sitter_hcl",
        extensions=(".tf", ".tfvars", ".hcl", ".tofu"),
        line_comments=("#", "//"),
    ),
    Grammar(
        name="make",
        module="tree_sitter_make",
        extensions=(".mk", ".mak"),
        file_names=("Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in"),
        interpreters=("make",),
        line_comments=("#",),
        block_comment=("", ""),
    ),
    Grammar(name="zig", module="tree_sitter_zig", extensions=(".zig",), block_comment=("", "")),
    Grammar(name="dart", module="tree_sitter_dart", extensions=(".dart",), interpreters=("dart",), separators=(".",)),
    Grammar(
        name="markdown",
        module="tree_sitter_markdown",
        extensions=(".md", ".markdown", ".mdx", ".mkd"),
        line_comments=(),
        block_comment=("", ""),
    ),
    Grammar(
        name="json",
        module="tree_sitter_json",
        extensions=(".json", ".jsonc", ".json5", ".geojson", ".webmanifest"),
        file_names=(".prettierrc", ".babelrc", ".eslintrc", "composer.lock", "Pipfile.lock"),
    ),
    Grammar(
        name="yaml",
        module="tree_sitter_yaml",
        extensions=(".yaml", ".yml"),
        file_names=(".clang-format", ".clang-tidy", ".yamllint"),
        line_comments=("#",),
        block_comment=("", ""),
    ),
    Grammar(
        name="toml",
        module="tree_sitter_toml",
        extensions=(".toml",),
        file_names=("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"),
        line_comments=("#",),
        block_comment=("", ""),
        separators=(".",),
    ),
    Grammar(
        name="html",
        module="tree_sitter_html",
        extensions=(".html", ".htm", ".xhtml"),
        line_comments=(),
        block_comment=("<!--", "-->"),
    ),
    Grammar(
        name="svelte",
        module="tree_sitter_svelte",
        extensions=(".svelte",),
        query_files=("html", "svelte"),
        script="typescript",
        constructor="constructor",
    ),
    Grammar(name="css", module="tree_sitter_css", extensions=(".css",), line_comments=()),
)

LANGUAGES = MappingProxyType({grammar.name: grammar for grammar in _REGISTRY})

_BY_FILE_NAME = {file_name: grammar.name for grammar in _REGISTRY for file_name in grammar.file_names}
_BY_EXTENSION = {extension: grammar.name for grammar in _REGISTRY for extension in grammar.extensions}
_BY_INTERPRETER = {interpreter: grammar.name for grammar in _REGISTRY for interpreter in grammar.interpreters}

# `#!/usr/bin/env -S LANG=C python3.11 -u`: env, its options and assignments are not interpreters.
MOST_SHEBANG = 200  # characters
_SHEBANG = lazy_pattern(r"#!\s*(?:\S*/env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([\w+-]+?)[\d.]*(?:\s|$)")


def language_of(path: str, text: str = "") -> str:
    """The language of a file by name, extension or the first line of its text; empty if unknown."""
    file_name = path.rpartition("/")[2]
    if file_name in _BY_FILE_NAME:
        return _BY_FILE_NAME[file_name]
    stem, dot, extension = file_name.rpartition(".")
    language = _BY_EXTENSION.get(dot + extension.lower(), "") if stem else ""
    if language:
        return "" if text.startswith(LANGUAGES[language].foreign_openings) else language
    shebang = _SHEBANG.match(text[:MOST_SHEBANG].partition("\n")[0])
    return _BY_INTERPRETER.get(shebang[1], "") if shebang else ""
