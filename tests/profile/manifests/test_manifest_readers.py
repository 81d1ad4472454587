"""Each kind of manifest: what is read from it, and at which line."""

from textwrap import dedent

import pytest

from repomem.profile.facts import profile_facts

Found = list[tuple[str, str, int]]


def found(path: str, text: str, *slots: str) -> Found:
    """Give (slot, text, first line) of the facts of one file, of `slots` alone where any are named."""
    facts = profile_facts({path: dedent(text).lstrip("\n")})
    return [(f.slot, f.text, f.start_line) for f in facts if not slots or f.slot in slots]


MANIFESTS: dict[str, tuple[str, Found]] = {
    "pyproject.toml": (
        """
        # name = "not this"
        [tool.poetry]
        description = '''
        name = "nor this"
        '''
        name = "tern"
        version = "0.3"
        [tool.poetry.dependencies]
        python = "^3.11"
        [tool.pdm.scripts]
        test.cmd = ["pytest", "-q"]
        lint = { composite = ["ruff check", "mypy src"] }
        [tool.poetry.scripts]
        tern = "tern.cli:main"
        """,
        [
            ("name", "tern 0.3", 6),
            ("about", 'name = "nor this"', 3),
            ("runtime", "Python ^3.11", 9),
            ("test", "pdm run test → pytest -q", 11),
            ("one test", "pytest FILE -k NAME", 11),
            ("lint", "pdm run lint → ruff check && mypy src", 12),
            ("entry", "tern → tern.cli:main", 14),
        ],
    ),
    "setup.cfg": (
        """
        [metadata]
        name = tern
        version = attr: tern.__version__
        description = Counts birds
        [options]
        python_requires = >=3.9
        [options.entry_points]
        console_scripts =
            tern = tern.cli:main
        """,
        [
            ("name", "tern", 2),
            ("about", "Counts birds", 4),
            ("runtime", "Python >=3.9", 6),
            ("entry", "tern → tern.cli:main", 9),
        ],
    ),
    "setup.py": (
        """
        setup(
            name="tern",
            version=read_version(),
            python_requires='>=3.8',
        )
        """,
        [("name", "tern", 2), ("runtime", "Python >=3.8", 4)],
    ),
    "tox.ini": (
        """
        [testenv]
        deps = pytest
        commands =
            tests: pytest {posargs}

        [testenv:lint]
        commands = ruff check
        """,
        [("test", "tox → pytest", 4), ("one test", "pytest FILE -k NAME", 4), ("lint", "tox -e lint → ruff check", 7)],
    ),
    "noxfile.py": (
        """
        import nox

        @nox.session(python=["3.11"], name="test")
        def run_all(session):
            session.run("pytest")

        @nox.session
        def lint(session):
            session.run("ruff")
        """,
        [("test", "nox -s test", 4), ("lint", "nox -s lint", 8)],
    ),
    "package.json": (
        """
        {
          "author": {"name": "not this"},
          "scripts": {"pretest": "x", "test:unit": "vitest", "test:browser": "karma"},
          "bin": "cli.js",
          "engines": {"node": ">=18"},
          "name": "tern", "version": "1.0.0"
        }
        """,
        [
            ("name", "tern 1.0.0", 6),
            ("runtime", "Node >=18", 5),
            ("test", "npm run test:unit → vitest; npm run test:browser → karma", 3),
            ("one test", "npx vitest run FILE -t NAME", 3),
            ("entry", "bin cli.js", 4),
        ],
    ),
    "Cargo.toml": (
        """
        [package]
        name = "tern"
        version.workspace = true
        rust-version = "1.80"
        [[bin]]
        name = "tern"
        path = "src/cli.rs"
        [[bin]]
        name = "ternd"
        """,
        [("name", "tern", 2), ("runtime", "Rust >= 1.80", 4), ("entry", "bin tern → src/cli.rs; bin ternd", 6)],
    ),
    "go.mod": (
        "// comment\nmodule example.org/tern\n\ngo 1.22\n",
        [("name", "example.org/tern", 2), ("runtime", "Go >= 1.22", 4)],
    ),
    "tern.gemspec": (
        """
        Gem::Specification.new 'tern', version do |s|
          s.summary = "Birds, counted."
          s.required_ruby_version = ['>= 3.1']
          s.executables = ["tern", "tern-count"]
        """,
        [
            ("name", "tern", 1),
            ("about", "Birds, counted.", 2),
            ("runtime", "Ruby >= 3.1", 3),
            ("entry", "bin tern, tern-count", 4),
        ],
    ),
    "swift.gemspec": (
        """
        Gem::Specification.new do |s|
          s.name = "swift"
          s.summary = "swift-#{VERSION}"
          s.description = "Fast birds."
        """,
        [("name", "swift", 2), ("about", "Fast birds.", 4)],
    ),
    "Gemfile": ('source "https://rubygems.org"\nruby "3.3.0"\n', [("runtime", "Ruby 3.3.0", 2)]),
    "Rakefile": (
        """
        require "rake/testtask"
        Rake::TestTask.new(:test) do |t|
        end
        RuboCop::RakeTask.new
        task build: %w[clean compile] do
        """,
        [
            ("build", "rake build → clean compile", 5),
            ("test", "rake test", 2),
            ("lint", "rake rubocop", 4),
        ],
    ),
    "pom.xml": (
        """
        <project>
          <!-- <artifactId>old</artifactId> -->
          <parent>
            <artifactId>parent</artifactId>
          </parent>
          <artifactId>tern</artifactId>
          <version>2.0</version>
          <description>
            Counts birds
          </description>
          <properties><maven.compiler.release>17</maven.compiler.release></properties>
          <build>
            <defaultGoal>clean verify checkstyle:check</defaultGoal>
          </build>
        """,
        [
            ("name", "tern 2.0", 6),
            ("about", "Counts birds", 9),
            ("runtime", "Java 17 (target version)", 11),
            ("build", "mvn", 13),
        ],
    ),
    "build.gradle.kts": (
        """
        version = "1.2"
        java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }
        application { mainClass = "org.example.Main" }
        """,
        [("runtime", "Java 21", 2), ("entry", "main org.example.Main", 3)],
    ),
    "settings.gradle": ("rootProject.name = 'tern'\n", [("name", "tern", 1)]),
    "Tern/Tern.csproj": (
        """
        \ufeff<Project>
          <AssemblyName>Tern</AssemblyName>
          <TargetFrameworks>net8.0;net9.0</TargetFrameworks>
        """,
        [("name", "Tern", 2), ("runtime", ".NET net8.0;net9.0", 3)],
    ),
    "global.json": (
        """
        {
          "sdk": {
            "rollForward": "latestMinor",
            "version": "9.0.308"
          }
        }
        """,
        [("runtime", ".NET SDK 9.0.308", 4)],
    ),
    "composer.json": (
        """
        {
          "name": "tern/tern",
          "require": {"php": ">=8.1"},
          "scripts": {
            "test": ["@php a.php", "phpunit"],
            "phpstan": "phpstan analyse"
          }
        }
        """,
        [
            ("name", "tern/tern", 2),
            ("runtime", "PHP >=8.1", 3),
            ("test", "composer test → php a.php && phpunit", 5),
            ("one test", "vendor/bin/phpunit --filter NAME", 5),
            ("lint", "composer phpstan → phpstan analyse", 6),
        ],
    ),
    "mix.exs": (
        """
          @version "0.4.0"
          def project do
            [app: :tern_app, version: @version,
              app: :tern,
              elixir: "~> 1.15"
          defp aliases do
            [
              test: ["ecto.create --quiet", "test"],
              "lint": ["format"]
            ]
          end
        """,
        [
            ("name", "tern 0.4.0", 4),
            ("runtime", "Elixir ~> 1.15", 5),
            ("test", "mix test", 8),
            ("one test", "mix test FILE:LINE", 8),
            ("lint", "mix lint", 9),
        ],
    ),
    "build.sbt": (
        'name := "tern"\nThisBuild / scalaVersion := "3.3.4"\n',
        [("name", "tern", 1), ("runtime", "Scala 3.3.4", 2)],
    ),
    "Package.swift": (
        '// swift-tools-version:5.9\nlet package = Package(\n    name: "Tern",\n',
        [("name", "Tern", 3), ("runtime", "Swift tools >= 5.9", 1)],
    ),
    "CMakeLists.txt": (
        """
        cmake_minimum_required(VERSION 3.20)
        project(tern VERSION 1.2.3 DESCRIPTION "Counts birds")
        set(CMAKE_CXX_STANDARD 20)
        add_executable(tern_tests a.cc)
        add_executable(ternd b.cc)
        """,
        [
            ("name", "tern 1.2.3", 2),
            ("about", "Counts birds", 2),
            ("runtime", "C++20", 3),
            ("entry", "executable ternd", 5),
        ],
    ),
    "deno.json": (
        '{\n  "name": "@a/tern",\n  "tasks": {\n    "test": "deno test -A"\n  },\n  "exports": "./mod.ts"\n}',
        [("name", "@a/tern", 2), ("test", "deno task test → deno test -A", 4), ("entry", "exports ./mod.ts", 6)],
    ),
    "pubspec.yaml": (
        "name: tern\nversion: 1.0.0+2\nenvironment:\n  sdk: ^3.4.0\n",
        [("name", "tern 1.0.0+2", 1), ("runtime", "Dart ^3.4.0", 4)],
    ),
    "build.zig.zon": (
        '.{\n    .name = .tern,\n    .version = "0.1.0",\n    .minimum_zig_version = "0.13.0",\n}',
        [("name", "tern 0.1.0", 2), ("runtime", "Zig >= 0.13.0", 4)],
    ),
    "tern.cabal": (
        "Name: tern\nversion: 0.2\nsynopsis: Counts birds\nexecutable ternd\n",
        [("name", "tern 0.2", 1), ("about", "Counts birds", 3), ("entry", "executable ternd", 4)],
    ),
    "stack.yaml": ("resolver: lts-22.1\n", [("runtime", "Stackage lts-22.1", 1)]),
    "justfile": (
        """
        version := "1"

        test *args: build
            @echo testing
            cargo nextest run {{args}}
        """,
        [("test", "just test → cargo nextest run", 3), ("one test", "cargo nextest run NAME", 3)],
    ),
    "Taskfile.yml": (
        """
        version: '3'
        tasks:
          default:
            deps: [test]
          test:
            desc: run everything
            cmds:
              - go test ./...
              - echo done
          lint: golangci-lint run
        """,
        [
            ("test", "task test → go test ./...", 5),
            ("one test", "go test ./PACKAGE -run '^NAME$'", 5),
            ("lint", "task lint → golangci-lint run", 10),
        ],
    ),
    "Dockerfile": ('FROM scratch\nCMD ["/tern"]\n', [("entry", 'CMD ["/tern"]', 2)]),
}


@pytest.mark.parametrize("path", MANIFESTS)
def test_a_manifest_states_its_facts_at_their_lines(path: str) -> None:
    text, expected = MANIFESTS[path]
    assert found(path, text) == expected


def test_the_entry_of_a_package_in_a_folder_is_a_path_from_the_root() -> None:
    cargo = '[package]\nname = "t"\n[[bin]]\nname = "tide"\npath = "main.rs"\n'
    npm = '{"name": "t", "bin": {"tide": "./cli.js"}, "main": "../dist/tide.js", "scripts": {"build": "tsc"}}'
    assert [text for _, text, *_ in found("tide-cli/Cargo.toml", cargo, "entry")] == ["bin tide → tide-cli/main.rs"]
    assert [text for _, text, *_ in found("web/package.json", npm, "entry")] == [
        "bin tide → web/cli.js; main dist/tide.js, a build output"
    ]


def test_an_empty_python_requirement_is_ignored() -> None:
    assert found("setup.py", "setup(\n    name='tern',\n    python_requires='',\n)\n") == [("name", "tern", 2)]
