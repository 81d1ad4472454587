"""The first sentence of a README, which describes the repository, and the owners that files name."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.binding_sentences import FENCE, SENTENCE_END, shown
from repomem.profile.file_summaries import TERM
from repomem.profile.guides import heading
from repomem.profile.manifests.manifest import Manifest
from repomem.profile.manifests.structured_text import yaml_nodes

PATH = lazy_pattern(r"(?i)(?:\.github/|docs/)?readme(?:\.(?:md|markdown|rst|adoc|txt|org))?")
LINES_READ = 120  # the description is at the top; bounds matching time
MIN_WORDS = 4  # shorter sentences are titles or slogans
MIN_CHARS = 13  # the same in scripts without spaces
NO_PROSE = lazy_pattern(r"[#<>|=~^:!]|[ ]{0,3}[-*+]\s|-{3,}|\d+[.)]\s|\.\. |\[!|\[[^\]]*\]:|//|'{3}|(?: {4}|\t)")
TITLE = lazy_pattern(r"#{1,6}\s|={1,6}\s+\S")  # a paragraph may follow without an empty line between
UNDERLINE = lazy_pattern(r"([=~^*#+\"'`.:_-])\1{2,}\s*")
SECTION = lazy_pattern(r"(?i)(?:#{2,}|={2,}|<h[2-6][^>]*>)\s*(?!what\b|why\b|about\b|intro|overview|description)\w")
PAUSE = (",", ":", ";", "：")  # a list follows
DESCRIBES = lazy_pattern(  # a sentence that says enough without the list that it announces
    r"(?i)(?!.*\b(?:following|these|for|of|as|like|including|are|is|with|to):)"
    r"\S+(?: \S+)? (?:provides|contains|implements|offers|is an?) \S+ .*:"
)
NOT_ABOUT = lazy_pattern(  # a notice, a link or a request, not a description
    r"(?i)[^\w\s*_`\"'(]*\s*[*_]{0,2}(?:note|new|news|update|warning|important|status|deprecated|languages?)[*_]{0,2}:"
    r"|(?:see|read|visit|click) (?:the|our|here|on)\b|.*://"
    r"|(?:please|table of|build status|documentation|for (?:more|the)|thank|welcome|if you|you(?:'re| are)"
    r"|we(?:'re| are)|this (?:readme|document|file))\b"
)
EXPLANATION = lazy_pattern(r"(?::| [-–—]) .*")  # of an item: `name`: what it does
ITEM = lazy_pattern(r"[ ]{0,3}[-*+][ \t]+(\S.*)")


def readme_path(paths: Iterable[str]) -> str:
    """The path of the repository's README, the one at its root first; empty without one."""
    readmes = [path for path in paths if PATH.fullmatch(path)]
    return min(readmes, key=lambda path: (path.count("/"), len(path), path), default="")


def opening(manifest: Manifest) -> Fact | None:
    """The first descriptive sentence before the first section, links as their labels; None without one."""
    for line, paragraph in _paragraphs(_before_sections(manifest)):
        end, begin = SENTENCE_END.search(paragraph), 0
        if end and TERM.match(paragraph):
            begin = end.end()
            end = SENTENCE_END.search(paragraph, begin)
        raw = paragraph[begin : end.end()].rstrip() if end else paragraph[begin:]
        text = shown(raw)
        text = text.removesuffix(":") if DESCRIBES.fullmatch(text) else text
        is_prose = len(text.split()) >= MIN_WORDS or (len(text) >= MIN_CHARS and not text.isascii())
        if is_prose and "<" not in text and not text.endswith(PAUSE) and not NOT_ABOUT.match(text):
            first = line + paragraph.count("\n", 0, begin)
            return manifest.fact("about", text, first, first + raw.count("\n"))
    return None


def first_items(manifest: Manifest, longest: int) -> str:
    """The first items of the list that a README without such a sentence begins with, as "…:" announces it.

    At most `longest` characters: every item, else those that fit, without what explains them, and the number of the
    others. Empty without a list.
    """
    lines = _before_sections(manifest)
    start = next((at for at, line in enumerate(lines) if ITEM.match(line)), len(lines))
    lead = next((line for line in reversed(lines[:start]) if line.strip()), "")
    items = _items(lines[start:]) if lead.rstrip().endswith(PAUSE) else []
    texts = [shown(item).rstrip(".;,") for item in items]
    if not texts or len(texts[0].split()) < MIN_WORDS:
        return ""
    heads = [EXPLANATION.sub("", text) for text in texts]
    some = ("; ".join(heads[:at]) + f" and {len(heads) - at} more" for at in range(len(heads) - 1, 0, -1))
    return next((text for text in ("; ".join(texts), "; ".join(heads), *some) if len(text) <= longest), "")


