"""A query in tokens, and how a language says when: its words, and its phrases as a tree that grows with a query.

The invariant: tokens come in the order of the text, do not overlap, and query[start:end] is what was typed. A numeral
that is glued to letters or to another number ("v2", "10/12", "8:30") is not the number it contains.
`text/tables/README.md` explains the notation of the files.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import NamedTuple, TypeAlias

from recollect.text.clean import TYPOGRAPHIC
from recollect.text.tables import TableError, TableLine, load_sections

FIRST_YEAR, LAST_YEAR = 1900, 2100
_MONTHS, _DAYS = 12, 31
_DECADES = range(30, 100, 10)
_NOTHING: Mapping[str, str] = {}
_PLAIN = str.maketrans(TYPOGRAPHIC)

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_POINT, _ENDING, _BEGINNING, _ANYTHING = "{point}", "$", "<", "*"


class QueryToken(NamedTuple):
    """A word without case and accents, or a mark; `shapes` says what a numeral may be: a day, a year, a date."""

    folded: str
    start: int
    end: int
    shapes: Mapping[str, str]


@cache
def _tokens() -> re.Pattern[str]:
    word = r"(?:\w[\u0300-\u036f]*)+"
    numeral = "[0-9]+(?:[.,:/\u2013-][0-9]+){0,8}"
    return re.compile(
        rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?=T[0-9])|(?>{numeral})(?!\w)|{word}(?:['\u2019]{word})*|[^\w\s]"
    )


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Give the numerals of several numbers: a date either way round, days, months, years."""
    return tuple(
        (name, re.compile(pattern))
        for name, pattern in (
            ("date", r"(?P<day>\d\d?)([./-])(?P<month>\d\d?)\2(?P<year>\d{4})"),
            ("date", r"(?P<year>\d{4})([./-])(?P<month>\d\d?)\2(?P<day>\d\d?)"),
            ("daymonth", r"(?P<day>\d\d?)\.(?P<month>\d\d?)"),
            ("monthyear", r"(?P<month>\d\d?)[./](?P<year>\d{4})"),
            ("monthyear", r"(?P<year>\d{4})-(?P<month>\d\d)"),
            ("years", r"(?P<year>\d{4})-(?P<day>\d{4})"),
            ("dayrange", r"(?P<year>\d\d?)-(?P<day>\d\d?)"),
            ("winter", r"(?P<year>\d{4})/(?P<month>\d\d|\d{4})"),
            ("nth", r"(?P<day>\d\d?)(?:st|nd|rd|th)"),
        )
    )


