# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What a captured memory says: the clause of a statement, without greetings, and whom it is about."""

from datetime import UTC, datetime

from recollect.model.readings import Statement, TextSpan
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.words import folded, function_words, located, openings
from recollect.text.clean import fold_spelling
from recollect.text.regex import LazyRegex
from recollect.text.time_expressions import find_time_spans

LONGEST = 500
AROUND = " \t\n\"'`.,;:!?()[]{}-\u2013\u2014\u201e\u201c\u201d\u00ab\u00bb\u2026*_>|/"
_OPEN, _CLOSE = "([{\u201e\u00ab\u201c", ")]}\u201c\u00bb\u201d"
ANY_DAY = datetime(2000, 1, 1, 12, tzinfo=UTC)  # where a time stands in a text does not depend on the day
_FEWEST_WORDS = 2
_FEWEST_LETTERS = 5
_FIRST_WORDS = 4
_MOST_OF_THING = 5  # words
_LONG_TEXT = 40  # words
_WORDS_PER_MENTION = 60

SOMEONE = ""  # about a person that the message does not name
RELATIONS = frozenset({"partner", "child", "parent", "sibling", "relative", "friend", "colleague", "pet"})

_LOOKED_BACK = 400  # characters
_SPOKEN_BY_USER = {"cs": LazyRegex(r"(?:am|im|em|eme|ime|ame|uju|uji)$"), "ru": LazyRegex(r"(?:у|ю|усь|юсь|ем|им)$")}


def content_span(layout: OwnWords, statement: Statement, low: int, high: int) -> TextSpan:
    """Give the clause of a statement between its neighbours, trimmed at both ends but never into its value."""
    clause = layout.clause(statement.span, low, high)
    if clause.end - clause.start > LONGEST:
        clause = statement.span
    value = statement.value or TextSpan(clause.end, clause.start)
    start, end = _strip(layout.text, clause.start, clause.end)
    small = openings(layout.language)
    while start < end:
        word = layout.text[start:end].split(None, 1)[0]
        opens = (
            word != "I" and fold_spelling(word.rstrip(",.!:")) in small
        )  # of Czech "i", and not of "I live in Plzeň"
        if not opens or start + len(word) > min(value.start, end - 1):
            break
        start, end = _strip(layout.text, start + len(word), end)
    while end > max(start, value.end):
        word = layout.text[start:end].rsplit(None, 1)[-1]
        if end - len(word) < max(value.end, start + 1) or fold_spelling(word) not in small or word[:1].isupper():
            break
        left = _strip(layout.text, start, end - len(word))
        if fold_spelling(layout.text[slice(*left)].rsplit(None, 1)[-1]) in function_words() - small:
            break  # "charts that rely on that"
        start, end = left
    return TextSpan(start, end)


def has_content(text: str) -> bool:
    """Tell whether enough is said: two words, or one and a number, and no mere time; what "it" is must be said too."""
    words = [word for word in text.split() if any(map(str.isalnum, word))]
    telling = [word for word in words if fold_spelling(word.strip(AROUND)) not in function_words()]
    if len(words) < _FEWEST_WORDS or not telling or sum(map(str.isalpha, text)) < _FEWEST_LETTERS:
        return False
    about = len(_about_something(telling, text))
    return about >= (_FEWEST_WORDS if refers_back(" ".join(words[1:])) else 1)


def refers_back(text: str) -> bool:
    """Tell whether a text speaks of something by a pronoun: "it", "that"."""
    return not folded("refers back").isdisjoint(_folded_words(text))


def _about_something(words: list[str], text: str) -> list[str]:
    """Give the words of a text that are neither a time nor the user."""
    times = " ".join(text[time.start : time.end] for time in find_time_spans(text, ANY_DAY)).split()
    own = folded("first person")
    return [word for word in words if word not in times and fold_spelling(word.strip(AROUND)) not in own]


def is_impersonal(text: str) -> bool:
    """Tell whether a text of some length hardly ever says "I" or "my": then it is an article, not a message."""
    words = [fold_spelling(word.strip(AROUND)) for word in text.split()]
    own = sum(word in folded("first person") for word in words)
    return len(words) >= _LONG_TEXT and own * _WORDS_PER_MENTION < len(words)


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out marks at both ends; a bracket or quotation that is closed inside stays whole."""
    while start < end and text[start] in AROUND and not (text[start] in _OPEN and _closed(text[start:end])):
        start += 1
    while end > start and text[end - 1] in AROUND and not _belongs(text[start:end]):
        end -= 1
    return start, end


def _closed(text: str) -> bool:
    return text[0] in "([{" and _CLOSE["([{".index(text[0])] in text


def _belongs(text: str) -> bool:
    """Tell whether the last mark belongs to the words: a bracket that was opened, the point of a date."""
    if text[-1] in ")]}":
        return "([{"[")]}".index(text[-1])] in text
    return text[-1] == "." and text[-2:-1].isdigit() and text.count(".", -6) > 1


def whom(layout: OwnWords, statement: Statement, content: TextSpan, before: str | None) -> str | None:
    """Give whom a statement is about; None for the user. `before` is whom the clause before it was about, if any."""
    words = _folded_words(content.of(layout.text))
    if words and words[0] in folded("i"):
        return None
    named = bare_noun(statement.who.of(layout.text)) if statement.who else ""
    if named or (named := named_person(content.of(layout.text))):
        return named
    by_user = is_by_user(layout.language, content.of(layout.text))
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


def located_thing(said: str) -> str:
    """Give the thing of which a clause says where it is: neither a person nor what a pronoun stands for."""
    found = located().search(fold_spelling(said))
    words = said[: found.span()[0]].split() if found else []
    bare = _folded_words(" ".join(words))
    of_person = not (folded("people") | folded("i")).isdisjoint(bare)
    named = "" if of_person or len(words) > _MOST_OF_THING else bare_noun(" ".join(words))
    return "" if fold_spelling(named) in folded("third person") | folded("refers back") else named


def with_person(content: str, who: str) -> str:
    """Name whom a memory is about where its words do not."""
    return content if not who or fold_spelling(who) in fold_spelling(content) else f"{who}: {content}"


def names_first_person(text: str) -> bool:
    """Tell whether the user speaks of themselves."""
    return not folded("first person").isdisjoint(_folded_words(text))


def is_by_user(language: str, text: str) -> bool:
    """Tell whether users speak of themselves, by a pronoun or by the verb that a clause begins with."""
    words = _folded_words(text)
    return not folded("first person").isdisjoint(words) or _is_spoken_by_user(language, words)


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
