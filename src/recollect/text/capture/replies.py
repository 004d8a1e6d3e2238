"""A reply and the turn before it: which question it answers, and what the question says about the answer.

The invariant: plain functions of both texts, in linear time. A question is given in the words in which it was asked.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from recollect.model.calibration import CERTAIN
from recollect.model.readings import Statement, TextSpan
from recollect.text.capture.contents import bare_noun, is_by_user, refers_back
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.values import is_time
from recollect.text.capture.words import alternatives, in_ranges
from recollect.text.clean import fold_rule, fold_spelling
from recollect.text.language import guess_language
from recollect.text.regex import LazyRegex
from recollect.text.secrets import redact
from recollect.text.tables import LANGUAGES, TAUGHT, read_lines, read_words

_TABLE = "replies"
_CODE: Final = "code"
_LOOKED_AT: Final = 2_000  # characters of the turn before: its end
_LONGEST: Final = 240  # characters of a question that is kept
_FEWEST_WORDS: Final = 4  # with fewer, "Which one?", the sentences around it say what is asked
_MOST_LEADING: Final = 3
_MOST_WORDS: Final = 6  # of an answer that is its own value
_AROUND: Final = " \t\n\"'*_>|-\u2013\u2014\u2026"
_LEFT_OUT: Final = " \t\n,;:-\u2013\u2014"
_MARKS: Final = " \t\n.,;:!?()\"'\u2026-\u2013\u2014"


def question_of(before: str) -> TextSpan | None:
    """Give where a turn asks something at its end: its last questions, or without one its last sentence.

    What is too short to say what it is about comes with the sentences around it.
    """
    skipped = max(0, len(before) - _LOOKED_AT)
    sentences = [TextSpan(skipped + start, skipped + end) for start, end in OwnWords.of(before[skipped:]).sentences()]
    if not sentences:
        return None
    asked = [place for place, sentence in enumerate(sentences) if "?" in sentence.of(before)]
    first = last = asked[-1] if asked else len(sentences) - 1
    while first - 1 in asked and sentences[last].end - sentences[first - 1].start <= _LONGEST:
        first -= 1
    while len(before[sentences[first].start : sentences[last].end].split()) < _FEWEST_WORDS:
        if last + 1 < len(sentences):
            last += 1
        elif first and sentences[last].end - sentences[first - 1].start <= _LONGEST:
            first -= 1
        else:
            break
    start, end = sentences[first].start, sentences[last].end
    if end - start > _LONGEST:
        start = before.find(" ", end - _LONGEST) + 1 or end - _LONGEST
    while start < end and before[start] in _AROUND:
        start += 1
    while start < end and before[end - 1] in _AROUND:
        end -= 1
    return TextSpan(start, end) if start < end else None


def asked_in(before: str) -> str:
    """Give what a turn asks at its end: a reader needs no more of it, and takes time for each word."""
    place = question_of(before)
    return place.of(before) if place else ""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """The question of the turn before that a statement answers, and what is said to it.

    `place` is where that turn asks it. `before` are the words of the message before the answer. `about` is whom or what
    the question asks about; None for the user.
    """

    question: str
    place: TextSpan
    said: str
    before: str
    about: str | None
    surely: bool

    @classmethod
    def of(
        cls, turn_before: str, layout: OwnWords, statement: Statement, content: TextSpan, low: int
    ) -> "AnsweredQuestion | None":
        """Give the question with the answer, if the statement is one or speaks of what the question names.

        A few words at the beginning of its sentence, such as "yes, but", go with it.
        """
        if not (statement.leans or ("?" in turn_before and _leans_on_question(layout, content))):
            return None
        place = question_of(turn_before)
        if place is None or ("?" not in turn_before and not _says_something(turn_before, statement)):
            return None
        begin = max(low, layout.sentence(statement.span).start)
        leading = layout.text[begin : content.start].strip(_MARKS)
        whole = 0 < len(leading.split()) <= _MOST_LEADING
        said = layout.text[begin : content.end] if whole else content.of(layout.text)
        return cls(
            " ".join(place.of(turn_before).split()),
            place,
            " ".join(said.split()).strip(_LEFT_OUT),
            layout.text[: statement.span.start],
            _without_owner(statement.about) or None,
            statement.is_answer,
        )

    @property
    def with_answer(self) -> str:
        """Both, in the words in which they were said."""
        ends = self.question.endswith(("?", "!", ".", "\u2026"))
        return f"{self.question} {self.said}" if ends else f"{self.question}. {self.said}"

    def tells_secret(self, statement: Statement) -> bool:
        """Tell whether an answer is a password, a code or a key that was asked for, in whatever language."""
        if statement.key == _CODE:
            return True
        return bool(redact(self.with_answer).found or redact(f"{self.question.rstrip('?')}: {self.said}").found)

    @property
    def stated(self) -> str:
        """What is said after "yes" or "no": "No, Tobias" denies what was asked, and not the name."""
        return _without_assent(self.said) or self.said

    @property
    def features(self) -> dict[str, float]:
        """Give what the question says about its answer, as the numbers that are weighed.

        What is offered or left to choose mostly concerns the moment.
        """
        if not self.surely:
            return {}
        folded = fold_spelling(self.question)
        language = guess_language(self.question)
        choice = _choice((language,) if language in TAUGHT else LANGUAGES)
        return {
            "offered": float(_offers().search(folded) is not None),
            "choice": float(not choice.isdisjoint(folded.split())),
            "first": float(not any(map(str.isalnum, self.before))),
        }

    def settled(self, statement: Statement, value: str, *, about_user: bool) -> tuple[Statement, str]:
        """Give the statement with the property that is asked for, and its value: all of a list, not its last part."""
        if statement.type == "fact" and is_time(self.stated):
            value = ""  # "You moved to Lyon?" "Yes, in May"
        if value and self._lists(value) and len(self.stated.split()) <= _MOST_WORDS:
            value = self.stated
        key = _key_asked_for(self.question) if about_user and self.surely else ""
        if key and value and statement.type == "fact":
            return replace(statement, key=key, confidence=max(statement.confidence, CERTAIN)), value
        return statement, value

    def _lists(self, value: str) -> bool:
        """Tell whether a value is a part of a list: its last, or one before an "and"; "Jana, she is 12" is none."""
        joining = _joining(guess_language(self.question))
        first, _, rest = self.stated.partition(value)
        if rest:
            return not joining.isdisjoint(fold_spelling(rest).split()[:1])
        return "," in first or not joining.isdisjoint(fold_spelling(first).split())


def _says_something(turn_before: str, statement: Statement) -> bool:
    """Tell whether a turn that asks nothing is answered: "So you moved to Lyon." is, and "OK." is not."""
    return statement.is_answer and len(turn_before.split()) >= _FEWEST_WORDS


def _without_owner(about: str) -> str:
    """Leave out whose something is: "your sister" is a sister."""
    words = about.split()
    while words and fold_spelling(words[0]) in _yours():
        words = words[1:]
    return bare_noun(" ".join(words))


def _leans_on_question(layout: OwnWords, content: TextSpan) -> bool:
    """Tell whether words speak of something as "it", or are a short reply that does not speak of the user."""
    said = content.of(layout.text)
    return refers_back(said) or (len(layout.text.split()) <= _MOST_WORDS and not is_by_user(layout.language, said))


def _key_asked_for(question: str) -> str:
    """Give the property that a question asks for by a phrase that means nothing else; empty without one."""
    folded = fold_spelling(question)
    return next((key for key, regex in _asking() if regex.search(folded)), "")


@cache
def _yours() -> frozenset[str]:
    return frozenset(map(fold_spelling, read_words(_TABLE, "yours", *TAUGHT)))


@cache
def _choice(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(fold_spelling, read_words(_TABLE, "choice", *languages)))


@cache
def _joining(language: str) -> frozenset[str]:
    """Give the words for "and" and "or" of one language: those of another are its prepositions."""
    return read_words("query", "joining", language) if language in LANGUAGES else frozenset()


@cache
def _offers() -> LazyRegex:
    """Give a pattern that finds what begins an offer: "Shall I continue?"."""
    phrases = ", ".join(read_lines(_TABLE, "offers", *TAUGHT)).split(", ")
    return in_ranges(rf"(?:^|[,;:.!?] )(?:{alternatives(phrases)})(?:[^\pL\pN_]|$)")


@cache
def _assent() -> frozenset[str]:
    words = read_words(_TABLE, "yes", *TAUGHT) | read_words(_TABLE, "no", *TAUGHT)
    return frozenset(map(fold_spelling, words))


@cache
def _asking() -> tuple[tuple[str, LazyRegex], ...]:
    lines = (line.partition(": ") for line in read_lines(_TABLE, "asks", *TAUGHT))
    return tuple((key, in_ranges(rf"(?:^|[^\pL\pN_])(?:{fold_rule(phrase)})")) for key, _, phrase in lines)


def _without_assent(said: str) -> str:
    """Leave out "yes", "no" and the like at the beginning."""
    rest = said.strip(_MARKS)
    while rest and fold_spelling(rest.split()[0].strip(_MARKS)) in _assent():
        rest = rest[len(rest.split()[0]) :].strip(_MARKS)
    return rest
