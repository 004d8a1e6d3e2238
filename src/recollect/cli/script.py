"""What is typed on the guided tour: a few things from somebody's life, and questions about them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple


class Line(NamedTuple):
    """A command with its options. `name` is what later lines call the memory it made, as in `{light}`."""

    command: str
    options: Mapping[str, Any]
    name: str = ""


class Chapter(NamedTuple):
    """Some lines under one title. Of `more` only the texts are shown."""

    title: str
    lines: tuple[Line, ...]
    more: tuple[Line, ...] = ()


def chapters(now: datetime) -> tuple[Chapter, ...]:
    """Write the tour, with dates that fit today."""
    return (
        Chapter("Remember what was said, in any of its languages", (_store(_DARK_MODE, "preference"),), _life(now)),
        Chapter("Say it again, a little differently: it is kept once", (_store(_DARK_MODE_AGAIN, "preference"),)),
        Chapter(
            "Ask in other words: not one is shared with the answer",
            (_recall("which restaurant was noisy?", explain=True),),
        ),
        Chapter("Ask in another language", (_recall("where is the spare key for the garage?"),)),
        Chapter("Ask for something exact, and see how the score is made", (_recall("VTX-4471-C", explain=True),)),
        Chapter("The truth changes, and what was true before can still be asked for", _the_light_moves(now)),
        Chapter("Forget for good", _the_allergy_is_forgotten()),
    )


_DARK_MODE = "Prefers dark mode in all applications"
_DARK_MODE_AGAIN = "Prefers the dark mode in all applications"
_LIGHT = {"subject": "light.office", "key": "location"}


def _life(now: datetime) -> tuple[Line, ...]:
    evening = {"subject": "lighting", "key": "brightness", "value": "40%", "context": "after_sunset"}
    boiler = {"subject": "boiler", "key": "serial_number", "value": "VTX-4471-C"}
    return (
        _store("Ráno pije zázvorový čaj, kávu nikdy", "preference"),
        _store("Lights at 40 % in the evening", "preference", **evening),
        _store("We decided to insulate the attic with wood fibre", "decision"),
        _store("Die Mülltonne wird jeden zweiten Dienstag geleert", "fact"),
        _store("Запасной ключ от гаража лежит под синим горшком", "fact"),
        _store("The boiler's serial number is VTX-4471-C", "fact", **boiler),
        _store("The office light is in the home office", "fact", **_LIGHT, valid_from=_day(now, 200)),
        _store("My sister Jana is allergic to peanuts", "fact", name="allergy"),
        _store("The garage door stayed open all night", "event", occurred=_day(now, 3)),
        _store("The pasta place by the river was too loud to talk", "experience"),
        _store("Restarting the router helps before calling the provider", "lesson"),
    )


def _the_light_moves(now: datetime) -> tuple[Line, ...]:
    where = "where is the office light?"
    return (
        _store("The office light is in the garage now", "fact", name="light", **_LIGHT),
        _recall(where),
        _recall(where, as_of=_day(now, 100)),
        Line("history", {"id": "{light}"}),
    )


def _the_allergy_is_forgotten() -> tuple[Line, ...]:
    query = "Jana's peanut allergy"
    return (
        Line("forget", {"query": query, "yes": True}),
        Line("get", {"id": "{allergy}"}),
        _recall(query, min_score=0.3),
    )


def _store(text: str, type: str, *, name: str = "", **options: str) -> Line:
    return Line("store", {"text": text, "type": type, **options}, name)


def _recall(query: str, **options: Any) -> Line:  # noqa: ANN401 - of any type, as options are
    return Line("recall", {"query": query, "limit": 1, **options})


def _day(now: datetime, days_ago: int) -> str:
    return (now - timedelta(days=days_ago)).strftime("%Y-%m-%d")
