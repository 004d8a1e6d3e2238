"""What a captured memory says: the clause of a statement, without greetings, and with whom it is about."""

from recollect.model.readings import Statement, TextSpan
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.spelling import fold_spelling
from recollect.text.capture.words import folded, function_words, openings

LONGEST = 500
_AROUND = " \t\n\"'`.,;:!?()[]{}-\u2013\u2014\u201e\u201c\u201d\u00ab\u00bb\u2026*_>|/"
_OPEN, _CLOSE = "([{\u201e\u00ab\u201c", ")]}\u201c\u00bb\u201d"
_FEWEST_WORDS = 2
_FEWEST_LETTERS = 5
_FIRST_WORDS = 4
_LONG_TEXT = 40  # words
_WORDS_PER_MENTION = 60


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
        if start + len(word) > min(value.start, end - 1) or fold_spelling(word.rstrip(",.!:")) not in small:
            break
        start, end = _strip(layout.text, start + len(word), end)
    while end > max(start, value.end):
        word = layout.text[start:end].rsplit(None, 1)[-1]
        if end - len(word) < max(value.end, start + 1) or fold_spelling(word) not in small or word[:1].isupper():
            break
        start, end = _strip(layout.text, start, end - len(word))
    return TextSpan(start, end)


def has_content(text: str) -> bool:
    """Tell whether enough is said: two words, or a word and a number."""
    words = [word for word in text.split() if any(map(str.isalnum, word))]
    telling = [word for word in words if fold_spelling(word.strip(_AROUND)) not in function_words()]
    return len(words) >= _FEWEST_WORDS and bool(telling) and sum(map(str.isalpha, text)) >= _FEWEST_LETTERS


def names_first_person(text: str) -> bool:
    """Tell whether the user speaks of themselves."""
    return not folded("first person").isdisjoint(fold_spelling(word.strip(_AROUND)) for word in text.split())


def is_impersonal(text: str) -> bool:
    """Tell whether a text of some length hardly ever says "I" or "my": then it is an article, not a message."""
    words = [fold_spelling(word.strip(_AROUND)) for word in text.split()]
    own = sum(word in folded("first person") for word in words)
    return len(words) >= _LONG_TEXT and own * _WORDS_PER_MENTION < len(words)


def named_person(text: str) -> str:
    """Give the person or animal of the user's that a clause begins with: "my sister", "naše kočka"."""
    words = text.split()[:_FIRST_WORDS]
    bare = [fold_spelling(word.strip(_AROUND)) for word in words]
    place = next((place for place, word in enumerate(bare) if word in folded("people")), None)
    if place is None or folded("first person").isdisjoint(bare[:place]):
        return ""
    name = words[place + 1 : place + 2]
    return " ".join((words[place], *(word.strip(_AROUND) for word in name if word[:1].isupper() and word.isalpha())))


def with_person(content: str, who: str) -> str:
    """Name whom a memory is about where its words do not."""
    return content if not who or fold_spelling(who) in fold_spelling(content) else f"{who}: {content}"


def bare_noun(text: str) -> str:
    """Give a person or thing without article and possessive: "my sister" is a sister."""
    words = text.strip(_AROUND).split()
    small = function_words() | folded("first person")
    while words and fold_spelling(words[0]) in small:
        words = words[1:]
    return " ".join(words)


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out marks at both ends; a bracket or quotation that is closed inside stays whole."""
    while start < end and text[start] in _AROUND and not (text[start] in _OPEN and _closed(text[start:end])):
        start += 1
    while end > start and text[end - 1] in _AROUND and not _belongs(text[start:end]):
        end -= 1
    return start, end


def _closed(text: str) -> bool:
    return text[0] in "([{" and _CLOSE["([{".index(text[0])] in text


def _belongs(text: str) -> bool:
    """Tell whether the last mark belongs to the words: a bracket that was opened, the point of a date."""
    if text[-1] in ")]}":
        return "([{"[")]}".index(text[-1])] in text
    return text[-1] == "." and text[-2:-1].isdigit() and text.count(".", -6) > 1
