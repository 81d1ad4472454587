"""Classifies commit messages: whether they fix, restructure or revert something, and the reason they give."""

import re
from collections.abc import Collection

from repomem.brief.message_prose import SENTENCE_END, without_template
from repomem.core.text.lazy_pattern import lazy_pattern

REASON_LENGTH = 160  # characters

_FIX = lazy_pattern(
    r"\b(?:fix(?:e[sd]|ing)?|bug ?fix(?:es)?|regressions?|crash(?:e[sd]|ing)?|deadlocks?|leaks?|race conditions?|"
    r"segfaults?)\b|^(?:correct(?:ly|s|ed)?|prevent(?:s|ed)?)\b|\bbugs?\b(?! (?:report|track))"
    r"|\b(?:handle|avoid|prevent|raises?|throws?)\b.*\b(?:error|exception|panic|crash|failure|null|none|nil|undefined)s?\b",
    re.IGNORECASE,
)
_NO_FIX = lazy_pattern(
    r"\b(?:typos?|spelling|grammar|docs?|docstrings?|documentation|readme|changelog|changes?\.md|comments?|lint(?:er|s|ing)?|"
    r"style|formatting|format|whitespace|indent(?:ation)?|tests?|testing|specs?|flaky|ci|build|travis|workflows?|"
    r"warnings?|deps?|dependenc(?:y|ies)|bump|imports?|licen[sc]e|copyright|rubocop|checkstyle|javadoc|clippy|mypy|"
    r"flake8|pep ?8|merge(?:d|s)?|release|version|links?|examples?|benchmarks?|refactor(?:ing)?|cleanup|clean up|"
    r"naming|typings?|type hints?|annotations?)\b",
    re.IGNORECASE,
)
# A feature closes issues too.
_CLOSES = lazy_pattern(r"\(?\b(?:fix|clos|resolv)(?:e[sd]?)?\b:?\s(?:\w+ )?(?:#|gh-|https?:)\S*", re.IGNORECASE)
_RESTRUCTURES = lazy_pattern(
    r"\b(?:mov(?:e[sd]?|ing)|renam(?:e[sd]?|ing)|refactor\w*|split\w*|extract\w*|merg(?:e[sd]?|ing)|combin\w+|migrat\w+|"
    r"re-?wr(?:it|ot)\w*|re-?(?:work|implement)\w*|restructur\w*|reorgani[sz]\w*|overhaul\w*|consolidat\w+|simplif\w+|"
    r"dry|de-?dup\w*|tid(?:y|ied|ies)|break\b.*\binto|packages?|"
    r"initial|import(?:s|ed)?|clean ?up|improve\w*)\b",
    re.IGNORECASE,
)
_KIND = r"^\W*(?:\w+(?:\([^)]*\))?!?:\s*)?"  # of a conventional commit
_APPLIES = (
    r"\b(?:fix|fixes|fixed|address|apply|appease|make|please|resolve|run|satisfy|silence|switch to|use)\b.{0,20}\b"
)
_LAYOUT = lazy_pattern(
    rf"{_KIND}(?:(?:re-?)?format(?:s|ted|ting)?|(?:re-?)?indent\w*|renam(?:e[sd]?|ing)|camel[- ]?case)\b"
    r"|^style(?:\([^)]*\))?!?:"
    r"|\b(?:reformat\w*|(?:auto|code|fix(?:e[sd])?|source)[- ]?format(?:ted|ting|ter|s)?|white ?space)\b"
    r"|\b(?:pyupgrade|clang-format|gofmt|rustfmt|(?:code|coding) style|style ?guide)\b"
    r"|\b(?:trailing spaces?|line endings?|typos?)\b"
    rf"|{_APPLIES}(?:black|isort|pep ?8|prettier)\b",
    re.IGNORECASE,
)
_LINTER = (
    r"analy[sz]ers?|checkstyle|clippy|credo|detekt|dialyzer|eslint|flake8|go ?vet|golangci-lint|golint|ktlint|mypy|"
    r"php-?cs(?:-fixer)?|phpstan|psalm|pylint|\bpyright|rubocop|ruff|shellcheck|spotless|staticcheck|stylecop|swiftlint|"
    r"tslint"
)
_LINT = lazy_pattern(
    rf"{_APPLIES}(?:{_LINTER}|lint(?:er|ing|s)?)\b(?! (?:bug|crash|plugin|regression))"
    rf"|{_APPLIES}(?:(?:analy[sz]er|compiler|(?-i:[A-Z]{{1,4}}\d{{3,5}})) (?:warnings?|violations?)\b)"
    rf"|{_KIND}(?:fix|remove|resolve|silence)\w* (?:(?:all|some|more|new|a bunch of|compiler) )?"
    r"warnings\b(?!\.| messages?\b)"
    rf"|{_KIND}(?:\d+ )?(?:fmt|{_LINTER}|lint(?:er|ing)?)(?: (?:and|&) \w+)? (?:errors|fix(?:es)?|issues|warnings)\b"
    r"|\bdelint\b|\bpre-?\s?commit (?:auto)?(?:update|fix)"
    rf"|\b(?:bump|update|upgrade)s?\b.*(?:{_LINTER}).*\bto (?:level |v)?\d",
    re.IGNORECASE,
)
_UNNEEDED = (
    r"(?:no longer(?: \w+)? (?:needed|necessary|required|used|supported|relevant)"
    r"|not(?: \w+)? (?:needed|necessary|required|used)|obsolete\w*|outdated|unneeded)"
)
_RETIRES = lazy_pattern(
    r"\b(?:remov|delet|drop|clean|get(?:ting)? rid)\w*\b.*"
    rf"\b(?:deprecat\w+|work-?arounds?|hacks?|polyfills?|shims?|{_UNNEEDED})\b"
    rf"|\b(?:work-?arounds?|hacks?|polyfills?|shims?)\b.*\b{_UNNEEDED}\b",
    re.IGNORECASE,
)
_REVERTS_SOMETHING = lazy_pattern(
    r"\W*(?:revert|undo|back(?:s|ing)? out|roll(?:s|ing)? back|restore|re-?apply|re-?land)", re.IGNORECASE
)
_GIVES_REASON = lazy_pattern(
    r"\b(?:because|since|due to|as it|broke|breaks?|broken|breaking|cause[sd]?|causing|fail(?:s|ed|ing|ures?)?|"
    r"regress(?:ion|ions|ed|es)?|crash(?:es|ed|ing)?|incorrect(?:ly)?|wrong(?:ly)?|no longer|not needed|unneeded|"
    r"unnecessary|deadlocks?|leaks?|slow(?:er|s)?|problems?|issues? with|incompatible|unsafe|"
    r"too (?:many|much|slow|early)|does(?:n't| not) work|did(?:n't| not) work|results? in|leads? to|led to|turns? out|"
    r"conflicts? with)\b",
    re.IGNORECASE,
)
_NO_REASON = lazy_pattern(
    r"this reverts commits?\b|^reverts?\b[^.]{0,80}$|no reason (?:was )?given|^\(?cherry picked|^[A-Za-z-]+-by:|"
    r"^(?:see|closes|fixes|refs?|resolves)\b[^ ]* *#?\S*$|^\W*https?://\S+$",
    re.IGNORECASE,
)
# Its indentation is within one line, to avoid backtracking over newlines.
_ITEM = lazy_pattern(r"^[^\S\n]*(?:[-*+]|\d+[.)])\s+", re.MULTILINE)
_BETWEEN = lazy_pattern(r"\n[^\S\n]*\n")
_REVERTS = lazy_pattern(  # with what else it does: "… and includes a test."
    r"This reverts commits? [0-9a-f]{7,64}\b(?:(?:,| and|\s)+[0-9a-f]{7,64}\b)*"
    r"(?:,?\s(?:and|but|plus)\s[^.]{0,300})?[.,]?"
)
_TRAILERS = lazy_pattern(r"^(?:[A-Z][A-Za-z]+-)+[A-Za-z]+:.*$|^---+$", re.MULTILINE)


