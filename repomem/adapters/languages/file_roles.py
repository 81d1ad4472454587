"""The role of a path: declared attributes first, then well-known folders and names, and banners of generators.

The rules are strict, because vendored and generated files are not indexed by default, and a wrong guess loses a file.
Folders are compared as whole path components, case-sensitively: `latest/` is not `test/`.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from repomem.adapters.languages.generator_banners import has_banner
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Role


def words_set(text: str) -> frozenset[str]:
    """The words of a table, which reads better than a column of quoted strings."""
    return frozenset(text.split())


PROSE_SUFFIXES = words_set("md markdown mdx rst adoc asciidoc org rdoc textile pod")

_ATTRIBUTES = {
    Role.GENERATED: "linguist-generated",
    Role.VENDORED: "linguist-vendored",
    Role.DOCS: "linguist-documentation",
}
_MARKS = {"set": True, "true": True, "unset": False, "false": False}

_VENDORED_FOLDERS = words_set(
    "node_modules bower_components jspm_modules vendor vendored _vendor third_party third-party thirdparty 3rdparty "
    "Godeps Pods Carthage .yarn .bundle"
)
# C and C++ have no package manager: their libraries are copied here. Elsewhere such folders may hold own code
_TOP_LIBRARY_FOLDERS = words_set("deps extern external externals extlibs")
_LIBRARY_SUFFIXES = words_set("c h cc cpp cxx hh hpp hxx ipp inl inc s asm")
_VENDORED_FILES = words_set("gradlew gradlew.bat mvnw mvnw.cmd .pnp.cjs .pnp.loader.mjs")

_GENERATED_ENDINGS = (
    *("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.go", ".pb.gw.go", ".pb.cc", ".pb.h"),
    *(".g.dart", ".freezed.dart", ".designer.cs", ".g.cs"),
)
_SOURCE_MAP = lazy_pattern(
    r"^(?://|/\*)[#@] sourceMappingURL=\S+(?: \*/)?\s*\Z", re.MULTILINE
)  # of a compiled script or style
_COMPILED_FROM = {"lua": ["tl"], "js": ["ts", "tsx", "coffee"]}  # into the same folder
_BUNDLE_SUFFIXES = words_set("js mjs cjs css ts mts cts")
_TEMPLATE_SUFFIXES = words_set("gsl tmpl tpl j2 jinja jinja2 mustache hbs gotmpl")  # their banner is of what they make
_KEPT_FILES = frozenset({"schema.rb"})  # generated, but the only description of a Rails app's tables
_KEPT_FOLDERS = frozenset({".github"})  # a workflow shows how to build and test, even if it is generated

_TEST_FOLDERS = words_set(
    "test tests Test Tests __tests__ __mocks__ __snapshots__ __fixtures__ fixtures testdata test_data test-data e2e "
    "testutil testutils unittests unit_tests integration_tests integration-tests functional_tests cypress test-d "
    "__typetests__ __type-tests__ type-tests"
)
_SPEC_FOLDERS = words_set("spec specs Specs")
_NO_SPEC_SUFFIXES = PROSE_SUFFIXES | {"yaml", "yml", "json", "txt"}  # a `spec` folder of these specifies something
_TEST_FILES = words_set(
    "conftest.py test.py tests.py test.rs tests.rs test.js test.mjs test.cjs test.ts test.c test.cc test.cpp "
    "spec_helper.rb rails_helper.rb"
)
_TEST_STARTS = ("test_", "tests_", "test-")
_TEST_ENDS = ("_test", "-test", ".test", "_tests", "-tests", ".tests", "_unittest")
_SPEC_ENDS = ("_spec", "-spec", ".spec")
_SPEC_SUFFIXES = words_set("rb js jsx ts tsx mjs cjs mts cts coffee lua cr ex exs dart")
_SCRIPT_SUFFIXES = words_set("js jsx ts tsx mjs cjs mts cts")
_SCRIPT_TEST_ENDS = (".test-d", ".spec-d", ".tst", ".cy", ".e2e")  # tests of types, of components, of a whole site
_ENTRY_STEMS = words_set("index main")  # of files that each folder may have
_SCRIPT_BENCH_ENDS = (".bench", ".benchmark")
_CAMEL_SUFFIXES = words_set("java kt kts cs fs vb swift scala groovy php m mm cpp cc h hpp hs")
_CAMEL_ENDS = ("Test", "Tests", "TestCase", "TestSuite")
_CAMEL_SPEC_SUFFIXES = words_set("scala groovy hs swift")  # elsewhere a Spec is part of the product
_CAMEL_SPEC_ENDS = ("Spec", "Suite")
_TEST_SUFFIXES = words_set("bats t snap feature")

_EXAMPLE_FOLDERS = words_set(
    "example examples Example Examples _example _examples sample samples Sample Samples demo demos Demo Demos "
    "docs_src bench benches benchmark benchmarks Benchmarks playground"
)
_EXAMPLE_STARTS = ("example-", "examples-", "demo-")
_PACKAGE_ROOTS = frozenset({"com", "org", "net", "io"})  # `com/example/demo` is the package of every new Java project

_DOCS_FOLDERS = words_set("docs Docs documentation Documentation")
_TOP_DOCS_FOLDERS = words_set("doc Doc man wiki")  # further down they are code about documents and people
_DOCS_STEMS = words_set(
    "README CHANGELOG CHANGES HISTORY NEWS LICENSE LICENCE UNLICENSE COPYING COPYRIGHT NOTICE PATENTS AUTHORS "
    "CONTRIBUTORS CONTRIBUTING MAINTAINERS SECURITY CODE_OF_CONDUCT UPGRADING INSTALL TODO THANKS CREDITS"
)
CHANGELOG = lazy_pattern(  # the path of one, with its name
    r"(?i)(?:[^/]+/)?((?:change(?:s|_?log)|history|news|release[-_]?notes)(?:\.(?:md|markdown|rst|txt|adoc))?)"
)
_DOCS_STEM_SUFFIXES = frozenset({"", "txt", "html"})
_BUILD_TEXTS = ("requirements", "constraints", "CMakeLists")  # .txt at the top, and yet no prose
_SETTINGS = lazy_pattern(  # configures a build or states a version: changed often, but contains no feature
    r"(?i).*\.config\.[cm]?[jt]s|\.?eslintrc\.[cm]?js|(?:gulp|grunt)file\.[jt]s|.*\.gradle(?:\.kts)?|mix\.exs|build\.sbt"
    r"|setup\.py|conf\.py|noxfile\.py|tasks\.py|_{0,2}version_{0,2}\.\w+|rakefile|gemfile|.*\.gemspec|package\.swift"
    r"|build\.(?:rs|zig)|configure|.*\.rockspec|(?:app|brew|cart|danger|deliver|fast|pod|vagrant)file|.*\.podspec"
)


class _Place(NamedTuple):
    """A path's parts, and the beginning and end of its file."""

    path: str
    folders: list[str]
    name: str
    stem: str
    suffix: str  # lower case, without the dot
    head: str


