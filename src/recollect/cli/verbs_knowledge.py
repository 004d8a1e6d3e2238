"""What the commands for facts, preferences, events and lessons do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.cli.edge import NOT_FOUND
from recollect.cli.errand import Answer, Errand, VerbFunction, given_text
from recollect.cli.values import Asked, past_moment, period
from recollect.errors import InvalidInput
from recollect.model.memories import MemoryRecord


@dataclass(frozen=True, slots=True)
class Known:
    """Typed memories."""

    items: tuple[MemoryRecord, ...]


def about(errand: Errand) -> Answer:
    """Gather what is known about a topic."""
    found = errand.me.about(errand.asked["topic"], limit=errand.asked["limit"])
    return Answer(found, 0 if found else NOT_FOUND)


def fact(errand: Errand) -> Answer:
    """Note a fact."""
    asked = errand.asked
    return Answer(errand.me.state_fact(asked["subject"], asked["key"], asked["value"], **_given(asked)))


def facts(errand: Errand) -> Answer:
    """List facts; those about one thing together."""
    asked = errand.asked
    found = errand.me.facts(asked["subject"], key=asked["key"], limit=asked["limit"])
    return Answer(Known(_together(found)))


def prefer(errand: Errand) -> Answer:
    """Note a preference."""
    asked = errand.asked
    return Answer(errand.me.set_preference(asked["category"], asked["key"], asked["value"], **_given(asked)))


def preferences(errand: Errand) -> Answer:
    """List preferences; those of one category together."""
    asked = errand.asked
    return Answer(Known(_together(errand.me.preferences(asked["category"], limit=asked["limit"]))))


def event(errand: Errand) -> Answer:
    """Note what happened."""
    asked = errand.asked
    fields: dict[str, Any] = {
        name: asked[name] for name in ("kind", "entity", "details", "importance") if asked[name] is not None
    }
    if asked["at"] is not None:
        fields["occurred_at"] = past_moment(asked["at"], "at", errand.now)
    return Answer(errand.me.log_event(asked["summary"], **fields))


def events(errand: Errand) -> Answer:
    """List what happened."""
    asked, now = errand.asked, errand.now
    bounds: dict[str, Any] = {
        name: past_moment(asked[name], name, now) for name in ("since", "until") if asked[name] is not None
    }
    if asked["when"] is not None:
        if bounds:
            raise InvalidInput("--when already says from when to when; leave out --since and --until.")
        bounds["since"], bounds["until"] = period(asked["when"], "when", now)
    wanted = {name: asked[name] for name in ("min_importance", "entity", "kind", "limit")}
    return Answer(Known(errand.me.events(**bounds, **wanted)))


def lesson(errand: Errand) -> Answer:
    """Note what was learned."""
    return Answer(errand.me.learn_lesson(given_text(errand.asked["text"]), **_given(errand.asked)))


def lessons(errand: Errand) -> Answer:
    """List what was learned."""
    return Answer(Known(errand.me.lessons(context=errand.asked["context"], limit=errand.asked["limit"])))


def _given(asked: Asked) -> dict[str, Any]:
    return {name: asked[name] for name in ("context", "confidence") if asked[name] is not None}


def _together(records: tuple[MemoryRecord, ...]) -> tuple[MemoryRecord, ...]:
    """Put what has one subject together, and otherwise leave the order as it is."""
    subjects = {record.subject: None for record in records}
    return tuple(record for subject in subjects for record in records if record.subject == subject)


VERBS: Mapping[str, VerbFunction] = {
    "about": about,
    "fact": fact,
    "facts": facts,
    "prefer": prefer,
    "preferences": preferences,
    "event": event,
    "events": events,
    "lesson": lesson,
    "lessons": lessons,
}
