"""Readings made by hand: a message in which the statements are marked."""

from typing import NamedTuple

from recollect.model.literals import StatementType
from recollect.model.readings import Reading, Statement, TextSpan

_OPEN, _CLOSE = "[{<", "]}>"


class Told(NamedTuple):
    """What a statement is, besides its place in the message."""

    type: StatementType = "fact"
    key: str = ""
    confidence: float = 0.95


def marked(message: str, *told: Told) -> tuple[str, Reading]:
    """Give a message without its marks, and the reading that they stand for.

    [ ] stands around a statement, { } around its value and < > around whom it is about; `told` has one for each.
    """
    text: list[str] = []
    opened: dict[str, int] = {}
    spans: list[TextSpan] = []
    parts: list[dict[str, TextSpan]] = []
    for letter in message:
        if letter in _OPEN:
            opened[letter] = len(text)
            if letter == "[":
                parts.append({})
        elif letter in _CLOSE:
            mark = _OPEN[_CLOSE.index(letter)]
            span = TextSpan(opened.pop(mark), len(text))
            if mark == "[":
                spans.append(span)
            else:
                parts[-1]["value" if mark == "{" else "who"] = span
        else:
            text.append(letter)
    statements = tuple(
        Statement(kind.type, span, kind.confidence, kind.key, part.get("value"), part.get("who"))
        for kind, span, part in zip(told, spans, parts, strict=True)
    )
    return "".join(text), Reading(statements, reader="by hand")