def role_of(path: str, head: str, attributes: Mapping[str, str]) -> Role:
    """The role of a path, from the beginning and end of its text and its `linguist-*` git attributes.

    `attributes` are as `git check-attr` prints them: set, unset, unspecified or a value.
    """
    declared = _declared_roles(attributes) if attributes else {}
    for role, is_declared in declared.items():
        if is_declared:
            return role
    place = _place_of(path, head)
    for role, has_role in _RULES:
        if role not in declared and has_role(place):
            return role
    return Role.SOURCE


def is_test(path: str) -> bool:
    return role_of(path, "", {}) is Role.TEST


def names_of_tests(path: str) -> list[str]:
    """The names that a file with the tests of a source file may have, in the conventions of its language."""
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    if not stem:
        return []
    is_script = suffix in _SCRIPT_SUFFIXES
    suffixes = sorted(_SCRIPT_SUFFIXES, key=lambda one: (one != suffix, one)) if is_script else [suffix]
    ends = [*_TEST_ENDS, *_SPEC_ENDS, *_CAMEL_ENDS, *_CAMEL_SPEC_ENDS, *(_SCRIPT_TEST_ENDS if is_script else ())]
    stems = [*(f"{start}{stem}" for start in (*_TEST_STARTS, "Test")), *(f"{stem}{end}" for end in ends)]
    stems += [stem] * (is_script and stem not in _ENTRY_STEMS)  # as `test/reply.js`
    return [f"{one}.{each}" for each in suffixes for one in stems]


def is_in_test_folder(path: str) -> bool:
    """Whether a folder above the path holds tests or their data."""
    return not _TEST_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_settings(path: str) -> bool:
    """Whether a source file only configures a build or states a version."""
    return _SETTINGS.fullmatch(path.rpartition("/")[2]) is not None


def originals_of(path: str) -> list[str]:
    """The paths from which a file may be compiled."""
    stem, _, suffix = path.rpartition(".")
    return [f"{stem}.{each}" for each in _COMPILED_FROM.get(suffix, ())]


def suffix_of(name: str) -> str:
    """The last suffix of a file name, lower case and without the dot; empty without one."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def _declared_roles(attributes: Mapping[str, str]) -> dict[Role, bool]:
    """The roles that the repository's attributes confirm or deny."""
    marks = {role: _MARKS.get(attributes.get(name, "").lower()) for role, name in _ATTRIBUTES.items()}
    return {role: mark for role, mark in marks.items() if mark is not None}


