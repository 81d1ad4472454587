"""Manifests that are programs or XML: regular expressions find their literal values; they are never run.

Covers Ruby, Java, .NET, Elixir, Scala, Swift, C and C++, Dart, Zig, Haskell and Go. Computed values are skipped.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.manifests import cmake
from repomem.profile.manifests.commands import Task, task_facts
from repomem.profile.manifests.manifest import Excerpt, LineIndex, Manifest, joined, real_version

SHOWN_MATCHES = 4  # entries of one file


Rule = tuple[str, re.Pattern[str], str]
"""A slot, the pattern whose first group is its value, and how the value is shown."""


def _rule(slot: str, pattern: str, shown: str = "{}") -> Rule:
    return slot, lazy_pattern(pattern, re.MULTILINE), shown


def _reader(*rules: Rule) -> Callable[[Manifest], Iterator[Fact]]:
    """How one kind of manifest is read: the first rule of each slot that matches, once, but several entry points.

    The version is shown with the name.
    """

    def read(manifest: Manifest) -> Iterator[Fact]:
        index = LineIndex(manifest.text)
        found: dict[str, list[Excerpt]] = {}
        for slot, pattern, shown in rules:
            matches = pattern.finditer(manifest.text) if slot not in found else ()
            values = [Excerpt(shown.format(match[1]), index.at(match.start(1))) for match in matches]
            found |= {slot: values} if values else {}
        versions = found.pop("version", [])
        for slot, values in found.items():
            if slot == "name":
                version = real_version(versions[0].text) if versions else ""
                yield manifest.fact("name", f"{values[0].text} {version}", values[0].line)
            else:
                yield from joined(manifest, slot, values[: SHOWN_MATCHES if slot == "entry" else 1])

    return read


_EXECUTABLES = lazy_pattern(r"^[ \t]*\w+\.executables[ \t]*(?:=|<<)[ \t]*(\[[^\]]*\]|[^\n]*)", re.MULTILINE)
_QUOTED = r"['\"]([^'\"\n{}#$]+)['\"]"  # a literal without interpolation
_SENTENCE = r"['\"]((?:(?!#\{).)+)['\"]"  # the same, which may have quotes and other marks

_go_mod = _reader(
    _rule("name", r"^module[ \t]+\"?([^\s\"]+)"),
    _rule("runtime", r"^go[ \t]+(\d[\w.]*)", "Go >= {}"),
)
GO_TOOLCHAIN = lazy_pattern(r"^toolchain[ \t]+go(\d\S*)", re.MULTILINE)
_gemspec = _reader(
    _rule("name", rf"^[ \t]*(?:\w+\.name[ \t]*=|Gem::Specification\.new[( ])[ \t]*{_QUOTED}"),
    _rule("version", rf"^[ \t]*\w+\.version[ \t]*=[ \t]*{_QUOTED}"),
    _rule("about", rf"^[ \t]*\w+\.summary[ \t]*=[ \t]*{_SENTENCE}[ \t]*$"),
    _rule("about", rf"^[ \t]*\w+\.description[ \t]*=[ \t]*{_SENTENCE}[ \t]*$"),
    _rule("runtime", rf"^[ \t]*\w+\.required_ruby_version[ \t]*=[^'\"\n]*{_QUOTED}", "Ruby {}"),
)
read_gemfile = _reader(_rule("runtime", rf"^ruby[ \t]+{_QUOTED}", "Ruby {}"))
_gradle = _reader(
    _rule("name", rf"^[ \t]*rootProject\.name[ \t]*=[ \t]*{_QUOTED}"),
    _rule("version", rf"^version[ \t]*=?[ \t]*{_QUOTED}"),
    _rule("about", rf"^description[ \t]*=?[ \t]*{_QUOTED}"),
    _rule("entry", rf"\bmainClass(?:Name)?(?:\.set\(|[ \t]*=)[ \t]*{_QUOTED}", "main {}"),
)
TARGET = " (target version)"  # of compiled code: a newer JDK may build it
JAVA_TOOLCHAIN = lazy_pattern(r"\b(?:JavaLanguageVersion\.of|jvmToolchain)\([ ]*(\d+)")
JAVA_TARGET = lazy_pattern(  # the version that compiled code runs on
    r"\b(?:options\.release|jvmTarget|(?:source|target)Compatibility)(?:[ \t]*=|\.set\(|[ \t])[ \t]*"
    r"(?:J\w+\.(?:VERSION|JVM)_)?['\"]?(?:1[._])?(\d+)\b"
)
LINE_COMMENT = lazy_pattern(r"(?<!:)//[^\n]*")
_csproj = _reader(
    _rule("name", r"<(?:AssemblyName|PackageId)>([^<$\n]+)<"),
    _rule("version", r"<Version(?:Prefix)?>([^<$\n]+)<"),
    _rule("about", r"<Description>\s{0,80}([^<]+)<"),
    _rule("runtime", r"<TargetFrameworks?>([^<$\n]+)<", ".NET {}"),
)
read_global_json = _reader(
    _rule(
        "runtime",
        r"\"sdk\"\s{0,80}:\s{0,80}\{[^{}]{0,800}?\"version\"\s{0,80}:\s{0,80}\"(\d[\w.-]*)\"",
        ".NET SDK {}",
    )
)
CSPROJ_PROGRAM = lazy_pattern(r"<OutputType>((?:Win)?Exe)<")
CSPROJ_ASIDE = lazy_pattern(  # programs for those who work on a library
    r"(?i)(?:^|[._-])(?:web_?site|site|docs?\w*|documentation\w*|samples?|examples?|demos?|bench\w*|perf\w*|tests?|fuzz\w*)"
    r"(?:$|[._-])|(?:tests?|benchmarks?|samples?|examples?|demo)$"
)
read_sbt = _reader(
    _rule("name", rf"^(?:ThisBuild[ /]+)?name[ \t]*:=[ \t]*{_QUOTED}"),
    _rule("version", rf"^[ \t]*(?:ThisBuild[ /]+)?version[ \t]*:=[ \t]*{_QUOTED}"),
    _rule("about", rf"^[ \t]*(?:ThisBuild[ /]+)?description[ \t]*:=[ \t]*{_QUOTED}"),
    _rule("runtime", rf"\bscalaVersion[ \t]*:=[ \t]*{_QUOTED}", "Scala {}"),
    _rule("runtime", r"\bcrossScalaVersions[ \t]*:=[ \t]*(?:Seq|List)\(([^)\n]*\d\.\d[^)\n]*)\)", "Scala {}"),
    _rule("entry", rf"\bmainClass[^:\n]*:=[ \t]*Some\({_QUOTED}", "main {}"),
)
SWIFT_VERSIONED = lazy_pattern(r"Package@swift-(\d{1,3}(?:\.\d{1,3})*)\.swift")
_swift_package = _reader(
    _rule("name", rf"\bPackage\(\s{{0,80}}name:[ \t]*{_QUOTED}"),
    _rule("runtime", r"^//[ ]*swift-tools-version:[ ]*([\d.]+)", "Swift tools >= {}"),
    _rule(
        "entry",
        rf"\.executable(?:Target)?\(\s{{0,80}}name:[ \t]*{_QUOTED}"
        r"(?!(?:(?!\.\w*[tT]arget\()[\s\S]){0,400}?\bpath:[ \t]*\"(?i:examples?|samples?|demos?|tools?)/)",
        "executable {}",
    ),
)
_cmake = _reader(
    _rule("name", r"^[ \t]*(?:project|PROJECT)\([ \t\n]{0,80}([\w.+-]+)"),
    _rule("version", r"^[ \t]*project\([^)$]{0,200}\bVERSION[ \t\n]{1,80}(\d[\w.]*)"),
    _rule("about", r"^[ \t]*project\([^)$]{0,400}\bDESCRIPTION[ \t\n]{1,80}\"([^\"\n]+)\""),
    _rule("runtime", r"^[ \t]*set\([ \t]*CMAKE_CXX_STANDARD[ \t]+(\d+)", "C++{}"),
    _rule("runtime", r"^[ \t]*set\([ \t]*CMAKE_C_STANDARD[ \t]+(\d+)", "C{}"),
    _rule("runtime", r"^[^#\n]{0,120}(?<!:)\bcxx_std_(\d+)\b", "C++{}"),
    _rule("runtime", r"^[ \t]*cmake_minimum_required\([ \t]*VERSION[ \t]+(\d+(?:\.\d+)*)", "CMake >= {}"),
    _rule(
        "entry",
        r"^[ \t]*add_executable\([ \t]*(?![\w.+-]*(?:test|bench|example|sample|fuzz))"
        r"(?![^)]{0,2000}(?<![a-zA-Z])[tT]ests?(?![a-zA-Z]))([\w.+-]+)",
        "executable {}",
    ),
)
read_pubspec = _reader(
    _rule("name", r"^name:[ \t]*['\"]?([\w.-]+)"),
    _rule("version", r"^version:[ \t]*['\"]?([\w.+-]+)"),
    _rule("about", r"^description:[ \t]*['\"]?([^|>'\"\s][^'\"\n]+)"),
    _rule("runtime", r"^[ ]+sdk:[ \t]*['\"]?([^'\"\n]+)", "Dart {}"),
)
read_zig = _reader(
    _rule("name", r"^(?:[ ]{0,4}|\t)\.name[ \t]*=[ \t]*[.\"]([\w-]+)"),  # of the package: others are a program's
    _rule("version", r"^[ \t]*\.version[ \t]*=[ \t]*\"([^\"\n]+)"),
    _rule("runtime", r"^[ \t]*\.minimum_zig_version[ \t]*=[ \t]*\"([^\"\n]+)", "Zig >= {}"),
)
read_cabal = _reader(
    _rule("name", r"^(?i:name):[ \t]*([\w.-]+)"),
    _rule("version", r"^(?i:version):[ \t]*([\w.-]+)"),
    _rule("about", r"^(?i:synopsis):[ \t]*(\S.*)$"),
    _rule("runtime", r"^(?i:tested-with):[ \t]*(\S.*)$"),
    _rule("entry", r"^(?i:executable)[ \t]+([\w.-]+)", "executable {}"),
)
read_stack = _reader(_rule("runtime", r"^(?:resolver|snapshot):[ \t]*(\S+)", "Stackage {}"))
read_rockspec = _reader(  # no version: each release leaves its own rockspec behind: which is the newest no file says
    _rule("name", rf"^package[ \t]*=[ \t]*{_QUOTED}"),
    _rule("about", rf"^[ \t]+summary[ \t]*=[ \t]*{_QUOTED}"),
)
read_rust_main = _reader(_rule("entry", r"^(?:pub )?(?:async )?fn (main)\(\)", "fn {}"))
read_dockerfile = _reader(_rule("entry", r"^((?:CMD|ENTRYPOINT)[ \t]+\S.*)$"))

POM_BLOCKS = ("parent", "dependencies", "dependencyManagement", "build", "profiles", "reporting", "organization")
POM_ASIDE = tuple(block for block in POM_BLOCKS if block != "build")
_pom = _reader(
    _rule("name", r"<artifactId>([^<$\n]+)<"),
    _rule("version", r"<version>([^<$\n]+)<"),
    _rule("about", r"<description>\s{0,80}([^<]+)<"),
    _rule(
        "runtime",
        r"<(?:maven\.compiler\.(?:release|target)|java\.version"
        r"|maven\.compiler\.source(?![\s\S]*<maven\.compiler\.(?:release|target)>))>([^<$\n]+)<",
        f"Java {{}}{TARGET}",
    ),
)
_pom_compiler = _reader(  # of a build without those properties
    _rule(
        "runtime",
        r"<artifactId>maven-compiler-plugin<(?:(?!</plugin>)[\s\S]){0,2000}?<(?:release|source|target)>(\d[\d.]*)<",
        f"Java {{}}{TARGET}",
    ),
)
POM_PROPERTY = lazy_pattern(r"<([\w.-]+)>([^<>$\n]*)</")
POM_USE = lazy_pattern(r"\$\{([\w.-]+)\}")
POM_DEFAULT_GOAL = lazy_pattern(r"<defaultGoal>\s{0,80}([^<$]*[^<$\s])\s*<")
POM_GOALS = {  # the first alone: a build that also lints is not a linter
    "build": lazy_pattern(r"(?<![\w:.-])(?:compile|package|verify|install)(?![\w:.-])"),
    "lint": lazy_pattern(r"\b(?:apache-rat|checkstyle|pmd|spotbugs|spotless):\S*check\b"),
}

MIX_ALIASES = lazy_pattern(r"^[ \t]*defp?[ ]+aliases\b")
MIX_ALIAS = lazy_pattern(r"[ \t]*(?:\[[ ]*)?(?:\"([\w.]+)\"|(\w+)):[ ]*(\[.*|\".*)")
_mix = _reader(
    _rule("name", r"^[ \t]*app:[ ]*:(\w+)"),
    _rule("version", rf"^[ \t]*(?:@version|version:)[ ]*{_QUOTED}"),
    _rule("about", rf"^[ \t]*(?:@description|description:)[ ]*{_QUOTED}"),
    _rule("runtime", r"^[ \t]*elixir:[ ]*\"([^\"\n]+)\"", "Elixir {}"),
    _rule("entry", r"^[ \t]*mod:[ ]*\{([\w.]+)", "application {}"),
    _rule("entry", r"\bmain_module:[ ]*([\w.]+)", "escript {}"),
)


def read_gemspec(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a gem, with all of its programs that are given as literals."""
    yield from _gemspec(manifest)
    found = _EXECUTABLES.search(manifest.text)
    if found and (names := re.findall(_QUOTED, found[1])):
        yield manifest.fact("entry", f"bin {', '.join(names)}", LineIndex(manifest.text).at(found.start(1)))


