"""Facts from a repository's manifests, each with its file and line.

Lists the known kinds of files and decides which takes precedence; the other modules of this package read them. No
guesses: if no file names a test command, there is no such fact.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.adapters.languages.classify import text_of
from repomem.core.secrets.redact import redact
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import ONE_TEST, Fact
from repomem.core.types.text import CleanText
from repomem.profile.binding_sentences import quotations
from repomem.profile.ecosystems import Ecosystem, default_facts, is_foreign, main_ecosystem
from repomem.profile.guides import deprecates_make, read_guide, read_mentions, read_readme
from repomem.profile.manifests import patterns
from repomem.profile.manifests.ci import read_gitlab, read_travis, read_workflow
from repomem.profile.manifests.commands import BENCHMARK, GENERATE
from repomem.profile.manifests.manifest import Manifest, Reader
from repomem.profile.manifests.python import read_noxfile, read_pyproject, read_setup_cfg, read_setup_py, read_tox
from repomem.profile.manifests.submodules import with_submodules
from repomem.profile.manifests.tasks import read_justfile, read_makefile, read_rakefile, read_taskfile
from repomem.profile.one_test import one_test
from repomem.profile.packages import read_cargo, read_composer_json, read_deno_json, read_package_json
from repomem.workspace.snapshot import Snapshot

LARGEST_FILE = 200_000  # bytes; a longer manifest is generated
LARGEST_JSON = 2_000_000  # bytes; a package.json may list hundreds of exports, and is parsed fast
MAX_PATHS = 40  # manifests read; real repositories have 5 to 25
MAX_DEPTH = 2  # folders above a manifest: packages/NAME/package.json
MAX_CHARS = 100_000  # no hand-written manifest is longer; bounds matching time
MAX_LINE_CHARS = 5_000  # tomllib takes seconds for a dotted key of 100,000 parts
SHOWN = {
    "name": 1,
    "about": 1,
    "runtime": 3,
    "build": 1,
    "test": 2,
    ONE_TEST: 1,
    "lint": 2,
    "format": 1,
    GENERATE: 1,
    BENCHMARK: 1,
    "ci": 1,
    "entry": 4,
}
OF_ONE_PART = frozenset({"name", "about", "runtime"})
OF_THE_SHALLOWEST = frozenset({"runtime", "entry"})  # a nested package's are not those of the whole
COMMAND_SLOTS = frozenset({"build", "test", "lint", "format", GENERATE, BENCHMARK})
PACKAGE_SCRIPT = lazy_pattern(r"^(?:npm|pnpm|yarn|bun)(?: run)? ")
MAKE_FILES = frozenset({"Makefile", "makefile", "GNUmakefile"})
OF_ONE_ECOSYSTEM = frozenset({"build", "test"})

ASIDE = lazy_pattern(  # folders whose manifests do not describe the repository
    r"(?i)(?:^|/)(?:_[^/]+|node_modules|vendor(?:ed)?|third_?party|extern(?:al)?|deps|testdata|fixtures?"
    r"|examples?|samples?|demos?|templates?|tests?|specs?|bench(?:es|marks?)?|docs?|website|site|www|dist|build|target|out"
    r"|playground|sandbox|tools|xtask|scripts|fuzz(?:ing)?|e2e|[^/]+[-.](?:tests?|specs?|bench(?:es|marks?)?|samples?|examples?|demos?))/"
)


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: the pattern of its path, its reader, and its precedence for commands (0 is first)."""

    path: re.Pattern[str]
    read: Reader | None  # None: it is read for quotations, with all others of its kind
    rank: int


def _anywhere(names: str, read: Reader, rank: int) -> FileKind:
    return FileKind(lazy_pattern(rf"(?:[^/]+/){{0,{MAX_DEPTH}}}(?:{names})"), read, rank)


def _exactly(path: str, read: Reader | None, rank: int) -> FileKind:
    return FileKind(lazy_pattern(path), read, rank)


READMES, GUIDES, TASKS, SCRIPTS, ENVIRONMENTS, MENTIONS, DEFAULTS, WORKFLOWS = range(8)
TEST_CMAKE = r"(?i:(?:[^/]+/)?(?:unit[-_]?)?tests?/(?:[^/]+/)?CMakeLists\.txt)"
_POLICY_NAMES = r"(?:AGENTS?|CLAUDE|GEMINI|AI_POLICY|CONTRIBUTING|HACKING|DEVELOPMENT)(?:\.(?:md|rst|txt))?"
_NOT_POLICY = r"(?!(?:CODE_OF_CONDUCT|SECURITY|SUPPORT|FUNDING|ISSUE_TEMPLATE|README|CHANGELOG|RELEASE\w*)\b)"

