"""Statements in German, Spanish and French: the plainest forms of "we stay with", "from now on", "always" and "never".

Whoever speaks another language to an agent still states rules; all but these plain forms are left out.
"""

import re

from repomem.capture.statements.clauses import Clause
from repomem.core.records import Kind

_DECIDES = re.compile(
    r"^(?:(?:wir|ich) (?:bleiben?|bleibe) (?:bei|auf)|wir setzen (?:ab jetzt |weiter(?:hin)? |künftig )?auf|"
    r"wir haben (?:uns )?(?:\w+ ){0,4}?(?:entschieden|geeinigt|beschlossen|festgelegt)|"
    r"wir haben (?:beschlossen|entschieden|vereinbart)|wir (?:verwenden|nutzen|nehmen) (?:ab jetzt|ab sofort|künftig)|"
    r"(?:entscheidung|beschlossen)\s*:"
    r"|nos quedamos con|seguimos con|hemos decidido|decidimos|acordamos|hemos acordado|decisión\s*:"
    r"|on (?:reste|garde)\b|nous (?:restons (?:sur|avec|chez)|gardons|avons (?:décidé|choisi))|décision\s*:)\s*\S",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"^(?:bitte )?(?:ab (?:jetzt|sofort)|künftig|in zukunft|von nun an|grundsätzlich)\b"
    r"|^(?:in diesem (?:repo|projekt) |hier )?wir (?!haben|hatten|sind|waren|bekommen|sehen|finden|kriegen|"
    r"müssen immer noch)"
    r"\w+n (?:hier |dort |in \w+ |unsere? )?(?:immer|nie|niemals|nur|grundsätzlich|keine?[nr]?)\b"
    r"|^(?:bitte )?(?:nie|niemals|immer) (?:[\w`./-]+ ){1,8}\w+en\b(?! (?:wird|ist|sind|werden|kommt))"
    r"|^(?:alle|jede[rs]?|neue) .{3,60}\b(?:müssen|muss|dürfen|darf)\b"
    r"|^(?:desde ahora|a partir de ahora|de ahora en adelante|por norma)\b"
    r"|^(?:por favor,? )?(?:siempre|nunca|jamás) (?!falla|funciona|sale|da\b|aparece|devuelve|llega|termina|me\b|"
    r"se\b|he\b|ha\b|"
    r"pasa|hay\b)\w+\s\S"
    r"|^(?:désormais|dorénavant|à partir de maintenant|à l'avenir)\b|^(?:toujours|(?:ne )?jamais) \w+(?:er|ir|re)\b",
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
