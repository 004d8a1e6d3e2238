"""How a language says when: the layout of its tables, and what they are read into.

A table has headings at the margin and indented lines below each. Words stand under the name of their class, either
after what they mean or as a mere list:

    month                               last
        1: january; 2: february             last previous

Phrases stand under what they mean: the name of a meaning and what it is always told. A phrase is a row of words:

    unit n=-1
        in? the? {last} {unit}

    a|b         one of several words
    {month}     a word or numeral of that class, which the meaning is told; {first=month} tells it under another name
    {point}     a whole phrase, or one of the bare ones
    x?, (x y)?  may be missing
    *           any word
    <           what stands before it decides, but does not speak of time
    $           here the query, or a clause of it, ends

Phrases that mean `nothing` take their words away from shorter ones. A phrase listed as bare counts only as a {point}:
"March" alone may be a verb, "since March" is a time. Letters may be typed with or without their marks.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from recollect.text.moments.tokens import Token, fold

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_POINT, _ENDING, _BEGINNING, _ANYTHING = "{point}", "$", "<", "*"


class Language(NamedTuple):
    """The tables of one language: its words, its phrases, and those that need a preposition or another date."""

    words: str
    phrases: str
    bare: str


class Element(NamedTuple):
    """One place of a phrase: any of the words, or a word of any of the classes, told to the slot of that name.

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
    told: Mapping[str, str]
    line: int
    begins: int
    bare: bool


class Node:
    """A place in the tree of all phrases of a language: the phrases that end here, and how others go on."""

    def __init__(self) -> None:
        self.phrases: list[Phrase] = []
        self.edges: dict[str, tuple[Element, Node]] = {}

    # The edges by what they ask for. Most places are never reached, so it is only worked out where one is.

    @cached_property
    def by_word(self) -> Mapping[str, "list[Node]"]:
        found: dict[str, list[Node]] = {}
        for element, node in self.edges.values():
            for word in element.words:
                found.setdefault(word, []).append(node)
        return found

    @cached_property
    def by_class(self) -> Mapping[str, "list[tuple[str, Node]]"]:
        found: dict[str, list[tuple[str, Node]]] = {}
        for element, node in self.edges.values():
            for slot, name in element.slots:
                found.setdefault(name, []).append((slot, node))
        return found

    @cached_property
    def after_point(self) -> "list[Node]":
        return [node for element, node in self.edges.values() if element.point]

    @cached_property
    def after_anything(self) -> "list[Node]":
        return [node for element, node in self.edges.values() if element.anything]

    @cached_property
    def at_ending(self) -> "list[Node]":
        return [node for element, node in self.edges.values() if element.ending]


class Grammar:
    """A language, read: the classes of each word, and the tree of its phrases."""

    def __init__(self, language: Language) -> None:
        self.lexicon: dict[str, dict[str, str]] = {}
        self.root = Node()
        self._lists: dict[str, frozenset[str]] = {}
        self._elements: dict[str, Element] = {}
        for name, lines in _sections(language.words):
            self._add_class(name, lines)
        rows = chain(_rows(language.phrases, bare=False), _rows(language.bare, bare=True))
        for number, (heading, row, bare) in enumerate(rows):
            meaning, *told = heading.split()
            parts = row.split()
            begins = parts.index(_BEGINNING) if _BEGINNING in parts else 0
            phrase = Phrase(meaning, dict(pair.split("=") for pair in told), number, begins, bare)
            self._add_phrase(self.root, [part for part in parts if part != _BEGINNING], phrase)

    def classes(self, token: Token) -> Mapping[str, str]:
        """Give what a token is in this language, with its meaning."""
        known = self.lexicon.get(token.folded)
        if known is None:
            return token.shapes
        return {**token.shapes, **known} if token.shapes else known

    def _add_class(self, name: str, lines: list[str]) -> None:
        listed: set[str] = set()
        for entry in filter(None, map(str.strip, ";".join(lines).split(";"))):
            meaning, colon, words = entry.rpartition(":")
            forms = {form for word in words.split() for form in _spellings(word)}
            if colon:
                for form in forms:
                    self.lexicon.setdefault(form, {})[name] = meaning
            else:
                listed |= forms
        if listed:
            self._lists[name] = frozenset(listed)

    def _add_phrase(self, node: Node, parts: list[str], phrase: Phrase) -> None:
        """Add a phrase to the tree, with and without each of the words that may be missing."""
        if not parts:
            node.phrases.append(phrase)
            return
        part, *rest = parts
        if part.endswith("?"):
            self._add_phrase(node, rest, phrase)
            part = part[:-1]
        if part not in node.edges:
            node.edges[part] = self._element(part), Node()
        self._add_phrase(node.edges[part][1], rest, phrase)

    def _element(self, part: str) -> Element:
        if part not in self._elements:
            self._elements[part] = _element(part, self._lists)
        return self._elements[part]


def _sections(table: str) -> Iterator[tuple[str, list[str]]]:
    """Give the lines of a table under their headings."""
    heading, lines = "", list[str]()
    for line in filter(str.strip, table.splitlines()):
        if line[0].isspace():
            lines.append(line.strip())
        else:
            if heading:
                yield heading, lines
            heading, lines = line.strip(), []
    yield heading, lines


def _rows(table: str, *, bare: bool) -> Iterator[tuple[str, str, bool]]:
    """Give each line of a table of phrases with its heading."""
    for heading, lines in _sections(table):
        for line in chain.from_iterable(map(_without_groups, lines)):
            yield heading, line, bare


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
    return {fold(word), fold(word.translate(_UMLAUTS))}


def _element(part: str, lists: Mapping[str, frozenset[str]]) -> Element:
    if part in (_POINT, _ENDING, _ANYTHING):
        return Element(point=part == _POINT, ending=part == _ENDING, anything=part == _ANYTHING)
    words: set[str] = set()
    slots: list[tuple[str, str]] = []
    for choice in part.split("|"):
        slot, _, name = choice.strip("{}").partition("=")
        if not choice.startswith("{"):
            words |= _spellings(choice)
        elif slot in lists:
            words |= lists[slot]
        else:
            slots.append((slot, name or slot))
    return Element(frozenset(words), tuple(slots))