def read_go_mod(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a go.mod: its module, the oldest Go that builds it, and the toolchain that it is built with."""
    toolchain = GO_TOOLCHAIN.search(manifest.text)
    built = f" (built with {toolchain[1]})" if toolchain else ""
    for fact in _go_mod(manifest):
        yield replace(fact, text=fact.text + built) if fact.slot == "runtime" else fact


def read_gradle(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a Gradle build, with the oldest Java that its code runs on, which its toolchain may compile for."""
    yield from _gradle(manifest)
    text = LINE_COMMENT.sub("", manifest.text)
    toolchain = JAVA_TOOLCHAIN.search(text)
    oldest = min(JAVA_TARGET.finditer(text), key=lambda target: int(target[1]), default=toolchain)
    if oldest:
        built = f" (built with JDK {toolchain[1]})" if toolchain and toolchain[1] != oldest[1] else ""
        target = "" if toolchain else TARGET  # then the JDK that builds it is not known
        yield manifest.fact("runtime", f"Java {oldest[1]}{target}{built}", LineIndex(text).at(oldest.start(1)))


def read_go_main(manifest: Manifest) -> Iterator[Fact]:
    """The entry point of a Go program, which is named as its folder."""
    if found := re.search(r"^func main\(\)", manifest.text, re.MULTILINE):
        folder = PurePosixPath(manifest.path).parent.name
        name = f"func main of {folder}" if folder else "func main"
        yield manifest.fact("entry", name, LineIndex(manifest.text).at(found.start()))


def read_csproj(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a project file of .NET, which is an entry point if it makes a program that is not a side product."""
    yield from _csproj(manifest)
    program = CSPROJ_PROGRAM.search(manifest.text)
    name = PurePosixPath(manifest.path).stem
    if program and not CSPROJ_ASIDE.search(name):
        yield manifest.fact("entry", f"executable {name}", LineIndex(manifest.text).at(program.start(1)))


def read_swift_package(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a Package.swift; the tools' version is that of the oldest manifest, which older compilers read."""
    folder = PurePosixPath(manifest.path).parent
    named = (
        SWIFT_VERSIONED.fullmatch(path.name) for path in map(PurePosixPath, manifest.paths) if path.parent == folder
    )
    versions = [_numbers(found[1]) for found in named if found]
    own = SWIFT_VERSIONED.fullmatch(PurePosixPath(manifest.path).name)
    for fact in _swift_package(manifest):
        version = own[1] if own else fact.text.split()[-1]
        is_oldest = all(_numbers(version) <= other for other in versions)
        if is_oldest if fact.slot == "runtime" else not own:
            yield fact


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"[0-9]+", version)))