def fold(word: str) -> str:
    """Give a word in one spelling: without case, accents and typographic quotes."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", word.casefold().translate(_PLAIN))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def tokenize(query: str) -> tuple[QueryToken, ...]:
    """Cut a query into tokens. The 's of a possessive stands alone, so that today's news is today."""
    tokens: list[QueryToken] = []
    for match in _tokens().finditer(query):
        folded, start, end = fold(match[0]), match.start(), match.end()
        if folded.endswith("'s") and len(folded) > 2:  # noqa: PLR2004 - the length of 's
            tokens.append(QueryToken(folded[:-2], start, end - 2, _NOTHING))
            tokens.append(QueryToken("'s", end - 2, end, _NOTHING))
        else:
            tokens.append(QueryToken(folded, start, end, _read(folded)))
    return tuple(tokens)


def _read(folded: str) -> Mapping[str, str]:
    if not "0" <= folded[:1] <= "9":
        return _NOTHING
    if folded.isdecimal():
        return _number(folded)
    for name, pattern in _shapes():
        if match := pattern.fullmatch(folded):
            return {name: "-".join(_date(name, match.groupdict()))}
    return _NOTHING


def _number(digits: str) -> Mapping[str, str]:
    if len(digits) > len("2022"):
        return {"large": digits}
    number = int(digits)
    shapes = {}
    if len(digits) == len("2022"):
        if not FIRST_YEAR <= number <= LAST_YEAR:
            return {"large": digits}
        return {"year": digits, "tens": digits} if number % 10 == 0 else {"year": digits}
    if number:
        shapes["n"] = digits
    if len(digits) <= len("31"):
        if 1 <= number <= _DAYS:
            shapes["day"] = digits
        if 1 <= number <= _MONTHS:
            shapes["mm"] = digits
        if number in _DECADES:
            shapes["tens"] = f"19{digits}"
    return shapes


def _date(name: str, parts: Mapping[str, str]) -> list[str]:
    """Put the numbers of a date in order: year, month, day. The day comes first unless that cannot be."""
    day, month, year = (parts.get(part) for part in ("day", "month", "year"))
    if name == "date" and day and month and int(month) > _MONTHS >= int(day):
        day, month = month, day
    return [part for part in (year, month, day) if part]


class Element(NamedTuple):
    """One place of a phrase: any of the words, or a word of any of the classes, which fills the slot of that name.

    Or it is another phrase, the end of a clause, or any word at all.
    """

    words: frozenset[str] = frozenset()
    slots: tuple[tuple[str, str], ...] = ()
    point: bool = False
    ending: bool = False
    anything: bool = False


class Phrase(NamedTuple):
    """What a row of words means, and which line of the tables it is. The tokens before `begins` are only context."""

    meaning: str
    arguments: Mapping[str, str]
    line: int
    begins: int
    bare: bool


_PhraseRow: TypeAlias = tuple[list[str], Phrase]  # the parts of a phrase that are still to come


class PhraseNode:
    """A place in the tree of all phrases of a language: the phrases that end here, and how others go on.

    Most places are never reached, so what lies behind one is only worked out where one is.
    """

    def __init__(self, element_of: Callable[[str], Element]) -> None:
        self.rows: list[_PhraseRow] = []
        self._element_of = element_of

    @cached_property
    def _grown(self) -> "tuple[list[Phrase], dict[str, tuple[Element, PhraseNode]]]":
        phrases: list[Phrase] = []
        edges: dict[str, tuple[Element, PhraseNode]] = {}
        for parts, phrase in self.rows:
            optional = 0
            while optional < len(parts) and parts[optional].endswith("?"):
                optional += 1
            if optional == len(parts):
                phrases.append(phrase)
            for place in range(min(optional, len(parts) - 1), -1, -1):  # what may be missing is left out first
                part = parts[place].removesuffix("?")
                if part not in edges:
                    edges[part] = self._element_of(part), PhraseNode(self._element_of)
                edges[part][1].rows.append((parts[place + 1 :], phrase))
        return phrases, edges

    @cached_property
    def phrases(self) -> list[Phrase]:
        return self._grown[0]

    @cached_property
    def edges(self) -> "dict[str, tuple[Element, PhraseNode]]":
        return self._grown[1]

    @cached_property
    def by_word(self) -> Mapping[str, "list[PhraseNode]"]:
        nodes: dict[str, list[PhraseNode]] = {}
        for element, node in self.edges.values():
            for word in element.words:
                nodes.setdefault(word, []).append(node)
        return nodes

    @cached_property
    def by_class(self) -> Mapping[str, "list[tuple[str, PhraseNode]]"]:
        nodes: dict[str, list[tuple[str, PhraseNode]]] = {}
        for element, node in self.edges.values():
            for slot, name in element.slots:
                nodes.setdefault(name, []).append((slot, node))
        return nodes

    @cached_property
    def after_point(self) -> "list[PhraseNode]":
        return [node for element, node in self.edges.values() if element.point]

    @cached_property
    def after_anything(self) -> "list[PhraseNode]":
        return [node for element, node in self.edges.values() if element.anything]

    @cached_property
    def at_ending(self) -> "list[PhraseNode]":
        return [node for element, node in self.edges.values() if element.ending]


class TimeGrammar:
    """A language, read: the classes of each word, and the tree of its phrases."""

    def __init__(self, language: str) -> None:
        self.lexicon: dict[str, dict[str, str]] = {}
        self.root = PhraseNode(cache(self._element))
        self._lists: dict[str, frozenset[str]] = {}
        for section in load_sections(language, "time_words"):
            self._add_class(section.heading, section.lines)
        for number, (meaning, row, bare) in enumerate(_rows(language)):
            name, *arguments = meaning
            parts = row.split()
            begins = parts.index(_BEGINNING) if _BEGINNING in parts else 0
            phrase = Phrase(name, dict(pair.split("=") for pair in arguments), number, begins, bare)
            self.root.rows.append(([part for part in parts if part != _BEGINNING], phrase))

    def may_begin(self, token: QueryToken) -> bool:
        """Tell whether any phrase begins with a token. One that begins with another phrase begins with its token.

        Asked for every word of every query, most of which begin nothing.
        """
        if token.folded in self._first_words or self.root.after_anything or self.root.at_ending:
            return True
        return bool(token.shapes) and not self.root.by_class.keys().isdisjoint(token.shapes)

    @cached_property
    def _first_words(self) -> frozenset[str]:
        first_classes = self.root.by_class.keys()
        of_classes = {word for word, classes in self.lexicon.items() if not first_classes.isdisjoint(classes)}
        return frozenset(of_classes.union(self.root.by_word))

    def classes(self, token: QueryToken) -> Mapping[str, str]:
        """Give what a token is in this language, with its meaning."""
        classes_of_word = self.lexicon.get(token.folded)
        if classes_of_word is None:
            return token.shapes
        return {**token.shapes, **classes_of_word} if token.shapes else classes_of_word

    def _add_class(self, name: str, lines: tuple[TableLine, ...]) -> None:
        """Add words: those after a colon have a meaning, the others are a mere list."""
        listed: set[str] = set()
        for line in lines:
            meaning, colon, words = line.text.rpartition(":")
            forms = {form for word in words.split() for form in _spellings(word)}
            if colon:
                for form in forms:
                    self.lexicon.setdefault(form, {})[name] = meaning
            else:
                listed |= forms
        if listed:
            self._lists[name] = frozenset(listed)

    def _element(self, part: str) -> Element:
        if part in (_POINT, _ENDING, _ANYTHING):
            return Element(point=part == _POINT, ending=part == _ENDING, anything=part == _ANYTHING)
        words: set[str] = set()
        slots: list[tuple[str, str]] = []
        for choice in part.split("|"):
            slot, _, name = choice.strip("{}").partition("=")
            if not choice.startswith("{"):
                words |= _spellings(choice)
            elif slot in self._lists:
                words |= self._lists[slot]
            else:
                slots.append((slot, name or slot))
        return Element(frozenset(words), tuple(slots))


def _rows(language: str) -> Iterator[tuple[list[str], str, bool]]:
    """Give each phrase with its meaning and the arguments of that."""
    for table, bare in (("time_phrases", False), ("time_points", True)):
        for heading, lines in load_sections(language, table):
            meaning = heading.split()
            for line in lines:
                if not all("=" in arguments for arguments in meaning[1:]):
                    raise TableError(f"{line.place}: expected a heading such as [unit n=-1], found [{heading}].")
                yield from ((meaning, row, bare) for row in _without_groups(line.text))


def _without_groups(line: str) -> Iterator[str]:
    """Give a line with and without each of the groups that may be missing."""
    before, group, rest = line.partition("(")
    if not group:
        yield line
        return
    inside, _, after = rest.partition(")?")
    yield from _without_groups(f"{before} {after}")
    yield from _without_groups(f"{before} {inside} {after}")


def _spellings(word: str) -> set[str]:
    """Give how a word may be typed once it is folded: with its umlauts spelled out or not."""
    return {fold(word)} if word.isascii() else {fold(word), fold(word.translate(_UMLAUTS))}