def is_fix(subject: str, kind: str) -> bool:
    """Whether a commit fixes the program, not its documentation, tests or tools."""
    if kind and kind != "fix":
        return False
    text = _CLOSES.sub("", subject)
    return not _NO_FIX.search(text) and (kind == "fix" or bool(_FIX.search(text)))


def restructures(subject: str) -> bool:
    """Whether a commit moves or restructures code, so that removed lines are still in it."""
    return bool(_RESTRUCTURES.search(subject))


def retires(subject: str) -> bool:
    """Whether a commit removes what was deprecated or is no longer needed: something replaced it, so no fix is lost."""
    return bool(_RETIRES.search(subject))


def changes_layout(subject: str) -> bool:
    """Whether a subject says that a commit changed names, spelling or layout: it is seldom why the code is as it is."""
    return bool(_LAYOUT.search(subject))


def follows_linter(subject: str) -> bool:
    """Whether a subject says that a commit did what a linter asks for, which may change what the code does."""
    return bool(_LINT.search(subject))


def is_stated_revert(subject: str) -> bool:
    return bool(_REVERTS_SOMETHING.match(subject.rpartition(":")[2]) or _REVERTS_SOMETHING.match(subject))


def reason_of(body: str, about: Collection[str] | None = None) -> str:
    """The first sentence of a message body that gives a reason, at most REASON_LENGTH characters; else empty.

    If `about` is given, the sentence must contain one of these names: the commit did more than revert.
    """
    text = _REVERTS.sub("\n\n", _TRAILERS.sub("\n\n", without_template(body)))
    for paragraph in _BETWEEN.split(_ITEM.sub("\n\n- ", text)):
        for sentence in SENTENCE_END.split(" ".join(paragraph.split())):
            if _is_reason(sentence) and (about is None or any(name in sentence for name in about)):
                reason = re.sub(r"^(?:because|as|since)\s+", "", sentence, flags=re.IGNORECASE)
                return reason if len(reason) <= REASON_LENGTH else reason[: REASON_LENGTH - 1].rstrip() + "…"
    return ""


def _is_reason(sentence: str) -> bool:
    """Whether a sentence gives a reason; list items do not count, since a squashed commit lists its steps."""
    return bool(_GIVES_REASON.search(sentence)) and not sentence.startswith("- ") and not _NO_REASON.search(sentence)
