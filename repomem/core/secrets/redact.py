"""Takes secrets out of text before it becomes durable or leaves this machine, and names files that are secrets.

Only tokens that show their issuer are taken (`core.secrets.rules`): there is no rule by entropy and none by name, so
`password = "hunter2"` stays. Such rules mark ordinary code far more often than secrets, and a memory with holes in
its code is of no use; `.env` files and their like are left out whole instead.
"""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import cache, partial
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple

from repomem.core.secrets.rules import CUE_RULES, PREFIX_RULES
from repomem.core.types.text import CleanText


def redact(text: str) -> CleanText:
    """`text` with each secret replaced by `[REDACTED:kind:hash]`; the same object where there is none.

    The hash is four hex digits of the secret's BLAKE2b, enough to see that two places hold the same one. Redacting
    twice changes nothing. A secret of several lines leaves as many: a span of the redacted text is one of the file.
    """
    while True:
        redacted = _redacted_once(text)
        if redacted == text:
            return CleanText(text)
        text = redacted  # what was taken out may have hidden the start of the next: look again


@cache
def rules_version() -> str:
    """Names the rules: another text wherever one of them is another. What is stored was redacted by such rules."""
    said = repr((PREFIX_RULES, CUE_RULES, _SECRET_NAMES, _TEMPLATE_ENDINGS))
    return blake2b(said.encode(), digest_size=4).hexdigest()


def is_secret_path(path: str) -> bool:
    """Whether a file is left out by its name, since it holds secrets in forms that no rule can know."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(_TEMPLATE_ENDINGS):
        return False
    return _SECRET_NAME.fullmatch(name) is not None


_TEMPLATE_ENDINGS = (".example", ".sample", ".template", ".dist", ".tmpl", ".pub")
_SECRET_NAMES = (
    *(".env", ".env.*", "*.env", ".envrc", ".flaskenv"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdb", "*.kdbx", "*.agekey"),
    *(".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".dockercfg", ".git-credentials", ".s3cfg", ".boto"),
    *("credentials", "credentials.json", "credentials.yml", "client_secret*.json", "service-account*.json"),
    *("secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "master.key", ".vault-token", ".vault_pass"),
    *("terraform.tfstate", "*.tfstate", "*.tfvars", "*.ovpn", "*.mobileprovision"),
)
_SECRET_NAME = re.compile("|".join(map(translate, _SECRET_NAMES)))


def _alternation(literals: Iterable[str]) -> str:
    """A pattern for any of `literals`, factored by their first characters: `re` tries alternatives one by one."""
    branches = []
    for first, group in groupby(sorted(literals), key=lambda literal: literal[:1]):
        if not first:
            return ""  # a literal that ends here makes the longer ones needless
        branches.append(re.escape(first) + _alternation([literal[1:] for literal in group]))
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


class _Rule(NamedTuple):
    kind: str
    source: str  # of its pattern, compiled where it is first needed: all of them would take a fifth of a second


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)


def _by_start() -> dict[str, tuple[_Rule, ...]]:
    """The rules by the first two characters of their prefixes; where two fit, the one of the longer prefix is first."""
    rules: dict[str, list[tuple[int, _Rule]]] = {}
    for rule in PREFIX_RULES:
        for prefix in rule.prefixes:
            rules.setdefault(prefix[:2], []).append((len(prefix), _Rule(rule.kind, re.escape(prefix) + rule.rest)))
    return {
        start: tuple(rule for _, rule in sorted(found, key=lambda sized: -sized[0])) for start, found in rules.items()
    }


class _Scanners(NamedTuple):
    """What finds the places where a token may begin: after a sign, after an escape, at the start of a text."""

    after_sign: re.Pattern[str]
    after_escape: re.Pattern[str]
    at_start: re.Pattern[str]


@cache
def _scanners() -> _Scanners:
    """A token begins after anything but a letter or digit, or after an escape in a string literal.

    One pattern seeks all prefixes there. Its first character is a class, which `re` seeks without entering the
    alternation, and the first look-ahead keeps it out of most words: 35 MB/s on code, where one search per prefix
    makes 8.
    """
    prefixes = sorted({prefix for rule in PREFIX_RULES for prefix in rule.prefixes})
    any_prefix = _alternation(prefixes)
    firsts = re.escape("".join(sorted({prefix[0] for prefix in prefixes})))
    return _Scanners(
        re.compile(rf"[^0-9A-Za-z](?=[{firsts}])(?={any_prefix})"),
        re.compile(rf"\\[nrt](?={any_prefix})"),
        re.compile(any_prefix),
    )


_RULES_BY_START = _by_start()
_RULES_BY_CUE = {
    cue: tuple(_Rule(rule.kind, rule.pattern) for rule in CUE_RULES if rule.cue == cue)
    for cue in dict.fromkeys(rule.cue for rule in CUE_RULES)
}


def _redacted_once(text: str) -> str:
    # Cues first: a key or a URL may hold a token, of which a prefix rule would take a part only.
    for cue, rules in _RULES_BY_CUE.items():
        if cue in text:
            for rule in rules:
                text = _pattern(rule.source).sub(partial(_marked, rule.kind), text)
    return _without_tokens(text)


def _without_tokens(text: str) -> str:
    """`text` after the prefix rules, tried only where a prefix stands."""
    scanners = _scanners()
    starts = [0] if scanners.at_start.match(text) else []
    starts += [hit.end() for hit in scanners.after_sign.finditer(text)]
    starts += [hit.end() for hit in scanners.after_escape.finditer(text)]
    parts: list[str] = []
    done = 0
    for start in sorted(starts):
        found = _token_at(text, start) if start >= done else None
        if found is not None:
            kind, match = found
            parts += (text[done:start], _marked(kind, match))
            done = match.end()
    return "".join((*parts, text[done:])) if parts else text


def _token_at(text: str, start: int) -> tuple[str, re.Match[str]] | None:
    for rule in _RULES_BY_START.get(text[start : start + 2], ()):
        if match := _pattern(rule.source).match(text, start):
            return rule.kind, match
    return None


def _marked(kind: str, match: re.Match[str]) -> str:
    """The match with its secret (its group `secret`, else all of it) replaced by a marker."""
    group = "secret" if "secret" in match.re.groupindex else 0
    secret = match.group(group)
    if secret.startswith("[REDACTED:"):
        return match.group()  # a rule without prefix may take a mark for a secret, again and again
    digest = blake2b(secret.encode("utf-8", "surrogatepass"), digest_size=2).hexdigest()
    before = match.string[match.start() : match.start(group)]
    after = match.string[match.end(group) : match.end()]
    lines = "\n" * secret.count("\n")
    return f"{before}[REDACTED:{kind}:{digest}]{lines}{after}"
