"""Stop words of a text, and the language that it is written in."""

from collections.abc import Collection, Set as AbstractSet
from typing import Final

_GRAMMAR = """a an and are as at be been being but by can could did do does for from had has have how i if in into is it
    its me my no not of on or our should so some such than that the their them then there these they this those to too
    us use used uses using via was we were what when where which while who why will with would you your"""
_ERRANDS = """add added adds allow allows bump bumps change changed changes ensure fix fixed fixes fixing handle
    handles implement improve instead issue make makes need new now only please remove removed removes rename
    replace see set support update updated updates way work works"""
ENGLISH: Final = frozenset(f"{_GRAMMAR} {_ERRANDS}".split())
_OTHERS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "de": """
        aber als am an auf aus bei bis da das dass dem den der des die dieser dieses doch dort du durch ein eine
        einem einen einer eines er es etwas für gegen hat haben hier ich ihr im immer in ins ist ja kann kein keine
        keinen man mehr mein mit müssen muss nach nicht noch nur ob oder ohne schon sein seine sich sie sind so soll
        sollen sollte sonst um und uns unser unsere unter viel viele vom von vor wann war warum was weil welche
        welcher welches wenn wer werden wie wieder wir wird wo wohin zu zum zur zwischen über""",
        "fr": """
        alors au aux avec ce ces cette comme dans de depuis des doit du elle en est et être faire faut il ils je la
        le les leur lors mais mes mon même ne nos notre nous on ont ou où par pas peut plus pour pourquoi qu quand
        que quel quelle qui sa sans se ses si son sont sous sur tous tout très un une vers vos votre vous à était""",
        "es": """
        al algo antes aquí como con cuando cuál cuándo cómo de debe del desde donde dos dónde el ella en entre era
        es esta este esto está están fue ha hace hacia hasta hay la las le lo los me mi más ni no nos nuestra
        nuestro o para pero por porque puede que qué quién se ser si sin sobre son su sus también te tiene todo
        todos tu un una uno usar y ya""",
        "pt": """
        ao aos as até com como da das de deve do dos e ela ele em entre era essa esse esta este está eu foi há isso
        mais mas me mesmo muito na nas nem no nos nossa nosso não nós o onde os ou para pela pelo pode por porque
        qual quando que quem se sem ser seu sua são também tem temos todos um uma você à é""",
    }.items()
}
# English words without a subject, besides those above: a question about memories drops them too.
_COMMON = """
    about above actually after again against already also although always among another any anyone anything around
    back because before behind below between both bring came come comes did does doing done down during each either
    else even ever every everything far few find first for further gave get gets getting give given go goes going
    gone good got had happen happened happens have having hello her here hers hey hi him his however just keep kept
    know known last later least less let like likely little long look looking lot made make many may maybe me mean
    might mine more most much must myself near need never next nor nothing off often okay once one ones onto open
    other others our out over own people perhaps please put quite rather really right said same saw say says seem
    seems several shall she since something sometimes soon still such take taken takes tell than thank thanks thing
    things think those though thought through time times together told too took toward try trying turn two under
    until up upon very want wants was way well went whether whose why within without yes yet you your"""
COMMON: Final = frozenset(_COMMON.split())
FEWEST: Final = 3  # words of a language that a text in it has; "la", "die" and "des" alone may be names


def stop_words(words: Collection[str]) -> AbstractSet[str]:
    """English stop words, and those of the other language that the text is clearly written in."""
    return ENGLISH | _OTHERS.get(language_of_words(words), frozenset())


def language_of_words(words: Collection[str]) -> str:
    """The code of the language that a text with these words is clearly written in, if it is one of `_OTHERS`."""
    language, found = max(_OTHERS.items(), key=lambda other: len(other[1].intersection(words)))
    count = len((found - ENGLISH).intersection(words))
    is_other = count >= FEWEST and count > len((ENGLISH - found).intersection(words))
    return language if is_other else ""
