"""What a command printed, without what hosts write around it: how it ended, how long it took, where it ran."""

import re

_HEADED = re.compile(  # Codex
    r"\A(?:(?:Chunk ID|Wall time|Original token count|Exit code|Total output lines): [^\n]*\n|Process (?:exited|"
    r"running) [^\n]*\n)+"
    r"Output:\n?"
)
_FRAMED = re.compile(  # Gemini CLI
    r"\A(?:<[\w-]+>\s*)?(?:Command: .*?\n)?(?:Directory: [^\n]*\n)?Output: (?P<printed>.*?)"
    r"(?:\n(?:Error: [^\n]*|Exit Code: \S+|Signal: \S+|Background PIDs: [^\n]*|Process Group PGID: \d+|"
    r"</[\w-]+>))*\s*\Z",
    re.DOTALL,
)
_MARKED = re.compile(r"\A\s*Exit code \d+\n|\n?<(?:exited|shellId: \S{1,40} completed) with exit code -?\d+>\s*\Z")


def printed(output: str) -> str:
    """The command's own output."""
    framed = _FRAMED.match(output)
    return _MARKED.sub("", framed["printed"] if framed else _HEADED.sub("", output, count=1)).strip("\n")
