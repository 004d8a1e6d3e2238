"""How a language says when: its words, and its phrases as a tree that grows where a query follows it.

`text/tables/README.md` explains the notation of the files.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias

from recollect.text.tables import TableError, TableLine, load_sections
from recollect.text.time_expressions.tokens import QueryToken, fold

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_POINT, _ENDING, _BEGINNING, _ANYTHING = "{point}", "$", "<", "*"


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
        self.root = PhraseNode(self._element)
        self._lists: dict[str, frozenset[str]] = {}
        self._elements: dict[str, Element] = {}
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
        if token.folded in self._first_words or self._begins_anywhere:
            return True
        return bool(token.shapes) and not self.root.by_class.keys().isdisjoint(token.shapes)

    @cached_property
    def _first_words(self) -> frozenset[str]:
        first_classes = self.root.by_class.keys()
        of_classes = {word for word, classes in self.lexicon.items() if not first_classes.isdisjoint(classes)}
        return frozenset(of_classes.union(self.root.by_word))

    @cached_property
    def _begins_anywhere(self) -> bool:
        return bool(self.root.after_anything or self.root.at_ending)

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
        if part not in self._elements:
            self._elements[part] = _element(part, self._lists)
        return self._elements[part]


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
