"""Whatever a reader marks, what is kept begins and ends where words do."""

from unicodedata import combining

from hypothesis import given
from hypothesis import strategies as st

from recollect.model.literals import STATEMENT_TYPES, StatementType
from recollect.model.readings import READING_KEYS, Reading, Statement, TextSpan
from recollect.text.capture import CaptureRules, capture
from tests.rows import every

_PHRASES = (
    "moje sestra studuje na té lékařské fakultce v Brně", "живу здесь второй год", "we move (all) by 31.3. to Linz",
    "I moved from Graz to Linz in May", "my mail is ž.anna+x@example.org", "my number is +420 777 123 456", "naïve",
    "beru Euthyrox 75 mg od loňska", "remember that Mrs. Novák has the spare key", "I'm allergic to nuts, is it ok?",
    "Hi!", "and", "e\u0301te\u0301", "call the office lamp the Reading Lamp", "(we have two dogs)",
)  # fmt: skip


@st.composite
def _read(draw: st.DrawFn) -> tuple[str, Reading]:
    parts = draw(st.lists(st.sampled_from(_PHRASES), min_size=1, max_size=4))
    text = "".join(part + draw(st.sampled_from((". ", " ", ", ", "\n", "? "))) for part in parts)

    def span(low: int, high: int) -> TextSpan:
        start = draw(st.integers(low, high - 1))
        return TextSpan(start, draw(st.integers(start + 1, high)))

    statements = []
    for _ in range(draw(st.integers(0, 4))):
        where = span(0, len(text))
        value = span(*where) if draw(st.booleans()) else None
        who = span(*where) if draw(st.booleans()) else None
        kind, key = draw(st.sampled_from(STATEMENT_TYPES)), draw(st.sampled_from(("", *READING_KEYS)))
        statements.append(Statement(kind, where, draw(st.floats(0.5, 1.0)), key, value, who))
    return text, Reading(tuple(sorted(statements, key=lambda one: one.span)))


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() or combining(letter) else " " for letter in text).split()


def _whole(part: str, text: str) -> bool:
    """Tell whether the words of a part stand in a text one after another."""
    words, found = _words(text), _words(part)
    return any(words[place : place + len(found)] == found for place in range(len(words) + 1))


@given(_read())
def test_nothing_that_is_kept_cuts_a_word(read: tuple[str, Reading]) -> None:
    text, reading = read
    for kept in capture(text, reading, CaptureRules(confidence=0.0)):
        content = kept.content.removeprefix(f"{kept.subject}: ")
        assert _whole(content, text) or kept.type == "entity"
        assert _whole(kept.value, text)
        assert kept.subject in ("", "user", "assistant", *READING_KEYS) or _whole(kept.subject, text)


@every(
    ("text", "cut", "value"),
    [
        ("studuju na té fakultce", "é fakultce", "fakultce"),
        ("учусь в Брно второй год", "торой год", "второй год"),
        ("der Vermieter hat uns zum 31.3. gekündigt", "m 31.3", "zum 31.3."),
    ],
)
def test_a_value_that_a_reader_cut_is_whole(text: str, cut: str, value: str) -> None:
    start = text.index(cut)
    kind: StatementType = "event" if "31" in cut else "fact"
    statement = Statement(kind, TextSpan(3, len(text) - 2), 0.99, "", TextSpan(start, start + len(cut)))
    (kept,) = capture(text, Reading((statement,)))
    assert (kept.content, kept.value) == (text, value)
