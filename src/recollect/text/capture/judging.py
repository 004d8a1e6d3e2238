"""Whether a sentence is worth keeping, as what, and what it says about whom.

The invariant: a sentence is kept only because a rule names it, and only if nothing shows that it is something other
than a statement by the user about what lasts.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from recollect.model.messages import Captured
from recollect.text.capture.czech import CZECH
from recollect.text.capture.english import ENGLISH
from recollect.text.capture.german import GERMAN
from recollect.text.capture.grammar import CompiledRule, Grammar, LazyRegex
from recollect.text.capture.russian import RUSSIAN
from recollect.text.capture.slots import fill
from recollect.text.capture.spelling import fold_spelling
from recollect.text.capture.tables import Category, Language
from recollect.text.language import guess_language

LANGUAGES: Mapping[str, Language] = {"en": ENGLISH, "cs": CZECH, "de": GERMAN, "ru": RUSSIAN}
_LATIN = ("en", "cs", "de")
_CYRILLIC = ("ru",)
_HAS_LATIN = LazyRegex("[a-z]")
_HAS_CYRILLIC = LazyRegex("[\u0430-\u044f]")

_ASKED_IMPORTANCE = 0.95
_ALWAYS = frozenset({"forget", "reminder", "assistant"})  # vetoes that even a request to remember does not lift
_IN_A_REQUEST = frozenset({"request", "moment", "question", "reported", "pasted"})
_FOR_WEAK_RULES = frozenset({"vague"})
_OPENING = 2  # sentences that show whether a message was pasted

Spans: TypeAlias = Mapping[str, tuple[int, int]]
_QUOTATION = LazyRegex(r'"[^"\s]+\s+[^"\s]+\s+[^"]*"')
_NAMES_SOMETHING = LazyRegex(r"\d|\pL[^\pL]+(?:\p{Lu}\pL|\p{Lu}\p{Lu})")
_HIDDEN = "\u25a0"


@cache
def grammar_of(language: str) -> Grammar:
    """Compile the rules of a language, when the first text in its alphabet is judged."""
    return Grammar(LANGUAGES[language])


class FoldedSentence(NamedTuple):
    """What was said, and the same, letter for letter, as rules see it."""

    said: str
    folded: str

    @classmethod
    def read(cls, said: str) -> "FoldedSentence":
        return cls(said, _without_quotations(fold_spelling(said)))

    def part(self, start: int, end: int) -> "FoldedSentence":
        return FoldedSentence(self.said[start:end], self.folded[start:end])


def judge(said: str) -> Captured | None:
    """Give what is worth keeping in a sentence, if anything."""
    sentence = FoldedSentence.read(said)
    grammars = _grammars(sentence.folded)
    for grammar in grammars:
        if (clause := _asked(sentence, grammar)) is not None:
            return _kept_on_request(sentence, clause, grammar, grammars)
    return _best(sentence, grammars, frozenset())


def is_pasted(sentences: Sequence[str]) -> bool:
    """Tell from its opening whether a message is an answer of an assistant, a prompt or a letter."""
    folded = [fold_spelling(said) for said in sentences[:_OPENING]]
    return any(grammar.vetoes["pasted"].match(text) for text in folded for grammar in _grammars(text))


def cut_at_turns(said: str) -> list[str]:
    """Cut off what a sentence goes on to ask for after it has stated something."""
    folded = fold_spelling(said)
    places = [found.span()[0] for grammar in _grammars(folded) if (found := grammar.turns.any.search(folded))]
    if not places or min(places) == 0:
        return [said]
    return [piece for piece in (said[: min(places)].rstrip(" ,-"), said[min(places) :].lstrip(" ,-")) if piece]


def _grammars(folded: str) -> list[Grammar]:
    """Give the languages that are written in the letters of a text: short texts do not show which one it is."""
    latin = _LATIN if _HAS_LATIN.search(folded) else ()
    cyrillic = _CYRILLIC if _HAS_CYRILLIC.search(folded) else ()
    return [grammar_of(language) for language in (*latin, *cyrillic)]


def _is_surely(said: str, grammar: Grammar) -> bool:
    guess = guess_language(said)
    return guess in LANGUAGES and grammar_of(guess) is grammar


def _asked(sentence: FoldedSentence, grammar: Grammar) -> FoldedSentence | None:
    """Give the clause that the user asks to remember."""
    for spans in grammar.asked.matches(sentence.folded):
        if not _vetoes(sentence, grammar) & _ALWAYS:
            return sentence.part(*spans["value"]) if "value" in spans else sentence
    return None


def _kept_on_request(
    sentence: FoldedSentence, clause: FoldedSentence, grammar: Grammar, grammars: list[Grammar]
) -> Captured:
    found = _best(clause, grammars, _IN_A_REQUEST)
    category: Category = "other" if grammar.bare.match(clause.folded) else "fact"
    found = found or Captured(sentence.said, category)
    return Captured(
        sentence.said,
        found.type,
        found.subject,
        found.key,
        found.value,
        found.context,
        importance=_ASKED_IMPORTANCE,
        confidence=_ASKED_IMPORTANCE,
        rule="asked" if not found.rule else f"asked {found.rule}",
    )


def _best(sentence: FoldedSentence, grammars: list[Grammar], despite: frozenset[str]) -> Captured | None:
    found = [captured for grammar in grammars if (captured := next(_findings(sentence, grammar, despite), None))]
    return max(found, key=lambda captured: captured.importance, default=None)


def _findings(sentence: FoldedSentence, grammar: Grammar, despite: frozenset[str]) -> Iterator[Captured]:
    """Give what each rule of a language makes of a sentence, in the order of the rules."""
    vetoes: frozenset[str] | None = None
    for compiled in grammar.rules:
        rule = compiled.rule
        for spans in compiled.phrases.matches(sentence.folded):
            vetoes = _vetoes(sentence, grammar) if vetoes is None else vetoes
            lifted = despite | rule.despite | (frozenset() if rule.weak else _FOR_WEAK_RULES)
            if not vetoes - lifted and _holds(compiled, spans, sentence, grammar):
                yield _captured(compiled, spans, sentence, grammar)


def _holds(compiled: CompiledRule, spans: Spans, sentence: FoldedSentence, grammar: Grammar) -> bool:
    if compiled.unless.match(sentence.folded):
        return False
    if compiled.rule.weak and not (_NAMES_SOMETHING.search(sentence.said) and _is_surely(sentence.said, grammar)):
        return False
    return not compiled.rule.proper or sentence.said[spans["value"][0]].isupper()


def _captured(compiled: CompiledRule, spans: Spans, sentence: FoldedSentence, grammar: Grammar) -> Captured:
    rule = compiled.rule
    slots = fill(rule, spans, sentence.said, sentence.folded, grammar)
    return Captured(
        sentence.said, rule.type, *slots, importance=rule.importance, confidence=rule.confidence, rule=rule.name
    )


def _vetoes(sentence: FoldedSentence, grammar: Grammar) -> frozenset[str]:
    """Name what shows that the sentence is no statement by the user about what lasts."""
    named = {name for name, phrases in grammar.vetoes.items() if phrases.match(sentence.folded)}
    if sentence.folded.rstrip('" )').endswith("?"):
        named.add("question")
    return frozenset(named)


def _without_quotations(folded: str) -> str:
    """Hide quotations of three words or more: they are another person's words, or a song's."""
    while found := _QUOTATION.search(folded):
        start, end = found.span()
        folded = folded[:start] + _HIDDEN * (end - start) + folded[end:]
    return folded
