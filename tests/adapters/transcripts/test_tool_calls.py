"""Which tool calls of a host read files: their paths, as written."""

import pytest

from repomem.adapters.transcripts.tool_calls import call_of


@pytest.mark.parametrize(
    ("tool", "arguments", "read"),
    [
        ("Read", {"file_path": "a.py", "offset": 3}, ("a.py",)),
        ("read_file", {"absolute_path": "/w/a.py"}, ("/w/a.py",)),
        ("read_many_files", {"paths": ["a.py", "b.py", "a.py"]}, ("a.py", "b.py")),
        ("read", {"filePath": "/w/a.py"}, ("/w/a.py",)),
        ("view", {"path": "a.py"}, ("a.py",)),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}, ("a.py",)),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a.py"}, ()),
        ("Grep", {"pattern": "total", "path": "src"}, ()),
        ("Read", {"file_path": 7, "paths": [None]}, ()),
        ("Read", "no JSON", ()),
    ],
)
def test_a_tool_that_reads_names_its_files(tool: str, arguments: object, read: tuple[str, ...]) -> None:
    assert call_of("k", tool, arguments).read == read