def read_cmake(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a CMakeLists.txt that hold without options; a standard under an unknown condition is left out."""
    certain = replace(manifest, text=cmake.applied(manifest.text))
    yield from (fact for fact in _cmake(certain) if fact.slot == "runtime")
    possible = replace(manifest, text=cmake.applied_without_tests(manifest.text))
    yield from (fact for fact in _cmake(possible) if fact.slot != "runtime")


def read_pom(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a pom.xml about its own project, without parents, dependencies and plug-ins."""
    text = with_properties(manifest.text)
    facts = list(_pom(Manifest(manifest.path, _without_blocks(text, POM_BLOCKS))))
    yield from facts
    if not any(fact.slot == "runtime" for fact in facts):
        yield from _pom_compiler(Manifest(manifest.path, _without_blocks(text, POM_ASIDE)))
    if manifest.path == "pom.xml":
        yield from _default_goal(manifest)


def with_properties(pom: str) -> str:
    """A pom.xml, or several, with the values of the properties that have just one; the lines stay the same."""
    values: dict[str, set[str]] = {}
    for block in pom.split("<properties>")[1:]:
        for name, value in POM_PROPERTY.findall(block.partition("</properties>")[0]):
            values.setdefault(name, set()).add(value)
    known = {name: found.pop() for name, found in values.items() if len(found) == 1}
    return POM_USE.sub(lambda use: known.get(use[1], use[0]), pom)


def _default_goal(manifest: Manifest) -> Iterator[Fact]:
    """`mvn` alone, which is a build if the default goal compiles, and a lint if it only runs checkers."""
    text = _without_blocks(manifest.text, POM_ASIDE)
    goals = POM_DEFAULT_GOAL.search(text)
    if goals is None:
        return
    line = LineIndex(text).at(goals.start(1))
    for slot, pattern in POM_GOALS.items():
        if pattern.search(goals[1]):
            yield manifest.fact(slot, "./mvnw" if "mvnw" in manifest.paths else "mvn", line)
            return


def read_mix(manifest: Manifest) -> Iterator[Fact]:
    """The facts of a mix.exs, with the aliases that build, test or lint."""
    yield from _mix(manifest)
    yield from task_facts(manifest, list(_mix_aliases(manifest)))


def _mix_aliases(manifest: Manifest) -> Iterator[Task]:
    is_inside = False
    for number, line in enumerate(manifest.lines, start=1):
        is_inside = bool(MIX_ALIASES.match(line)) or (is_inside and line.strip() != "end")
        if is_inside and (alias := MIX_ALIAS.match(line)):
            name = alias[1] or alias[2]
            yield Task(name, f"mix {name}", alias[3].strip(" ,"), number)


def _without_blocks(xml: str, tags: Sequence[str]) -> str:
    """The XML without these elements and without comments; line numbers stay the same."""
    for start, end in (("<!--", "-->"), *((f"<{tag}>", f"</{tag}>") for tag in tags)):
        kept, position = [], 0
        while (opened := xml.find(start, position)) >= 0:
            closed = xml.find(end, opened)
            after = closed + len(end) if closed >= 0 else len(xml)
            kept += [xml[position:opened], "\n" * xml.count("\n", opened, after)]
            position = after
        xml = "".join([*kept, xml[position:]])
    return xml
