"""What would be requests to an object store: the reads and the new files of one command, as strace sees them. Linux.

python -m benchmarks.scale.requests WORK_TREE QUESTION

Prints JSON for an index run after a commit of one file and for a recall: reads of ranges of the tables' files, and
files written. LanceDB joins neighbouring reads on object stores more than on disks: an upper bound of its requests.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

from benchmarks.inputs import git
from benchmarks.processes import repomem, run

READ = re.compile(r"\b(?:pread64|read)\(\d+<([^>]*/store/[^>]*)>.*= (\d+)$")


def main() -> None:
    top, question = Path(sys.argv[1]), sys.argv[2]
    path = next(path for path in sorted(top.glob("part-*/**/*.py")) if path.is_file())
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed again\n", encoding="utf-8")
    git(top, "commit", "-qam", "Change one file again")
    told = {"index, one file changed": _traced(top, "index", "--quiet"), "recall": _traced(top, "recall", question)}
    print(json.dumps(told))


def _traced(top: Path, *arguments: str) -> dict[str, int]:
    store = top / ".git" / "repomem" / "store"
    before = {each for each in store.rglob("*") if each.is_file()}
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as trace:
        command = ("strace", "-f", "-y", "-qq", "-s", "0", "-e", "trace=pread64,read", "-o", trace.name)
        run((*command, *repomem(*arguments)), top)
        found = [READ.search(line) for line in trace]
    sizes = [int(each[2]) for each in found if each]
    written = {each for each in store.rglob("*") if each.is_file()} - before
    return {
        "reads": len(sizes),
        "bytes read": sum(sizes),
        "files written": len(written),
        "bytes written": sum(each.stat().st_size for each in written),
    }


if __name__ == "__main__":
    main()
