"""What is known about a topic, as facts, preferences, events and lessons; reading; and searching all sources."""

from typing import Any

from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.verbs import MemoryVerbs
from recollect.model.readings import ExplainedReading
from recollect.model.search import About, Recall
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.json_routes import json_router
from recollect.service.request_context import ReadCall
from recollect.service.verb_fields import reading

router = json_router("Knowledge")
searching = json_router("Search")


@reading(router, MemoryVerbs.about, out.AboutBody)
def about(*, call: ReadCall, whole: out.Whole = False, **given: Any) -> About:  # noqa: ANN401 - as the verb has it
    """Give all that is known about a topic: under its name, under what people call it, and by meaning."""
    return out.with_records(call.me.about(**given), whole=whole)


@reading(router, UserFacts.__call__, out.MemoriesBody)
def list_facts(*, call: ReadCall, **given: Any) -> out.Items:  # noqa: ANN401 - as the verb has it
    """Give what is known for a fact, newest first."""
    return out.Items(call.me.facts(**given))


@reading(router, UserFacts.doubts, out.DoubtsBody)
def list_doubts(*, call: ReadCall, **given: str) -> out.Items:
    """Give the memories that a later statement contradicts without replacing them: its source is less trusted, or it
    was captured and is not sure enough. Change or forget one of the two to settle it.
    """
    return out.Items(call.me.facts.doubts(**given))


@reading(router, UserPreferences.__call__, out.MemoriesBody)
def list_preferences(*, call: ReadCall, **given: Any) -> out.Items:  # noqa: ANN401 - as the verb has it
    """Give what the user prefers, the surest first."""
    return out.Items(call.me.preferences(**given))


@reading(router, UserEvents.__call__, out.MemoriesBody)
def list_events(*, call: ReadCall, **given: Any) -> out.Items:  # noqa: ANN401 - as the verb has it
    """Give what happened, in order; the newest when there is more than the limit."""
    return out.Items(call.me.events(**given))


@reading(router, UserLessons.__call__, out.MemoriesBody)
def list_lessons(*, call: ReadCall, **given: Any) -> out.Items:  # noqa: ANN401 - as the verb has it
    """Give what was learned, the surest first."""
    return out.Items(call.me.lessons(**given))


@reading(router, UserInstructions.__call__, out.MemoriesBody)
def list_instructions(*, call: ReadCall, **given: int) -> out.Items:
    """Give how the assistant shall behave, newest first."""
    return out.Items(call.me.instructions(**given))


@reading(router, UserEvents.timeline, out.TimelineBody)
def timeline(*, call: ReadCall, **given: Any) -> out.Items:  # noqa: ANN401 - as the verb has it
    """Count events, other memories, messages and files by hours, days, months or years, in order of time.

    What is counted is the time that something is about. Buckets without anything are left out.
    """
    return out.Items(call.me.events.timeline(**given))


@router.post("/api/read", response_model=out.ExplainedReadingBody)
def read_message(body: requests.ReadingBody, call: ReadCall) -> ExplainedReading:
    """Read a user's message after what another said before it, and store nothing.

    The answer says what lasts in it, what is not the user's own words, whether an answer needs memory, which memories
    capture would make of it, and why it would not keep the rest.
    """
    return call.me.messages.explain(body.text, before=body.before or "")


@searching.post("/api/context/search", response_model=out.RecallBody)
def search_context(body: requests.ContextQuery, call: ReadCall) -> Recall:
    """Search memories, all that was said, and files, best first.

    With a place, by `lat` and `lng`, `location`, `near` or `at`, what is near or at a place like that ranks higher.
    """
    me = call.me
    return out.with_records(me.search_context(**body.arguments(me)), whole=body.whole)


@searching.post("/search")
def simple_search(body: requests.SimpleQuery, call: ReadCall) -> list[out.SimpleHit]:
    """Search memories, all that was said, and files, in the form that simple clients use.

    `threshold` is held against `similarity`.
    """
    me = call.me
    result = me.search_context(**body.arguments(me))
    hits = (out.simple_hit(hit) for hit in result.hits)
    return [hit for hit in hits if hit.similarity >= body.threshold]
