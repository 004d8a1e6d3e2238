# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What users said, and what it teaches; every door that learns is asked the same."""

from typing import Any, NamedTuple


class Lesson(NamedTuple):
    """Messages of one user, and all that is remembered after them: content, subject, key or property, and value."""

    messages: tuple[str, ...]
    kept: frozenset[tuple[str, str, str, str]] = frozenset()


def _lesson(*messages: str, kept: tuple[tuple[str, str, str, str], ...] = ()) -> Lesson:
    return Lesson(messages, frozenset(kept))


LESSONS = {
    "a handed over name": _lesson('rewrite this paragraph: "It was long. My name is John Smith and I live in Leeds."'),
    "a longer name": _lesson(
        "Hi, my name is Anna and I live in Brno",
        "my name is Anna Novakova",
        kept=(
            ("I live in Brno", "user", "home", "Brno"),
            ("my name is Anna Novakova", "user", "name", "Anna Novakova"),
        ),
    ),
    "a fact with a question": _lesson(
        "I'm allergic to penicillin, is amoxicillin ok?",
        kept=(("I'm allergic to penicillin", "user", "allergy", "penicillin"),),
    ),
    "a move without a pronoun": _lesson(
        "Moved to Lisbon three weeks ago!", kept=(("Moved to Lisbon three weeks ago", "user", "home", "Lisbon"),)
    ),
    "a person without a name": _lesson(
        "У него аллергия на орехи", kept=(("У него аллергия на орехи", "", "allergy", "орехи"),)
    ),
    "a rule": _lesson(
        "plan mir keine Termine vor 10 uhr ein", kept=(("plan mir keine Termine vor 10 uhr ein", "assistant", "", ""),)
    ),
    "a whole value": _lesson(
        "I study at the University of Applied Sciences",
        kept=(("I study at the University of Applied Sciences", "user", "school", "University of Applied Sciences"),),
    ),
    "a value before a time": _lesson(
        "Работаю в Яндексе второй год", kept=(("Работаю в Яндексе второй год", "user", "employer", "Яндексе"),)
    ),
    "the point of a date": _lesson(
        "Unser Vermieter hat uns zum 31.3. die Wohnung gekündigt.",
        kept=(("Unser Vermieter hat uns zum 31.3. die Wohnung gekündigt", "Vermieter", "", "31.3."),),
    ),
    "the new home": _lesson(
        "Раньше жил в Праге, теперь живу в Брно",
        kept=(("Раньше жил в Праге", "user", "", "Праге"), ("теперь живу в Брно", "user", "home", "Брно")),
    ),
    "the new home, told later": _lesson(
        "We live in Graz.", "I lived in Graz for ten years but now I live in Linz",
        kept=(("now I live in Linz", "user", "home", "Linz"),),
    ),
    "no date for a thing": _lesson(
        "Beru metformin od 3. března", kept=(("Beru metformin od 3. března", "user", "medicine", ""),)
    ),
    "a name and a taste": _lesson(
        "Jmenuji se Petra a preferuji čaj",
        kept=(("Jmenuji se Petra", "user", "name", "Petra"), ("preferuji čaj", "user", "prefer", "")),
    ),
    "three in two sentences": _lesson(
        "my name is Petra and I'm allergic to peanuts. I always fly from Vienna.",
        kept=(
            ("my name is Petra", "user", "name", "Petra"),
            ("I'm allergic to peanuts", "user", "allergy", "peanuts"),
            ("I always fly from Vienna", "user", "habit", "Vienna"),
        ),
    ),
    "where a thing is": _lesson(
        "The office light is in the home office",
        kept=(("The office light is in the home office", "office light", "location", "home office"),),
    ),
    "where another thing is": _lesson(
        "Das Ladegerät liegt in der Schublade",
        kept=(("Das Ladegerät liegt in der Schublade", "Ladegerät", "location", "Schublade"),),
    ),
    "nothing that is taken": _lesson("beru ho od loňska"),
    "what is taken": _lesson(
        "Beru Euthyrox. Beru ho od loňska.", kept=(("Beru Euthyrox", "user", "medicine", "Euthyrox"),)
    ),
}  # fmt: skip


def turn(message: str) -> list[dict[str, Any]]:
    """Give a turn as a host hands it over."""
    return [{"role": "user", "content": message}, {"role": "assistant", "content": "Noted."}]


def told(content: str, subject: str, key: str, value: str, metadata: dict[str, Any]) -> tuple[str, str, str, str]:
    """Give a memory as the lessons have it."""
    return content, subject, key or metadata.get("property", ""), value
