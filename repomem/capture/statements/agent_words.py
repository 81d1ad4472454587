"""What an agent's last words on a turn state: what it chose and why, and what it found out.

What it means to do, and what it did because it was told to, is none of it.
"""

import re

from repomem.capture.statements.clauses import Clause
from repomem.capture.statements.hedges import is_hypothetical, is_only_now
from repomem.core.records import Kind

FEWEST_WORDS = 5  # of what is worth remembering

_MEASURED = re.compile(
    r"\b\d[\d.,]*\s?(?:%|x\b|(?:ns|µs|us|ms|s|sec|seconds?|minutes?|min|hours?|h|kb|mb|gb|kib|mib|gib|bytes?|req/s|"
    r"rps|fps|"
    r"times|queries|calls|rows|requests|lines|files|tests|warnings|errors)\b)",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:i|we)(?:'ve| have)?"
    r"(?: (?:also|deliberately|intentionally|ultimately|finally|therefore|explicitly|then|so|now|just|instead))*"
)
_CHOSE = re.compile(
    rf"^(?:[^,]{{2,60}}, )?(?:{_SUBJECT} )?(?:chose|chosen|picked(?! up)|decided|opted|went with|settled on|selected|"
    rf"stuck with|"
    r"preferred|standardi[sz]ed on)\b"
    r"|^(?:i |we )?(?:considered|looked at|weighed|evaluated) .{2,80}? (?:but|and) (?:decided|chose|went|opted|"
    r"picked|settled)\b"
    r"|\b(?:was|were|is|are) (?:chosen|picked|preferred|selected|favou?red|rejected)\b",
    re.IGNORECASE,
)
_NOW_USES = re.compile(r"^we now (?:use|store|keep|run on|build with)\b", re.IGNORECASE)
_ON_PURPOSE = re.compile(
    r"\b(?:deliberately|intentionally|on purpose|by design|explicitly (?:kept|avoided|left))\b", re.IGNORECASE
)
_REASON_BEHIND = re.compile(r"(?:because|the reason|it|this|that way)\b", re.IGNORECASE)
_MADE = re.compile(
    rf"^(?:[^,]{{2,60}}, )?(?:(?:rather than|instead of) [^,]{{2,60}}? (?=i |we ))?(?:{_SUBJECT} )?(?:kept|used|use|"
    rf"implemented|replaced|stored|built|modell?ed|made|switched (?:to|from)|"
    rf"wrote|put|avoided|pinned)\b(?! (?:the )?(?:existing|same|constant|helper|current|old|new)\b)",
    re.IGNORECASE,
)
_IS_MADE = re.compile(
    r"^(?:the|this|each|every|all|it|they|both|\w+s) [^,]{0,60}?\b(?:uses?|prints?|lives?|writes?|stores?|keeps?|"
    r"takes?|listens?|"
    r"returns?|goes|go|runs?|is|are|holds?|reads?|now \w+s)\b",
    re.IGNORECASE,
)
_PURPOSE = re.compile(r"^(?:so that|to (?:avoid|prevent|keep|ensure|make sure)|in order to|so as to)\b", re.IGNORECASE)
_FOR_THE_WORK = re.compile(
    r"\b(?:chose|chosen|picked|decided|opted|went) (?:to )?(?:also |first |just )?(?:(?:not )?to )?(?:look|check|run|"
    r"read|fix|test|"
    r"start|begin|leave|skip|stop|revert|rename|split|extract|inline|ask|wait|keep (?:the )?(?:diff|change|names?|"
    r"tests?))\b",
    re.IGNORECASE,
)
_ON_REQUEST = re.compile(
    r"\b(?:you|the user) (?:asked|said|wanted|told|requested|preferred|mentioned|wrote|chose)\b|\bas (?:requested|"
    r"asked|instructed)\b",
    re.IGNORECASE,
)
_OF_THE_SEARCH = re.compile(
    r"\b(?:ran|run|read|looked|searched|checked|tested|opened|viewed|grepped|started with|bug|problem|issue|"
    r"error|failure|crash)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:key |design |main |architecture )?(?:decisions?|design (?:choice|note)|choice|"
    r"trade-?off)s?(?: made)?\s*[:–—-]\s*",
    re.IGNORECASE,
)
_DECISIONS = re.compile(r"\b(?:decisions?|design choices?|choices made|key choices|trade-?offs)\b", re.IGNORECASE)
_GOTCHAS = re.compile(
    r"\b(?:gotchas?|caveats?|pitfalls?|things to (?:know|watch)|watch out|lessons?|findings|what i learned)\b",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"^(?:gotcha|caveat|heads[- ]up|warning|watch out|beware|careful|be aware|one (?:thing|gotcha|"
    r"caveat)(?: to (?:note|know|watch))?|"
    r"worth (?:noting|knowing)|keep in mind|note|important)\b(?: (?:that|for))?\s*[:,—–-]?\s*",
    re.IGNORECASE,
)
_FOUND = re.compile(r"\b(?:it )?turn(?:s|ed) out\b", re.IGNORECASE)
_WARNS = re.compile(
    r"^(?:one |a |another |the )?(?:gotcha|caveat|pitfall|heads[- ]up|warning|note|trap)\b[^:.]{0,40}:\s", re.IGNORECASE
)
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|had|did|didn't|wasn't|weren't|failed|broke|crashed|returned|raised|dropped|ran|got|hit|lost|"
    r"used to|"
    r"fixed|now (?:passes|works|returns|takes))\b",
    re.IGNORECASE,
)
_BEHAVES = re.compile(
    r"\b(?:silently|fails?|breaks?|crash(?:es)?|hangs?|deadlocks?|races?|only (?:works?|runs?|supports?|accepts?)|"
    r"requires?|"
    r"needs?|must|never|always|ignores?|has to|have to|doesn't|does not|cannot|can't|won't|not supported|"
    r"throws?|raises?|returns?|"
    r"truncat\w+|overwrit\w+|caches?|limits?|limited|depends on|leaks?|mutates?|rounds?|drops?|swallows?|expects?|"
    r"treats?|differs?|seconds|milliseconds|only (?:builds?|starts?|applies)|at most|not in|not the|flaky|"
    r"order matters|case[- ]sensitive|off by one|time ?zone|utc)\b",
    re.IGNORECASE,
)
_OF_THE_WORK = re.compile(
    r"\b(?:i (?:did|do|have|haven't|didn't|left|could|couldn't|was|am|used|added|ran|only|also|will|kept|made|"
    r"changed)|i've|i'm|"
    r"you(?:'ll| will| can| may| might| should| need| have|'d)|no (?:tests?|changes?)|let me|tests? (?:pass|are|were)|"
    r"pre-?existing|unrelated|not (?:been )?(?:tested|run|committed))\b",
    re.IGNORECASE,
)


