"""A scripted agent without a model, which speaks Claude Code's stream format: `python scripted.py SCRIPT < PROMPT`.

It proves that runs, judgements and reports work, and shows what an agent that does as it is told would make of a
brief; it says nothing about real agents.

SCRIPT is JSON: a list of tasks; the one whose `task` comes last in the prompt is done.

- It opens files one by one until it has seen all that it has to edit: first those that the prompt names, then the
  repository's files by name.
- `edits` is a list of [path, old text, new text]; old text "" creates the file. With `tell`, a regular expression, it
  does `told` instead if a line of the prompt or of an AGENTS.md matches, unless that line says that it is outdated.
- `sleep` is how many seconds it waits first, and `runs` a command to run at the end.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

PRICE = 3e-6  # US dollars of a token, invented
OUTDATED = re.compile(r"verify before relying on it|superseded|no longer|contradicted|: verify\b")
PATH = re.compile(r"[\w@+-][\w@./+-]*\.\w+")


class Stream:
    """Prints the messages of a session, and counts what they would cost."""

    def __init__(self) -> None:
        self.calls = 0
        self.read = 0

    def say(self, **record: object) -> None:
        print(json.dumps({**record, "session_id": "scripted"}), flush=True)

    def call(self, tool: str, given: dict[str, object], output: str) -> None:
        """One tool call and its result."""
        self.calls += 1
        self.read += len(output)
        key = f"call-{self.calls}"
        use = {"type": "tool_use", "id": key, "name": tool, "input": given}
        usage = {"input_tokens": len(output) // 4 + 1, "output_tokens": 20}
        self.say(type="assistant", message={"id": f"message-{self.calls}", "content": [use], "usage": usage})
        result = {"type": "tool_result", "tool_use_id": key, "content": output}
        self.say(type="user", message={"content": [result]})

    def end(self, prompt: str) -> None:
        """The totals."""
        tokens = (len(prompt) + self.read) // 4
        usage = {"input_tokens": tokens, "output_tokens": 20 * self.calls, "cache_read_input_tokens": 0}
        cost = round(tokens * PRICE, 6)
        self.say(type="result", subtype="success", is_error=False, result="done", usage=usage, total_cost_usd=cost)


def main() -> None:
    prompt = sys.stdin.read()
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    known = [each for each in script if each["task"] in prompt]
    task = max(known, key=lambda each: prompt.rfind(each["task"]), default=None)  # a brief may quote earlier ones
    stream = Stream()
    stream.say(type="system", subtype="init", tools=["Read", "Edit", "Bash"], model="scripted")
    if task:
        time.sleep(task.get("sleep", 0))
        edits = task["told"] if is_told(task.get("tell", ""), prompt) else task["edits"]
        look(stream, prompt, {path for path, old, _ in edits if old})
        for edit in edits:
            change(stream, *edit)
        if command := task.get("runs"):
            done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            stream.call("Bash", {"command": command}, done.stdout + done.stderr)
    stream.end(prompt)


def is_told(tell: str, prompt: str) -> bool:
    """Whether the prompt or an agent file says it, and does not call it outdated."""
    texts = [prompt, *(path.read_text(encoding="utf-8") for path in [Path("AGENTS.md")] if path.exists())]
    lines = [line for text in texts for line in text.splitlines() if tell and re.search(tell, line)]
    return any(not OUTDATED.search(line) for line in lines)


def look(stream: Stream, prompt: str, wanted: set[str]) -> None:
    """Open files until all that are wanted are open."""
    here = sorted(str(path) for path in Path().rglob("*") if path.is_file() and ".git" not in path.parts)
    named = [path for path in dict.fromkeys(PATH.findall(prompt)) if path in here]
    for path in dict.fromkeys([*named, *here]):
        if not wanted:
            return
        wanted -= {path}
        stream.call("Read", {"file_path": str(Path(path).absolute())}, Path(path).read_text(encoding="utf-8"))


def change(stream: Stream, path: str, old: str, new: str) -> None:
    """Edit or create a file."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text(encoding="utf-8") if old else ""
    if old not in text:
        sys.exit(f"{path} does not contain {old!r}")
    file.write_text(text.replace(old, new, 1) if old else new, encoding="utf-8")
    stream.call("Edit", {"file_path": str(file.absolute()), "old_string": old, "new_string": new}, "edited")


if __name__ == "__main__":
    main()
