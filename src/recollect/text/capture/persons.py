# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Whom a statement is about: the user, a person or thing it names, or the one that was named before."""

from recollect.model.readings import Statement, TextSpan
from recollect.text.capture.contents import AROUND
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.words import folded, function_words
from recollect.text.regex import LazyRegex
from recollect.text.spelling import fold_spelling

SOMEONE = ""  # about a person that the message does not name
RELATIONS = frozenset({"partner", "child", "parent", "sibling", "relative", "friend", "colleague", "pet"})

_FIRST_WORDS = 4
_LOOKED_BACK = 400  # characters
_SPOKEN_BY_USER = {"cs": LazyRegex(r"(?:am|im|em|eme|ime|ame|uju|uji)$"), "ru": LazyRegex(r"(?:у|ю|усь|юсь|ем|им)$")}


def whom(layout: OwnWords, statement: Statement, content: TextSpan, before: str | None) -> str | None:
    """Give whom a statement is about; None for the user. `before` is whom the clause before it was about, if any."""
    words = _folded_words(content.of(layout.text))
    if words and words[0] in folded("i"):
        return None
    named = bare_noun(statement.who.of(layout.text)) if statement.who else ""
    if named or (named := named_person(content.of(layout.text))):
        return named
    by_user = not folded("first person").isdisjoint(words) or _is_spoken_by_user(layout.language, words)
    if _begins_with_another(words):
        return before or last_person(layout.text[: content.start]) or SOMEONE
    if statement.key in RELATIONS and not by_user:
        return before or last_person(layout.text[: content.start]) or statement.key
    return None if by_user else before


def _begins_with_another(words: list[str]) -> bool:
    """Tell whether a clause begins with a pronoun for another person, perhaps after a preposition."""
    third = folded("third person")
    return bool(words) and (words[0] in third or (words[0] in function_words() and not third.isdisjoint(words[1:2])))


def named_person(text: str) -> str:
    """Give the person or animal of the user's that a clause begins with: "my sister", "naše kočka"."""
    words = text.split()[:_FIRST_WORDS]
    bare = _folded_words(" ".join(words))
    place = next((place for place, word in enumerate(bare) if word in folded("people")), None)
    return "" if place is None or folded("first person").isdisjoint(bare[:place]) else _with_name(words, place)


def last_person(text: str) -> str:
    """Give the person or animal that a text named last."""
    words = text[-_LOOKED_BACK:].split()
    bare = _folded_words(" ".join(words))
    found = (place for place in range(len(bare) - 1, -1, -1) if bare[place] in folded("people"))
    place = next(found, None) if len(bare) == len(words) else None
    return "" if place is None else _with_name(words, place)


def bare_noun(text: str) -> str:
    """Give a person or thing without article and possessive: "my sister" is a sister."""
    words = text.strip(AROUND).split()
    small = function_words() | folded("first person")
    while words and fold_spelling(words[0]) in small:
        words = words[1:]
    return " ".join(words)


def with_person(content: str, who: str) -> str:
    """Name whom a memory is about where its words do not."""
    return content if not who or fold_spelling(who) in fold_spelling(content) else f"{who}: {content}"


def names_first_person(text: str) -> bool:
    """Tell whether the user speaks of themselves."""
    return not folded("first person").isdisjoint(_folded_words(text))


def _with_name(words: list[str], place: int) -> str:
    following = words[place + 1 : place + 2]
    name = [word.strip(AROUND) for word in following if word[:1].isupper() and word.strip(AROUND).isalpha()]
    return " ".join((words[place].strip(AROUND), *name))


def _is_spoken_by_user(language: str, words: list[str]) -> bool:
    """Tell whether a clause begins with a verb in the first person, where a language needs no pronoun for that."""
    ending = _SPOKEN_BY_USER.get(language)
    return ending is not None and bool(words) and ending.search(words[0]) is not None


def _folded_words(text: str) -> list[str]:
    return [bare for word in text.split() if (bare := fold_spelling(word.strip(AROUND)))]
