"""What does not fit is refused in words that name what does, by every verb; a location is one wherever it is given."""

import inspect
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from recollect import InvalidInput, Location, Memory, RecollectError, UserMemory, load_settings
from recollect.api.conversation import Conversation, UserMessages
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.files import UserFiles, UserMedia
from recollect.api.keys import Keys
from recollect.api.operations import Scopes, StoreModels
from recollect.api.places import UserPlaces
from recollect.client import Client
from recollect.client.conversation import ServiceConversation, ServiceMessages, ServicePlaces
from recollect.client.media import ServiceMedia
from recollect.client.user import (
    ServiceEvents,
    ServiceFacts,
    ServiceInstructions,
    ServiceLessons,
    ServicePreferences,
    ServiceUserMemory,
)
from recollect.errors import InvalidMemory
from recollect.verbs import _names
from tests.rows import every
from tests.sizes import sized

OURS = (
    *(Memory, UserMemory, UserFacts, UserPreferences, UserEvents, UserLessons, UserInstructions, UserFiles, UserMedia),
    *(UserMessages, UserPlaces, Conversation, Keys, StoreModels, Scopes),
    *(Client, ServiceUserMemory, ServiceFacts, ServicePreferences, ServiceEvents, ServiceLessons),
    *(ServiceInstructions, ServiceConversation, ServiceMessages, ServicePlaces, ServiceMedia),
)
PLAIN = {"embedding.provider": "none", "places.geocoder": "none", "recall.rerank": "off", "embedding.worker": False}
HERE: dict[str, Any] = {"lat": 49.19, "lng": 16.61, "address": "Brno", "place_label": "office"}


@every("kind", OURS)
def test_no_verb_answers_an_unknown_name_with_a_bare_type_error(kind: type) -> None:
    for name, verb in inspect.getmembers(kind, inspect.isroutine):
        if (name.startswith("_") and name != "__call__") or _takes_fields(verb) or not _is_ours(verb):
            continue
        with pytest.raises(InvalidInput, match="made_up"):
            verb(*_owner(verb), **_required(verb), made_up=1)


def _is_ours(verb: Any) -> bool:
    return str(getattr(verb, "__module__", "")).startswith("recollect.") and not inspect.isclass(verb)


def _takes_fields(verb: Callable[..., object]) -> bool:
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in inspect.signature(verb).parameters.values())


def _owner(verb: Callable[..., object]) -> tuple[object, ...]:
    return (None,) if "self" in inspect.signature(verb).parameters else ()


def _required(verb: Callable[..., object]) -> dict[str, object]:
    return {
        name: object()
        for name, parameter in inspect.signature(verb).parameters.items()
        if name != "self" and parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
    }


@every(
    "call",
    [
        lambda me: me.remember("Tea", colour="red"),
        lambda me: me.remember_many([{"content": "Tea", "colour": "red"}]),
        lambda me: me.facts.set("lamp", "state", "on", colour="red"),
        lambda me: me.preferences.set("tea", "kind", "green", colour="red"),
        lambda me: me.events.log("It rang", colour="red"),
        lambda me: me.lessons.add("Ask", colour="red"),
        lambda me: me.instructions.add("Whisper", colour="red"),
        lambda me: me.conversation("c").append("user", "Tea", colour="red"),
        lambda me: me.recall("tea", colour="red"),
        lambda me: me.list(colour="red"),
        lambda me: me.count(colour="red"),
        lambda me: me.update(me.remember("Milk").id, colour="red"),
    ],
)
def test_an_unknown_field_is_refused_with_the_known_ones(me: UserMemory, call: Callable[[UserMemory], object]) -> None:
    with pytest.raises(InvalidInput, match=r"colour.*(place_label|session)"):
        call(me)


def test_a_verb_says_which_fields_it_sets_itself(me: UserMemory) -> None:
    wrong: Any = {"type": "event"}
    with pytest.raises(InvalidMemory, match="type cannot be given here"):
        me.facts.set("lamp", "state", "on", **wrong)


@every("location", [HERE, Location(**HERE)])
def test_a_location_is_stored_by_every_verb_that_stores(memory: Memory, location: Any) -> None:
    me = memory.user(type(location).__name__)
    me.remember("The kettle is here", location=location)
    me.remember_many([{"content": "The lamp is here", "location": location}])
    me.facts.set("printer", "place", "here", location=location)
    me.update(me.remember("The chair").id, location=location)
    stored = [(memory.lat, memory.lng, memory.address, memory.place_label) for memory in me.list().items]
    me.conversation("c").append("user", "I am here", location=location)
    me.conversation("c").extend([{"role": "user", "content": "Still here", "location": location}])
    told = me.conversation("c").messages()
    stored += [(message.lat, message.lng, message.address, message.place_label) for message in told]
    assert stored == [tuple(HERE.values())] * 6