def _items(lines: Iterable[str]) -> list[str]:
    """The items of a list, each on one line, until prose that is not indented."""
    items: list[str] = []
    for line in lines:
        if item := ITEM.match(line):
            items.append(item[1].strip())
        elif line.strip() and not line[0].isspace():
            break
        elif line.strip():
            items[-1] += f" {line.strip()}"
    return items


def _before_sections(manifest: Manifest) -> list[str]:
    return list(takewhile(lambda line: not SECTION.match(line), manifest.lines[:LINES_READ]))


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Each paragraph of prose with its first line number; underlined titles are skipped."""
    block, start, is_fenced, is_skipped, is_comment = list[str](), 0, False, False, False
    for number, line in enumerate([*lines, ""], start=1):
        is_fence = bool(FENCE.match(line.lstrip()))
        is_fenced ^= is_fence
        was_comment = is_comment  # the line that ends a comment is not prose either
        is_comment = (is_comment or "<!--" in line) and "-->" not in line
        if UNDERLINE.fullmatch(line):
            block = []
        elif is_fence or is_fenced or was_comment or is_comment or NO_PROSE.match(line) or not line.strip():
            if block:
                yield start, "\n".join(block)
            block, is_skipped = [], bool(line.strip()) and not TITLE.match(line)  # skip until the next empty line
        elif not is_skipped:
            start = start if block else number
            block.append(line.strip())


PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")  # in order of precedence
RULE = lazy_pattern(r"((?:\\.|[^\s\\#\[^!])(?:\\.|[^\s\\])*)[ \t]+([^#\n]+)")
OWNER = lazy_pattern(r"@?[\w.+-]*[@\w][\w./@-]*")
SHOWN = 3
OWNERS_SHOWN = 4  # per line
MAINTAINERS = lazy_pattern(r"(?i)(?:\.github/|docs/)?(?:maintainers|owners)(?:\.(?:md|rst|txt))?")
MAINTAINER = lazy_pattern(  # an item or row with an account, or a name with an address
    r"[ ]{0,3}(?:[-*+|][^@\n]{0,80}?(?<![\w.])(@[\w-]+)|(?:[-*+|][ ]*)?([^\W\d][^<@|\n]{1,40}?)[ ]*<[^<>\s]+@[^<>\s]+>)"
)
FORMER = lazy_pattern(r"(?i)\b(?:emerit|former|past|inactive|alumni|retired|previous)")


def owners_path(paths: Iterable[str]) -> str:
    """The path of the effective CODEOWNERS file, else of a list of maintainers; empty without one."""
    live = list(paths)
    lists = sorted(path for path in live if MAINTAINERS.fullmatch(path))
    return next((path for path in (*PLACES, *lists) if path in live), "")


def owner_facts(manifest: Manifest) -> list[Fact]:
    """The owners that a file of `owners_path` names."""
    if manifest.path in PLACES:
        return _rules(manifest)
    lines = _approvers(manifest) or _maintainers(manifest)
    return [manifest.fact("owners", _named(list(lines)), min(lines.values()), max(lines.values()))] if lines else []


def _rules(manifest: Manifest) -> list[Fact]:
    """The broadest rules with their owners, those of fewer folders first, then in file order."""
    rules: dict[str, tuple[int, list[str]]] = {}
    for number, line in enumerate(manifest.lines, start=1):
        rule = RULE.match(line.strip())
        if rule and (owners := [word for word in rule[2].split() if "@" in word and OWNER.fullmatch(word)]):
            rules[rule[1]] = number, owners  # the last rule of a pattern wins, as on GitHub
    broadest = sorted(rules.items(), key=lambda item: (item[0].strip("/*").count("/"), item[0] != "*", item[1][0]))
    return [
        manifest.fact("owners", f"{pattern} {_named(owners)}", line) for pattern, (line, owners) in broadest[:SHOWN]
    ]


def _approvers(manifest: Manifest) -> dict[str, int]:
    """The approvers of an OWNERS file in YAML, as Kubernetes has it, with their lines."""
    if not manifest.path.endswith("OWNERS"):
        return {}
    return {each.text: each.line for each in yaml_nodes(manifest.text)[0].get("approvers").items if each.text}


def _maintainers(manifest: Manifest) -> dict[str, int]:
    """The people in the first section of a list that names any, except former ones, with their lines."""
    found: dict[str, int] = {}
    before, is_former = "", False
    for number, line in enumerate(manifest.lines, start=1):
        if title := heading(before, line):
            if found:
                break
            is_former = FORMER.search(title[1]) is not None
        elif (person := MAINTAINER.match(line)) and not is_former:
            found.setdefault(person[1] or person[2], number)
        before = line
    return found


def _named(owners: list[str]) -> str:
    more = len(owners) - OWNERS_SHOWN
    separator = " " if all(" " not in owner for owner in owners) else ", "
    return separator.join(owners[:OWNERS_SHOWN]) + (f" and {more} more" if more > 0 else "")
