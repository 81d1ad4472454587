"""Lines of C that only one system reads."""

import pytest

from repomem.adapters.languages.conditional_lines import lines_of_one_system


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("#ifdef WIN32\nint f();\n#else\nint g();\n#endif\nint h();", {2}),
        ("#ifndef _WIN32\nint f();\n#else\nint g();\n#endif\nint h();", {4}),
        ("# if defined(__MINGW32__) && X\n#ifdef Y\nint f();\n#endif\nint g();\n# endif\nint h();", {3, 5}),
        ("#if !defined(_MSC_VER)\nint f();\n#endif", set()),
        ("#if defined(_WIN32) || defined(__linux__)\nint f();\n#endif", set()),
        ("#if X\nint f();\n#elif defined(__APPLE__)\nint g();\n#else\nint h();\n#endif", {4}),
        ("#endif\n#else\nint f();", set()),
        ("#define WIN32 1\nint f();", set()),
    ],
)
def test_the_lines_of_one_system_are_those_of_its_condition(text: str, lines: set[int]) -> None:
    assert lines_of_one_system(text) == lines