KINDS: tuple[FileKind, ...] = (  # at equal depth, the earlier kind names the repository
    _anywhere(r"pyproject\.toml", read_pyproject, SCRIPTS),
    _anywhere(r"setup\.cfg", read_setup_cfg, SCRIPTS),
    _anywhere(r"setup\.py", read_setup_py, SCRIPTS),
    _anywhere(r"Cargo\.toml", read_cargo, SCRIPTS),
    _anywhere(r"go\.mod", patterns.read_go_mod, SCRIPTS),
    _anywhere(r"[^/]+\.gemspec", patterns.read_gemspec, SCRIPTS),
    _anywhere(r"pom\.xml", patterns.read_pom, SCRIPTS),
    _anywhere(r"(?:settings|build)\.gradle(?:\.kts)?", patterns.read_gradle, SCRIPTS),
    _anywhere(r"[^/]+\.csproj|Directory\.Build\.props", patterns.read_csproj, SCRIPTS),
    _exactly(r"global\.json", patterns.read_global_json, SCRIPTS),
    _anywhere(r"mix\.exs", patterns.read_mix, SCRIPTS),
    _anywhere(r"build\.sbt", patterns.read_sbt, SCRIPTS),
    _anywhere(r"Package(?:@swift-[\d.]+)?\.swift", patterns.read_swift_package, SCRIPTS),
    _anywhere(r"pubspec\.yaml", patterns.read_pubspec, SCRIPTS),
    _anywhere(r"build\.zig(?:\.zon)?", patterns.read_zig, SCRIPTS),
    _anywhere(r"[^/]+\.cabal", patterns.read_cabal, SCRIPTS),
    _anywhere(r"[^/]+\.rockspec", patterns.read_rockspec, SCRIPTS),
    _anywhere(r"stack\.yaml", patterns.read_stack, SCRIPTS),
    _anywhere(r"composer\.json", read_composer_json, SCRIPTS),
    _anywhere(r"deno\.jsonc?", read_deno_json, SCRIPTS),
    _anywhere(r"package\.json", read_package_json, SCRIPTS),
    _exactly(TEST_CMAKE, lambda _: iter(()), SCRIPTS),  # for how one test is run
    _anywhere(r"CMakeLists\.txt", patterns.read_cmake, SCRIPTS),
    _anywhere(r"GNUmakefile|[Mm]akefile", read_makefile, TASKS),
    _anywhere(r"\.?[Jj]ustfile", read_justfile, TASKS),
    _anywhere(r"[Tt]askfile\.ya?ml", read_taskfile, TASKS),
    _anywhere(r"Rakefile", read_rakefile, TASKS),
    _anywhere(r"Gemfile", patterns.read_gemfile, SCRIPTS),
    _anywhere(r"tox\.ini", read_tox, ENVIRONMENTS),
    _anywhere(r"noxfile\.py", read_noxfile, ENVIRONMENTS),
    _exactly(r"main\.go|cmd/[^/]+/main\.go", patterns.read_go_main, SCRIPTS),
    _exactly(r"(?:[^/]+/)?src/main\.rs", patterns.read_rust_main, SCRIPTS),
    _exactly(r"Dockerfile", patterns.read_dockerfile, SCRIPTS),
    _exactly(r"(?i:readme(?:\.(?:md|markdown|rst|txt))?)", read_readme, READMES),
    _exactly(rf"(?i:(?:\.github/|docs/)?{_POLICY_NAMES})", read_guide, GUIDES),
    _exactly(rf"(?i:\.github/{_NOT_POLICY}[^/]+\.md|\.github/instructions/[^/]+\.md)", None, GUIDES),
    _exactly(r"\.cursorrules|\.windsurfrules|\.cursor/rules/[^/]+\.mdc?", None, GUIDES),
    _exactly(
        r"\.github/workflows/(?i:(?!.*(?:doc|sample|example|fuzz|lint))[^/]*(?:test|ci|integration|unit|build|main|check))[^/]*\.ya?ml",
        read_workflow,
        WORKFLOWS,
    ),
    _exactly(r"\.github/workflows/[^/]+\.ya?ml", read_workflow, WORKFLOWS + 1),
    _exactly(r"\.gitlab-ci\.yml", read_gitlab, WORKFLOWS),
    _exactly(r"\.travis\.yml", read_travis, WORKFLOWS + 2),  # most repositories that keep the file left Travis
)