def _place_of(path: str, head: str) -> _Place:
    *folders, name = path.split("/")
    suffix = suffix_of(name)
    return _Place(path, folders, name, name.rpartition(".")[0] if suffix else name, suffix, head)


def _is_vendored(place: _Place) -> bool:
    return (
        not _VENDORED_FOLDERS.isdisjoint(place.folders)
        or place.name in _VENDORED_FILES
        or (place.suffix in _LIBRARY_SUFFIXES and _is_in_library(place.folders))
    )


def _is_in_library(folders: list[str]) -> bool:
    """Whether the folders are those of a copied library: one within a top folder for libraries, or a bundled one."""
    return (len(folders) > 1 and folders[0] in _TOP_LIBRARY_FOLDERS) or "bundled" in folders


def _is_generated(place: _Place) -> bool:
    if place.name.lower().endswith(_GENERATED_ENDINGS) or _is_bundle(place) or place.folders[:1] == ["_site"]:  # Jekyll
        return True
    if place.name in _KEPT_FILES or place.suffix in _TEMPLATE_SUFFIXES or not _KEPT_FOLDERS.isdisjoint(place.folders):
        return False
    return bool(_SOURCE_MAP.search(place.head)) or has_banner(place.head, is_prose=place.suffix in PROSE_SUFFIXES)


def _is_bundle(place: _Place) -> bool:
    """Whether this is the built copy of neighbouring sources, committed for users who cannot build."""
    return place.folders[:1] == ["dist"] and place.suffix in _BUNDLE_SUFFIXES


def _is_test(place: _Place) -> bool:
    if not _TEST_FOLDERS.isdisjoint(place.folders):
        return True
    if not _SPEC_FOLDERS.isdisjoint(place.folders) and place.suffix not in _NO_SPEC_SUFFIXES:
        return True
    if "Test" in place.path and any(folder.endswith(("Test", "Tests")) for folder in place.folders):
        return True
    is_product = "/src/main/" in f"/{place.path}"  # of Maven and Gradle: a `TestRule.java` there is the library's own
    return place.suffix not in PROSE_SUFFIXES and not is_product and _is_test_name(place)


def _is_test_name(place: _Place) -> bool:
    stem, suffix = place.stem, place.suffix
    return (
        place.name in _TEST_FILES
        or suffix in _TEST_SUFFIXES
        or stem.startswith(_TEST_STARTS)
        or stem.endswith(_TEST_ENDS)
        or (suffix in _SPEC_SUFFIXES and stem.endswith(_SPEC_ENDS))
        or (suffix in _SCRIPT_SUFFIXES and stem.endswith(_SCRIPT_TEST_ENDS))
        or (suffix in _CAMEL_SUFFIXES and _is_camel_test(stem, suffix))
    )


def _is_camel_test(stem: str, suffix: str) -> bool:
    if stem in _CAMEL_ENDS:  # `Test.java` declares what a test is
        return False
    if stem.endswith(_CAMEL_ENDS) or (suffix in _CAMEL_SPEC_SUFFIXES and stem.endswith(_CAMEL_SPEC_ENDS)):
        return True
    return suffix == "java" and stem.startswith("Test") and stem[4:5].isupper()


def _is_example(place: _Place) -> bool:
    if place.suffix in _SCRIPT_SUFFIXES and place.stem.endswith(_SCRIPT_BENCH_ENDS):
        return True
    for above, folder in zip(["", *place.folders], place.folders, strict=False):
        if above in _PACKAGE_ROOTS:
            return False
        if folder in _EXAMPLE_FOLDERS or folder.lower().startswith(_EXAMPLE_STARTS):
            return True
    return False


def _is_docs(place: _Place) -> bool:
    if place.suffix in PROSE_SUFFIXES or not _DOCS_FOLDERS.isdisjoint(place.folders):
        return True
    if place.folders and place.folders[0] in _TOP_DOCS_FOLDERS:
        return True
    if place.suffix in _DOCS_STEM_SUFFIXES and not _DOCS_STEMS.isdisjoint(place.stem.upper().split("-")):
        return True
    return place.suffix == "txt" and not place.folders and not place.stem.startswith(_BUILD_TEXTS)


# The first rule that holds decides: a test inside a vendored library is vendored.
_RULES: tuple[tuple[Role, Callable[[_Place], bool]], ...] = (
    (Role.VENDORED, _is_vendored),
    (Role.GENERATED, _is_generated),
    (Role.TEST, _is_test),
    (Role.EXAMPLE, _is_example),
    (Role.DOCS, _is_docs),
)
