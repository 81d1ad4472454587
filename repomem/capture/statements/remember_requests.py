"""Recognizes a person's request to remember what follows: "remember: …", "note to self: …", "merk dir: …"."""

from repomem.core.text.lazy_pattern import lazy_pattern

MEMO = (  # up to the text to remember; "note: …" and "remember to …" ask for no memory
    r"(?:(?:oh|und|ach|also|y|et|please|pls|bitte)\b,? )*(?:"
    r"(?:(?:remember|memori[sz]e)(?: (?:this|that|these|it))?(?: for (?:next time|later|the future|future \w+))?"
    r"|(?:keep|bear) (?:(?:this|that|it) )?in mind|(?:don'?t|do not|never) forget(?: (?:this|that))?"
    r"|(?:save|store|put|write|note|record) (?:this|that|it) (?:down|(?:to|in|into) (?:(?:the|your) )?memory)"
    r"|for (?:next time|future (?:sessions?|runs?|agents?|reference)|the next (?:session|agent|time))"
    r"|(?:merke?|merkt|notiere?)(?: (?:dir|euch|das|dies|bitte|mal))*|merken|nicht vergessen|vergiss nicht"
    r"|denkt? (?:daran|dran)|fürs nächste mal|für die zukunft"
    r"|recuerda|ten en cuenta|no (?:te )?olvides|para la próxima(?: vez)?"
    r"|retiens(?: bien)?|n'oublie pas|souviens-toi|pour la prochaine fois)(?:\s*:|\s+[—–-])\s+"
    r"|note to (?:my)?self\s*(?:[:,—–]|-(?=\s))\s*|(?:请)?记住\s*[:：,，]\s*)"
)
_MEMO = lazy_pattern(f"(?i){MEMO}")


def asks_to_remember(text: str) -> bool:
    """Whether the first words of a text ask to remember the rest."""
    return bool(_MEMO.match(text))


def without_request(text: str) -> str:
    """The text to remember."""
    return _MEMO.sub("", text, count=1)