_ANY_KIND = lazy_pattern("|".join(f"(?:{kind.path.pattern})" for kind in KINDS))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact with the precedence of its file: depth first, then rank for commands, then kind."""

    fact: Fact
    depth: int
    rank: int
    kind: int

    @property
    def order(self) -> tuple[int, int, int, int, str]:
        """The sort key within a slot; of similar files the shorter name comes first (test.yml, test-docs.yml)."""
        rank = self.rank if self.fact.slot in COMMAND_SLOTS else 0
        if self.fact.slot == "lint" and rank in (TASKS, SCRIPTS):
            rank = READMES - 1  # a guide's list of linters goes out of date, unlike a task, which CI or people run
        return self.depth, rank, self.kind, len(self.fact.path), self.fact.path


def read_facts(snapshot: Snapshot, paths: Iterable[str]) -> list[Fact]:
    """The facts in the manifests among these paths."""
    live = list(paths)
    texts = {path: text for path in profile_paths(live) if (text := text_at(snapshot, path)) is not None}
    return list(profile_facts(texts, live))


def text_at(snapshot: Snapshot, path: str) -> CleanText | None:
    """The redacted text of a live file; None if it is unreadable or binary."""
    data = snapshot.data(path, LARGEST_JSON if path.endswith(".json") else LARGEST_FILE)
    text = text_of(data) if data is not None else None
    return None if text is None else redact(text)  # before facts are cut: half a secret is not recognised


def profile_paths(paths: Iterable[str]) -> list[str]:
    """The paths of manifests and guides, shallowest first and workflows after manifests, at most MAX_PATHS."""
    known = [path for path in paths if _ANY_KIND.fullmatch(path) and not _is_aside(path)]
    return sorted(known, key=lambda path: (_depth(path), path.startswith(".github/workflows/"), path))[:MAX_PATHS]


def profile_facts(files: Mapping[str, str], paths: Iterable[str] = ()) -> tuple[Fact, ...]:
    """The facts that `files` (path to text) state, by slot in the order of a brief; `paths` are all live files,
    without which no default is known.

    Broken and unknown files are skipped. Commands come from the README, else a contributor guide, else the task file or
    manifest nearest the root (of linters: these first); if none has any, the ecosystem's defaults, and last CI.
    """
    live = frozenset(paths)
    candidates, policies, is_make_deprecated = list[Candidate](), list[Manifest](), False
    for path, text in sorted(files.items()):
        number = next((number for number, kind in enumerate(KINDS) if kind.path.fullmatch(path)), None)
        if number is None or _is_too_long(path, text):
            continue
        kind = KINDS[number]
        manifest = Manifest(path, text.replace("\r\n", "\n"), live)
        is_make_deprecated |= kind.rank in (READMES, GUIDES) and deprecates_make(manifest)
        if kind.rank == GUIDES:
            policies.append(manifest)
            mentioned = read_mentions(manifest) if kind.read else ()
            candidates += [Candidate(fact, _depth(path), MENTIONS, number) for fact in mentioned]
        if kind.read is not None:
            facts = kind.read(manifest)
            candidates += [Candidate(fact, _depth(path), kind.rank, number) for fact in facts if fact.text]
    if is_make_deprecated:
        candidates = [c for c in candidates if c.fact.path not in MAKE_FILES]
    chosen = with_submodules(_all_chosen(_of_the_whole(candidates), files, live), files, live)
    return (*chosen, *quotations(policies))


def _all_chosen(candidates: Sequence[Candidate], files: Mapping[str, str], live: Collection[str]) -> Iterator[Fact]:
    """The facts of each slot: those of files, the main ecosystem's defaults, and how one test is run."""
    main = main_ecosystem(live)
    own = [c for c in candidates if _is_usable(c.fact, main, live)]
    stated = {(c.fact.slot, c.fact.text): c.fact for c in sorted(own, key=lambda c: c.order, reverse=True)}
    usual = default_facts(main, files, live)  # cited where CI runs the same
    defaults = [Candidate(stated.get((fact.slot, fact.text), fact), 0, DEFAULTS, 0) for fact in usual]
    for slot in SHOWN:
        if slot == ONE_TEST:
            tests = _chosen("test", [*own, *defaults])
            fallback = next((c.fact.text for c in defaults if c.fact.slot == "test"), "")
            single = one_test(tests[0], files, live, fallback) if tests else None
            yield from [single] if single else []
        else:
            yield from _chosen(slot, [*own, *defaults])