def test_a_location_may_be_a_pair_or_a_name_or_partly_said_beside(me: UserMemory) -> None:
    given: tuple[Any, ...] = ((49.19, 16.61), [49.19, 16.61], "office", {"lat": 49.19, "lng": 16.61, "address": None})
    for number, location in enumerate(given):
        me.remember(f"Thing {number}", location=location)
    me.remember("Thing beside", location=(49.19, 16.61), address="Brno", lat=49.19)
    found = [(memory.lat, memory.address, memory.place_label) for memory in reversed(me.list().items)]
    assert found == [(49.19, "", "")] * 2 + [(None, "", "office"), (49.19, "", ""), (49.19, "Brno", "")]
    assert me.recall("thing", location={"lat": 49.19, "lng": 16.61}, radius_km=1).hits
    assert me.places.set("work", {"lat": 49.19, "lng": 16.61}).lat == 49.19


def test_a_wrong_location_is_named(me: UserMemory, subtests: pytest.Subtests) -> None:
    wrong: list[tuple[Any, str]] = [
        ({"latitude": 49.19}, r"fields are lat, lng, address, place_label"),
        ({}, "fields are lat"),
        ((49.19, 16.61, 3), "must be a pair"),
        (7, "must be a pair"),
        ({"lat": 49.19}, "lng is missing"),
        ({"lat": "north", "lng": 16.61}, "lat is 'north'"),
        ({"address": 7}, "address of the location is 7"),
    ]
    calls: tuple[Callable[[Any], object], ...] = (
        lambda location: me.remember("Tea", location=location),
        lambda location: me.recall("tea", location=location),
        lambda location: me.search_context("tea", location=location),
        lambda location: me.before_prompt("tea", session="s", location=location),
        lambda location: me.places.set("home", location),
    )
    for location, said in wrong:
        for call in calls:
            with subtests.test(location=location), pytest.raises(InvalidInput, match=said):
                call(location)
    with pytest.raises(InvalidInput, match=r"lat is 5.0, but 49.19 in the location"):
        me.remember("Tea", location=(49.19, 16.61), lat=5.0)
    assert me.count() == 0


def test_an_error_inside_a_verb_stays_what_it_is(me: UserMemory) -> None:
    def broken(*_: object) -> None:
        raise TypeError("of the caller")

    with pytest.raises(TypeError, match="of the caller"):
        me.forget(folder=type("Broken", (), {"__fspath__": broken})())


# What each verb needs beside the argument that is wrong.
FITS: dict[str, Any] = {
    "id": "01a1dd60-4566-7800-9cb6-caa8d641c91b",
    "lat": 1.0,
    "lng": 2.0,
    "radius_km": 1.0,
    "feedback": 1,
    "location": (1.0, 2.0),
    "messages": [{"role": "user", "content": "Tea"}],
    "memories": ["Tea"],
    "role": "user",
}
WRONG: tuple[Any, ...] = (object(), "\ud800", 7, b"tea", [], 10**30)[: sized(2, 6)]
APART = {"watch", "export", "everything", "tell", "stop"}  # they run on, or write files; these say so themselves


def test_a_value_of_a_wrong_type_is_an_error_of_ours(database: str) -> None:
    """Every parameter of every verb of a user gets values of wrong types; nothing but our own errors comes back."""
    settings = load_settings(os.devnull, environ={}, overrides={**PLAIN, "database": database})
    with Memory.open(settings=settings) as memory:
        me, calls = memory.user("me"), 0
        namespaces = (me.facts, me.preferences, me.events, me.lessons, me.instructions, me.places, me.files, me.media)
        for verbs in (me, *namespaces, me.messages, me.conversation("c")):
            for name, verb in inspect.getmembers(verbs, inspect.ismethod):
                if name in APART or (name.startswith("_") and name != "__call__"):
                    continue
                needed = {one: FITS.get(one, "tea") for one in _required(verb)}
                for parameter in set(_names(verb)) - APART:
                    for wrong in WRONG:
                        calls += 1
                        with suppress(RecollectError):
                            verb(**{**needed, parameter: wrong})
    assert calls > 200
