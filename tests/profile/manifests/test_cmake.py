"""Which lines of a CMakeLists.txt apply without options."""

import pytest

from repomem.core.types.brief import Fact
from repomem.profile.facts import profile_facts


def facts_of(text: str, slot: str) -> list[Fact]:
    facts = profile_facts({"CMakeLists.txt": text}, ["CMakeLists.txt", "a.cpp"])
    return [fact for fact in facts if fact.slot == slot]


def in_block(condition: str, line: str, otherwise: str = "") -> str:
    return f"if({condition})\n  {line}\nelse()\n  {otherwise}\nendif()\n"


OFF = 'option(A_TESTS "build tests" OFF)\noption(A_ALL "all" OFF)\n'
SET = "set(CMAKE_CXX_STANDARD {})\n"
ON = 'option(A_TESTS "build tests" ON)\n'


@pytest.mark.parametrize(
    ("text", "command", "line"),
    [
        (ON + in_block("A_TESTS", "enable_testing()"), "ctest --test-dir build", 3),
        ("if(UNKNOWN)\nenable_testing()\nendif()\n", "ctest --test-dir build", 2),
        (
            OFF + in_block("A_ALL OR A_TESTS", "include(CTest)"),
            "cmake -B build -DA_TESTS=ON && cmake --build build && ctest --test-dir build",
            4,
        ),
        (
            OFF + "if(A_TESTS)\nif(NOT WIN32)\n# a comment (\nenable_testing()\nendif()\nendif()\n",
            "cmake -B build -DA_TESTS=ON && cmake --build build && ctest --test-dir build",
            6,
        ),
        (OFF + in_block("NOT A_TESTS", "enable_testing()"), "ctest --test-dir build", 4),
        (
            'cmake_dependent_option(A_TESTS\n  "build tests" OFF\n  "BUILD_TESTING;A_MAIN" OFF)\n'
            "include(CTest)\n" + in_block("A_TESTS", "add_subdirectory(test)"),
            "cmake -B build -DA_TESTS=ON && cmake --build build && ctest --test-dir build",
            4,
        ),
        ("include(CTest)\nadd_subdirectory(tests)\n", "ctest --test-dir build", 1),
        (OFF + in_block("A_TESTS", "set(x 1)", "enable_testing()"), "ctest --test-dir build", 6),
    ],
)
def test_tests_that_an_option_switches_on_are_built_with_it(text: str, command: str, line: int) -> None:
    assert [(fact.text, fact.start_line) for fact in facts_of(text, "test")] == [(command, line)]


def test_tests_that_need_two_options_give_no_command() -> None:
    assert facts_of(OFF + in_block("A_TESTS AND A_ALL", "enable_testing()"), "test") == []


@pytest.mark.parametrize(
    ("text", "runtimes"),
    [
        ("set(CMAKE_CXX_STANDARD 17)\n", ["C++17"]),
        ("set(RE2_CXX_VERSION cxx_std_17)\n", ["C++17"]),
        ("# needs cxx_std_17\n", []),
        ("function (add_module name)\n  set(x cxx_std_20)\nendfunction ()\nset(y cxx_std_11)\n", ["C++11"]),
        ("$<$<BOOL:${CHARCONV}>:cxx_std_17>\n", []),
        (OFF + "if(A_ALL)\n" + SET.format(20) + "elseif(NOT CMAKE_CXX_STANDARD)\n" + SET.format(11), ["C++11"]),
        (in_block("DEFINED CMAKE_CXX_STANDARD", "set(x 1)", "set(CMAKE_CXX_STANDARD 14)"), ["C++14"]),
        (in_block('"${CMAKE_CXX_STANDARD}" STREQUAL ""', "set(CMAKE_CXX_STANDARD 14)"), ["C++14"]),
        (in_block("CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR", "set(CMAKE_CXX_STANDARD 14)"), ["C++14"]),
        (in_block("MSVC", "set(CMAKE_CXX_STANDARD 20)", "set(CMAKE_CXX_STANDARD 17)"), []),
        (ON + in_block("(A_TESTS AND NOT A_TESTS) OR\n A_TESTS", "set(CMAKE_CXX_STANDARD 20)"), ["C++20"]),
    ],
)
def test_the_language_standard_is_the_one_set_without_options(text: str, runtimes: list[str]) -> None:
    assert [fact.text for fact in facts_of(text, "runtime")] == runtimes


@pytest.mark.parametrize("text", ["if(" + "(" * 9000, "endif()\nelse()\n", "if(A\n" * 3000])
def test_broken_files_are_read(text: str) -> None:
    assert facts_of(text + "\nenable_testing()\n", "runtime") == []


@pytest.mark.parametrize(
    ("notice", "command"),
    [
        ("#### Makefile\n\n**NOTE:** This method is deprecated. Use CMake.\n", "ctest --test-dir build"),
        ("The Makefile is no longer supported.\n", "ctest --test-dir build"),
        ("#### Makefile\n\nThe function `f` is deprecated.\n", "make test → ./a_test"),
        ("## Bindings\n\nThis method is deprecated, and will make a copy.\n", "make test → ./a_test"),
    ],
)
def test_a_makefile_that_the_readme_calls_deprecated_gives_no_commands(notice: str, command: str) -> None:
    files = {"CMakeLists.txt": "enable_testing()\n", "Makefile": "test:\n\t./a_test\n", "README.md": notice}
    facts = profile_facts(files, [*files, "a.c"])
    assert [fact.text for fact in facts if fact.slot == "test"] == [command]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (
            in_block("A_BUILD_TESTS", "add_executable(a-check a.cpp)", "add_executable(tool tool.cpp)"),
            ["executable tool"],
        ),
        ("add_executable(a-check\n  ${test-sources})\nadd_executable(tool tool.cpp latest.cpp)\n", ["executable tool"]),
        ("add_executable(run tests/run.cpp)\n", []),
        ("add_executable(check a.cpp)\nadd_test(NAME all COMMAND check)\n", []),
        (
            "add_executable(tool a.cpp)\nadd_test(NAME all COMMAND tool -t)\ninstall(TARGETS tool)\n",
            ["executable tool"],
        ),
    ],
    ids=["behind an option", "of test sources", "in the folder of tests", "run by CTest", "installed"],
)
def test_a_program_of_tests_is_no_entry(text: str, entries: list[str]) -> None:
    assert [fact.text for fact in facts_of(text, "entry")] == entries