def _is_usable(fact: Fact, main: Ecosystem | None, live: Collection[str]) -> bool:
    """Whether a fact may be given as one about the whole repository.

    A command must be of the main ecosystem. `make` without a Makefile in git does not count as a build; for other
    slots it counts if CMake does not build the project, since `configure` may write the Makefile.
    """
    folder, _, name = fact.path.rpartition("/")
    if fact.slot == "runtime" and folder and name.startswith("build.gradle") and name in live:
        return False  # the target of one project, such as that for Android; the root states none
    if fact.slot not in OF_ONE_ECOSYSTEM:
        return True
    is_generated = fact.text.startswith("make") and MAKE_FILES.isdisjoint({*live, fact.path})
    is_generated &= fact.slot == "build" or "CMakeLists.txt" in live
    return not is_generated and not is_foreign(fact.text, main)


def _is_too_long(path: str, text: str) -> bool:
    if path.endswith(".json"):
        return len(text) > LARGEST_JSON
    return len(text) > MAX_CHARS or max(map(len, text.split("\n"))) > MAX_LINE_CHARS


def _depth(path: str) -> int:
    """The number of folders above a file; 0 below .github, whose files describe the whole repository."""
    folders = path.split("/")[:-1]
    return 0 if folders[:1] == [".github"] or path.lower().startswith("docs/contributing") else len(folders)


def _is_aside(path: str) -> bool:
    is_of_whole = path.lower().startswith("docs/contributing") or re.fullmatch(TEST_CMAKE, path)
    return ASIDE.search(path) is not None and not is_of_whole


def _of_the_whole(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without names, descriptions and runtimes of single packages, if only packages have names.

    A package represents the repository if its name is a prefix of all others (axum of axum-core and axum-macros).
    """
    names = [c for c in candidates if c.fact.slot == "name"]
    depth = min((c.depth for c in names), default=0)
    parts = sorted((c for c in names if c.depth == depth), key=lambda c: len(c.fact.text))
    if depth == 0 or len(parts) < 2:
        return list(candidates)
    stem = parts[0].fact.text.split()[0]
    speaker = parts[0].fact.path if all(part.fact.text.startswith(stem) for part in parts) else ""
    return [c for c in candidates if c.depth == 0 or c.fact.path == speaker or c.fact.slot not in OF_ONE_PART]


def _chosen(slot: str, candidates: Iterable[Candidate]) -> list[Fact]:
    known = ordered = sorted((c for c in candidates if c.fact.slot == slot), key=lambda c: c.order)
    if slot in COMMAND_SLOTS and ordered:
        first = _declared(ordered[0], ordered)
        ordered = [first, *(c for c in ordered if c is not first and _is_shown_with(c, first))]
    elif slot in OF_THE_SHALLOWEST and ordered:
        ordered = [c for c in ordered if c.depth == ordered[0].depth]
    if slot == "runtime":
        firsts = {_language(c): c for c in reversed(ordered)}
        ordered = [c for c in ordered if firsts[_language(c)] is c and not any(_is_other(part, c) for part in known)]
    return [candidate.fact for candidate in ordered[: SHOWN[slot]]]


def _language(candidate: Candidate) -> str:
    return candidate.fact.text.split()[0]


def _is_other(part: Candidate, whole: Candidate) -> bool:
    """Whether a nested package needs an older version of the language, so the repository has no single version."""
    is_inside = part.depth > whole.depth and (part.kind, _language(part)) == (whole.kind, _language(whole))
    return is_inside and _version(part) < _version(whole)


def _version(candidate: Candidate) -> list[int]:
    """The numbers of a version, without the version that builds it."""
    return [int(number) for number in re.findall(r"\d+", candidate.fact.text.partition(" (")[0])]


def _declared(first: Candidate, others: Iterable[Candidate]) -> Candidate:
    """The task that the best command calls, since a task shows what it runs; without one, the best command."""
    if first.rank not in (READMES, GUIDES, MENTIONS):
        return first
    return next((c for c in others if c.rank in (TASKS, SCRIPTS) and _called(c.fact) == _called(first.fact)), first)


def _called(fact: Fact) -> str:
    """The task that a command calls, with any package manager."""
    return PACKAGE_SCRIPT.sub("script ", fact.text.partition(" → ")[0])


def _is_shown_with(candidate: Candidate, first: Candidate) -> bool:
    """Whether a command is shown with the best one: if a manifest of the same depth declares it.

    Linters often have one CI workflow each, so those are shown together too.
    """
    is_declared = TASKS <= first.rank <= candidate.rank <= SCRIPTS and candidate.depth == first.depth
    is_linter_of_ci = candidate.fact.slot == "lint" and first.rank >= WORKFLOWS
    return is_declared or is_linter_of_ci
