"""python -m benchmarks COMMAND …

agents [--agent COMMAND]                 memory tasks: is the memory in the brief? does an agent respect it?
preload MIRROR                           short commands forked from the preloaded process, and without it
prompts MIRROR [--count N] [--load N]    does the prompt hook speak on a busy machine, and how soon?
speed MIRROR                             time, memory and disk on one large repository, each beside its limit
replay MIRROR [--signals]                earlier commits as tasks: are their files recalled from the message alone?
lines MIRROR [--budget N]                which parts of a brief show what the commit changed, and their tokens
search MIRROR --data DIR [--whole] [--signals]
                                         NDCG@10 of code search over annotated queries
fuzz [--inputs N] [--seed N]             mutated sources, paths, messages, settings, sessions and frames
gate MIRROR --data DIR                   does the brief keep silent on questions about other repositories?
anchors MIRROR | anchors --labels        what anchors flag over 500 commits, and what was judged
calls MIRROR [--seed N]                  are the callers that are told those of the definition? what was judged
capture [--split NAME] [--misses]        what is kept of labelled agent sessions, and what must not be
spoken [--short] [--misses]              how much of what people say in sessions is kept, and how much of that is right?
undone MIRROR [--seed N] | undone --labels
                                         reverted changes and lost fixes, to be judged by hand; the judged figures
truth MIRROR [--seed N]                  do states of commits and `why` hold against git blame and ls-tree?
check MIRROR | check --labels            re-breaks that a check warns of, and false alarms; broken memories
memory                                   generated memories: is the current one first, is any lost, how soon is it seen?
commands MIRROR                          are the build, test, lint and format commands of 30 repositories right?
conversations [--split NAME] [--out FILE]
                                         long conversations: does the brief print the evidence for a question?
memory --sets [--out]                    hand-written memories: is the right one found, at which budget?
memory --projects [--only LETTERS] [--out]
memory --repositories MIRROR [--split NAME] [--out]
                                         memories of real repositories: is the one that a task needs in its brief?
kills …                                  index runs killed at any moment
memory-kills                             writers of memories killed at any moment
soak [--only PART] [--share N]           failed system calls, kills, power cuts, crowds: is anything ever lost?
week [--misses] [--briefs FOLDER]        ten sessions in three hosts: does a later one know what was decided?
watch [--idle SECONDS]                   save to fresh, idle CPU and memory of `repomem watch`
errors MIRROR                            is the place found that writes an error's message?
scale MIRROR [--chunks N …]              index, recall, search, memory and vectors of 10,000 to 1,000,000 chunks
ranking MIRROR                           time of ranking beyond retrieval, at 100,000 chunks and 20,000 commits
reminders MIRROR                         how often do hooks speak at an edit, and how often rightly?
hooks                                    what git hooks add to a commit and to a rebase
secrets MIRROR [--samples N] [--misses]
                                         secrets taken out, what else is, and how quickly
mcp FOLDER …                             how long an agent waits for a server, in clones that are indexed
pool MIRROR                              a first index by parsing and from shared storage, on a server of this machine
tokens CLONES …                          the token estimate against real tokenizers
mirror MIRROR                            clone what speed and replay need, where it is missing

MIRROR holds bare clones, as README.md says. Raw results go to benchmarks/results. Without a command: mirror, speed
and replay, in build/mirror.
"""

import importlib
import subprocess
import sys
from pathlib import Path

from benchmarks.inputs import clone_missing
from benchmarks.processes import ROOT

COMMANDS = (
    "agents",
    "preload",
    "prompts",
    "speed",
    "replay",
    "search",
    "fuzz",
    "gate",
    "anchors",
    "calls",
    "capture",
    "spoken",
    "check",
    "commands",
    "conversations",
    "hooks",
    "kills",
    "lines",
    "mcp",
    "memory",
    "memory-kills",
    "pool",
    "errors",
    "ranking",
    "reminders",
    "scale",
    "soak",
    "secrets",
    "truth",
    "undone",
    "watch",
    "week",
)
TOKENS = Path(__file__).parent / "tokens" / "measure.py"  # of other dependencies than ours: see its README


def main() -> None:
    """Run one benchmark, or those that need nothing but a network."""
    match sys.argv[1:]:
        case []:
            mirror = ROOT / "build" / "mirror"
            clone_missing(mirror)
            for name in ("speed", "replay"):
                importlib.import_module(f"benchmarks.{name}").main([str(mirror)])
        case ["mirror", mirror_given]:
            clone_missing(Path(mirror_given))
        case ["tokens", *arguments]:
            sys.exit(subprocess.run([sys.executable, str(TOKENS), *arguments], check=False).returncode)
        case [name, *arguments] if name in COMMANDS:
            importlib.import_module(f"benchmarks.{name.replace('-', '_')}").main(arguments)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
