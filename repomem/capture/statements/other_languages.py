"""Statements in German, Spanish and French: the plainest forms of "we stay with", "from now on", "always" and "never".

Whoever speaks another language to an agent still states rules; all but these plain forms are left out.
"""

import re

from repomem.capture.statements.clauses import Clause
from repomem.core.records import Kind

_DECIDES = re.compile(
    r"^(?:wir bleiben? bei|entscheidung\s*:)\s*\S",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"^(?:ab jetzt|in zukunft)\b|^wir (?!haben|hatten|sind|waren|bekommen|sehen|finden|kriegen|"
    r"müssen immer noch)\w+n nie\b|^(?:nie|immer) (?:[\w`./-]+ ){1,8}\w+en\b(?! (?:wird|ist|sind|werden|"
    r"kommt))|^desde ahora\b|^nunca (?!falla|funciona|sale|da\b|aparece|devuelve|llega|termina|me\b|se\b|he\b|"
    r"ha\b|pasa|hay\b)\w+\s\S",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:könnt\w*|würd\w*|vielleicht|eventuell|wohl|sollten|sollte|wär\w*|falls|wenn wir|überleg\w*|mal (?:sehen|"
    r"schauen)|"
    r"erst ?mal|vorerst|diesmal|heute|morgen|gerade|momentan|noch nicht|nur kurz|ob"
    r"|podr[ií]a\w*|quizás?|tal vez|si|deber[ií]amos|esta vez|por ahora|de momento|hoy|mañana|creo|dice[n]?|dijo"
    r"|pourr\w+|peut-être|cette fois|pour l'instant|aujourd'hui|demain|dit"
    r"|sagt|sagte|meint|schreibt|schrieb|laut|gesagt|angeblich)\b",
    re.IGNORECASE,
)


def foreign_kind(clause: Clause) -> Kind | None:
    """What a clause states in one of these languages; None where it states nothing, or says it with doubt."""
    if _DOUBTS.search(f"{clause.front} {clause.bare}"):
        return None
    if _DECIDES.match(clause.bare):
        return Kind.DECISION
    return Kind.RULE if _RULES.match(clause.bare) else None
