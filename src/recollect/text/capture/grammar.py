"""The notation in which a language's rules are written, and what it compiles to.

A rule is a phrase of the language, one per line, in RE2 syntax with four conveniences:

    (a|b)        a choice; groups never capture
    {word}       one of the words listed under that name; {value}, {subject} and {key} are slots
    <word>       any of the listed words, or none, with the blank after it
    ^            the beginning of the sentence, with or without greetings and other openers

A blank also stands for a comma. Letters may be typed with or without their marks, and don't also as dont. A phrase
begins and ends at the edge of a word, in every alphabet. RE2 takes linear time for every phrase, and sees no more than
one sentence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import re2

from recollect.text.capture.spelling import fold_rule
from recollect.text.capture.tables import Language, Rule, read_lines, read_rules, read_table


class RegexMatch(Protocol):
    """A match."""

    def span(self, group: int = 0) -> tuple[int, int]: ...


class Regex(Protocol):
    """A compiled pattern."""

    groupindex: Mapping[str, int]

    def search(self, text: str) -> RegexMatch | None: ...

    def finditer(self, text: str) -> Iterator[RegexMatch]: ...


class LazyRegex:
    """A pattern that is compiled when a text first meets it, so that importing compiles nothing."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    @cached_property
    def _compiled(self) -> Regex:
        return compile_regex(self._pattern)

    @property
    def groupindex(self) -> Mapping[str, int]:
        return self._compiled.groupindex

    def search(self, text: str) -> RegexMatch | None:
        return self._compiled.search(text)

    def finditer(self, text: str) -> Iterator[RegexMatch]:
        return self._compiled.finditer(text)


class Phrases:
    """Phrases: all at once for a quick no; one by one for the slots. Both are compiled once they are needed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    @cached_property
    def any(self) -> Regex:
        return compile_regex("|".join(map(_anonymous, self._lines)) or _NOTHING)

    @cached_property
    def each(self) -> tuple[Regex, ...]:
        return tuple(map(compile_regex, self._lines))

    def match(self, text: str) -> bool:
        return self.any.search(text) is not None

    def matches(self, text: str) -> Iterator[Mapping[str, tuple[int, int]]]:
        """Give the spans of the slots, for each phrase found."""
        if self.match(text):
            for regex in self.each:
                if found := regex.search(text):
                    spans = {name: found.span(index) for name, index in regex.groupindex.items()}
                    if "rest" in spans:
                        spans["value"] = spans.pop("rest")[0], len(text)
                    yield spans


class CompiledRule(NamedTuple):
    rule: Rule
    phrases: Phrases
    unless: Phrases


class Grammar:
    """A language, compiled."""

    def __init__(self, language: Language) -> None:
        words = {name: "|".join(lines) for name, lines in read_table(language.words).items()}
        people = {name: "|".join(lines) for name, lines in read_table(language.people).items()}
        nouns = {name: "|".join(lines) for name, lines in read_table(language.nouns).items()}
        words["person"] = "|".join(people.values())
        self.rules = tuple(_compile_rule(rule, words) for rule in read_rules(language.rules))
        self.vetoes = {name: _compile(lines, words) for name, lines in read_table(language.vetoes).items()}
        self.asked, self.bare, self.turns, self.ends, self.context = (
            _compile(read_lines(phrases), words)
            for phrases in (language.asked, language.bare, language.turns, language.ends, language.context)
        )
        self._nouns = {name: LazyRegex(f"^(?:{_expand(forms, words)})$") for name, forms in (people | nouns).items()}

    def regexes(self) -> Iterator[tuple[str, Regex]]:
        """Give every pattern a sentence may meet, under the name of what it is for."""
        for rule, phrases, unless in self.rules:
            yield from ((rule.name, regex) for regex in (phrases.any, *phrases.each, unless.any))
        for name, phrases in self.vetoes.items():
            yield name, phrases.any
        for phrases in (self.asked, self.bare, self.turns, self.ends, self.context):
            yield from (("clause", regex) for regex in (phrases.any, *phrases.each))

    def english(self, noun: str) -> str:
        """Give the English name of a folded noun, if the tables have one."""
        return next((english for english, forms in self._nouns.items() if forms.search(noun)), "")


_SLOTS = {
    "value": r"(?P<value>.+)",
    "rest": r"(?P<rest>.)",  # a value at the end, known by where it begins: RE2 is slow at following it
    "statement": r"(?P<value>[^?]+)$",
    "front": r"(?P<value>[^ ,]+(?:[ ,]+[^ ,]+){0,6}?)",
    "subject": r"(?P<subject>[^ ,]+(?:[ ,]+[^ ,]+){0,4}?)",
    "topic": r"(?P<subject>[^,.;:!?]+)",
    "key": r"(?P<key>[^ ,]+(?: [^ ,]+){0,2}?)",
    "email": r"(?P<value>[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,64}(?:\.[a-z0-9-]{1,64})+)",
    "phone": r"(?P<value>\+?\(?\d(?:[ ()/.-]{0,2}\d){6,14})",
}
_NOTHING = r"[^\x00-\x{10ffff}]"
_NAMED = re.compile(r"\(\?P<\w+>")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_WORD = re.compile(r"\{([a-z_]+)\}")
_OPTION = re.compile(r"(?<!\?P)<([a-z_]+)>")
_BLANK = re.compile(r"\[[^\]]*\]| \??")  # one that stands in a class of characters is meant as it stands
_GAPS = {" ": "[ ,]+", " ?": "[ ,]*"}
_MEMORY = 64 << 20  # bytes at most; with too few, RE2 gives up its fast way on the longer tables
_LETTER = "a-z0-9_\u0430-\u044f"  # what folding leaves of letters; Unicode's classes take a second to compile
_EDGE = rf"[^{_LETTER}]"


def compile_regex(pattern: str, *, case_sensitive: bool = True) -> Regex:
    """Compile RE2 syntax. Raises re2.error, silently as far as the terminal is concerned."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    options.case_sensitive = case_sensitive
    compiled: Any = re2.compile(pattern, options)
    regex: Regex = compiled
    return regex


