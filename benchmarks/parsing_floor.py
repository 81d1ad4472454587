"""The floor of indexing: the files of an indexed worktree read and parsed by tree-sitter, and nothing else.

python -m benchmarks.parsing_floor WORK_TREE

Prints JSON: how many files and bytes are indexed, how many of them have a grammar, and the CPU seconds for those.
"""

import json
import sys
import time
from pathlib import Path

from repomem.adapters.languages.parsers import has_grammar, parser_of
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import opened


def main() -> None:
    top = Path(sys.argv[1])
    with opened(top, {}) as workspace:
        found = snapshot(workspace)
        files = [(top / file.path, file.language) for file in found.files] if found else []
    parsed = [(path, parser_of(language)) for path, language in files if language and has_grammar(language)]
    parsed_bytes = 0
    start = time.process_time()
    for path, parser in parsed:
        data = path.read_bytes()
        parsed_bytes += len(data)
        parser.parse(data)
    figures = {
        "cpu": time.process_time() - start,
        "files": len(files),
        "bytes": sum(path.stat().st_size for path, _ in files),
        "parsed_files": len(parsed),
        "parsed_bytes": parsed_bytes,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
