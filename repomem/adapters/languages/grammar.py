"""The registry of languages: to add one, add its entry to `_REGISTRY` and its query to `queries/`.

Everything else about a language (file names, parser, query, comments) is derived from its entry. `parsers` documents
parsers and the captures of query files.
"""

from dataclasses import dataclass
from types import MappingProxyType

from repomem.core.text.lazy_pattern import lazy_pattern

SLASHES = ("///", "//")
NAMED_AS_ITS_TYPE = "*"  # as a constructor's name


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: its grammar, its files, and how it writes names and comments."""

    name: str
    extensions: tuple[str, ...]  # lower case, with their dot
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()  # of a shebang, without path and version
    package: str = ""  # of the grammar, `tree_sitter_` apart; its own name where empty
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

    @property
    def module(self) -> str:
        return f"tree_sitter_{self.package or self.name}"


_REGISTRY = (
    Grammar(
        "python",
        (".py", ".pyi", ".pyw"),
        file_names=("SConstruct", "SConscript", "wscript"),
        interpreters=("python", "pypy"),
        line_comments=("#",),
        block_comment=("", ""),
        constructor="__init__",
        has_docstrings=True,
    ),
    Grammar(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        file_names=("Jakefile",),
        interpreters=("node", "nodejs"),
        query_files=("ecmascript", "javascript", "jsx"),
        constructor="constructor",
    ),
    Grammar(
        "typescript",
        (".ts", ".mts", ".cts"),
        interpreters=("ts-node", "deno", "bun", "tsx"),
        query_files=("ecmascript", "typescript"),
        attribute_opening="@",
        constructor="constructor",
    ),
    Grammar(
        "tsx",
        (".tsx",),
        package="typescript",
        query_files=("ecmascript", "typescript", "jsx"),
        attribute_opening="@",
        constructor="constructor",
    ),
    Grammar("go", (".go",)),
    Grammar("rust", (".rs",), attribute_opening="#["),
    Grammar("java", (".java",), separators=(".",)),
    Grammar("c", (".c",), nests_functions=False, has_macros=True),
    Grammar(
        "cpp",
        # .h is of C too: the grammar of C++ reads more of a C header than that of C, and far more of its own
        (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".h", ".ipp", ".inl", ".tpp", ".cu", ".cuh"),
        query_files=("c", "cpp"),
        nests_functions=False,
        has_macros=True,
        constructor=NAMED_AS_ITS_TYPE,
        separators=("::",),
    ),
    Grammar("c_sharp", (".cs", ".csx"), separators=(".",)),
    Grammar(
        "ruby",
        (".rb", ".rbw", ".rake", ".gemspec", ".podspec", ".ru", ".thor"),
        file_names=("Rakefile", "Gemfile", "Guardfile", "Podfile", "Vagrantfile", "Brewfile", "Capfile", "Fastfile"),
        interpreters=("ruby", "jruby", "rake"),
        line_comments=("#",),
        block_comment=("=begin", "=end"),
        separators=("::",),
        constructor="initialize",
    ),
    Grammar(
        "php",
        (".php", ".phtml", ".php5", ".php7", ".phps"),
        interpreters=("php",),
        line_comments=("//", "#"),
        separators=("\\",),
        constructor="__construct",
    ),
    Grammar(
        "bash",
        (".sh", ".bash", ".zsh", ".ksh", ".bats"),
        file_names=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", "PKGBUILD"),
        interpreters=("bash", "sh", "dash", "ash", "ksh", "zsh", "bats"),
        line_comments=("#",),
        block_comment=("", ""),
    ),
    Grammar("kotlin", (".kt", ".kts"), interpreters=("kotlin",), separators=(".",)),
    Grammar("swift", (".swift",), interpreters=("swift",), separators=(".",)),
    Grammar("scala", (".scala", ".sc", ".sbt"), interpreters=("scala", "scala-cli"), separators=(".",)),
    Grammar(
        "haskell",
        (".hs", ".hs-boot"),
        interpreters=("runhaskell", "runghc"),
        line_comments=("-- |", "--"),
        block_comment=("{-", "-}"),
        separators=(".",),
        merges_clauses=True,
    ),
    Grammar(
        "lua",
        (".lua", ".rockspec", ".tl"),  # Teal is Lua with types
        file_names=(".luacheckrc",),
        interpreters=("lua", "luajit"),
        line_comments=("---", "--"),
        block_comment=("--[[", "]]"),
        separators=(".", ":"),
    ),
    Grammar(
        "elixir",
        (".ex", ".exs"),
        file_names=("mix.lock",),
        interpreters=("elixir",),
        line_comments=("#",),
        block_comment=("", ""),
        separators=(".",),
        merges_clauses=True,
    ),
    Grammar(
        "ocaml",
        (".ml",),
        query_files=("ocaml", "ocaml_values"),
        interpreters=("ocaml",),
        line_comments=(),
        block_comment=("(*", "*)"),
        separators=(".",),
    ),
    Grammar(
        "ocaml_interface",
        (".mli",),
        package="ocaml",
        query_files=("ocaml",),
        line_comments=(),
        block_comment=("(*", "*)"),
        separators=(".",),
    ),
    Grammar(
        "julia",
        (".jl",),
        interpreters=("julia",),
        line_comments=("#",),
        block_comment=("#=", "=#"),
        separators=(".",),
        constructor=NAMED_AS_ITS_TYPE,
    ),
    Grammar(
        "perl",
        (".pl", ".pm", ".t", ".psgi"),
        file_names=("cpanfile",),
        interpreters=("perl",),
        line_comments=("#",),
        block_comment=("", ""),
        separators=("::",),
        foreign_openings=(":-", "%", "/*"),  # Prolog
    ),
    Grammar(
        "objc",
        (".m", ".mm"),
        query_files=("c", "objc"),
        nests_functions=False,
        has_macros=True,
        foreign_openings=("%", "##", "function", "classdef"),  # MATLAB and Octave
    ),
    Grammar("sql", (".sql", ".psql", ".ddl"), line_comments=("--",), separators=(".",)),
    Grammar("hcl", (".tf", ".tfvars", ".hcl", ".tofu"), line_comments=("#", "//")),
    Grammar(
        "make",
        (".mk", ".mak"),
        file_names=("Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in"),
        interpreters=("make",),
        line_comments=("#",),
        block_comment=("", ""),
    ),
    Grammar("zig", (".zig",), block_comment=("", "")),
    Grammar("dart", (".dart",), interpreters=("dart",), separators=(".",)),
    Grammar("markdown", (".md", ".markdown", ".mdx", ".mkd"), line_comments=(), block_comment=("", "")),
    Grammar(
        "json",
        (".json", ".jsonc", ".json5", ".geojson", ".webmanifest"),
        file_names=(".prettierrc", ".babelrc", ".eslintrc", "composer.lock", "Pipfile.lock"),
    ),
    Grammar(
        "yaml",
        (".yaml", ".yml"),
        file_names=(".clang-format", ".clang-tidy", ".yamllint"),
        line_comments=("#",),
        block_comment=("", ""),
    ),
    Grammar(
        "toml",
        (".toml",),
        file_names=("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"),
        line_comments=("#",),
        block_comment=("", ""),
        separators=(".",),
    ),
    Grammar("html", (".html", ".htm", ".xhtml"), line_comments=(), block_comment=("<!--", "-->")),
    Grammar("svelte", (".svelte",), query_files=("html", "svelte"), script="typescript", constructor="constructor"),
    Grammar("css", (".css",), line_comments=()),
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