def _compile(lines: Sequence[str], words: Mapping[str, str]) -> Phrases:
    return Phrases([_phrase(line, words) for line in lines])


def _compile_rule(rule: Rule, words: Mapping[str, str]) -> CompiledRule:
    return CompiledRule(rule, _compile(rule.phrases, words), _compile(rule.unless, words))


def _phrase(line: str, words: Mapping[str, str]) -> str:
    opening = f"(?:^|{_EDGE})"
    if line.startswith("^"):
        opening, line = rf"^{_EDGE}*(?:(?:{_expand(words['opener'], words)}){_EDGE}+){{0,4}}", line[1:]
    if line.endswith("{value}"):
        line = line.removesuffix("{value}") + "{rest}"
    closing = "" if line.endswith(("{rest}", "{statement}", "{topic}", "$")) else f"(?:{_EDGE}|$)"
    return f"{opening}(?:{_expand(line, words)}){closing}"


def _expand(line: str, words: Mapping[str, str]) -> str:
    """Replace names by what they stand for, again and again, because lists may name other lists."""
    while _OPTION.search(line) or any(name[1] in words for name in _WORD.finditer(line)):
        line = _OPTION.sub(lambda name: f"(({words[name[1]]}) ){{0,3}}", line)
        line = _WORD.sub(lambda name: f"({words[name[1]]})" if name[1] in words else name[0], line)
    folded = _BLANK.sub(lambda found: _GAPS.get(found[0], found[0]), _GROUP.sub("(?:", fold_rule(line)))
    folded = folded.replace(r"[\w", rf"[{_LETTER}").replace(r"\w", f"[{_LETTER}]")
    return _WORD.sub(lambda name: _SLOTS[name[1]], folded)


def _anonymous(pattern: str) -> str:
    return f"(?:{_NAMED.sub('(?:', pattern)})"