def agent_kind(clause: Clause, *, has_worked: bool) -> Kind | None:
    """What an agent's clause in a final message states; None where it states nothing that lasts.

    Behind work it tells of that; without any it explains, and only plain words of choosing count.
    """
    if len(clause.text.split()) < FEWEST_WORDS and not clause.why:
        return None
    if is_only_now(clause) or is_hypothetical(clause) or _ON_REQUEST.search(clause.why or clause.bare):
        return None
    if _is_labelled(clause) or (has_worked and _is_choice(clause)):
        return Kind.DECISION
    return Kind.GOTCHA if _is_gotcha(clause) else None


def _is_labelled(clause: Clause) -> bool:
    """Whether it is called a decision, by its first words or by the heading above it."""
    has_more = bool(clause.why or clause.rejected)
    return bool(_LABEL.match(clause.bare) or (_DECISIONS.search(clause.section) and has_more))


def _is_choice(clause: Clause) -> bool:
    """Whether it says of the work that one thing was chosen, with the other thing or the reason."""
    if _OF_THE_SEARCH.search(clause.bare) or _FOR_THE_WORK.search(clause.bare) or _MEASURED.search(_choosing(clause)):
        return False
    if _CHOSE.search(clause.bare):
        return bool(clause.has_own_why or clause.rejected or _REASON_BEHIND.match(clause.why))
    if clause.has_own_why and clause.rejected and _is_made(clause):
        return True
    return bool(clause.why and (_ON_PURPOSE.search(clause.bare) or _NOW_USES.match(clause.bare)))


def _is_made(clause: Clause) -> bool:
    """Whether it tells what was made: of a thing a purpose is needed, for a mere cause explains a bug."""
    return bool(_MADE.match(clause.bare) or (_IS_MADE.match(clause.bare) and _PURPOSE.match(clause.why)))


def _choosing(clause: Clause) -> str:
    """What it names as turned down, in which a number tells of a result: "3 s instead of 40 s"."""
    return " ".join(clause.rejected)


def _is_gotcha(clause: Clause) -> bool:
    if _OF_THE_WORK.search(clause.bare):
        return False
    is_announced = bool(_WARNS.match(clause.bare) or _NOTICE.match(clause.bare) or _GOTCHAS.search(clause.section))
    if not is_announced and not _FOUND.search(clause.bare):
        return False
    return bool(_BEHAVES.search(clause.whole)) and not _OF_THE_PAST.search(clause.bare)
