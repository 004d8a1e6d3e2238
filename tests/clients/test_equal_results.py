"""Every verb gives values of the same classes and fields, embedded and through a client, with one story for each."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

import pytest

from recollect import UserMemory
from recollect.client import Client, ServiceUserMemory
from recollect.errors import NotFound
from tests.clients.test_signatures import TWINS, verbs
from tests.service.conftest import Serve

Verbs = UserMemory | ServiceUserMemory
SAID = ({"role": "user", "content": "I moved to Brno last week."}, {"role": "assistant", "content": "Noted."})


def first(me: Verbs) -> str:
    """Give the id of a memory."""
    return me.list(subject="editor").items[0].id


def stored_sound(me: Verbs) -> bytes:
    """Give the bytes of a sound that a memory has."""
    sound = me.media.add(b"ID3 kettle whistles")
    me.remember("The kettle whistles", media=[sound])
    return me.media.original(sound.original)


def no_scope(me: Verbs) -> object:
    """Open a shared scope of others; gives the error."""
    with pytest.raises(NotFound) as error:
        me.scope("family")
    return error.value


def located(me: Verbs, name: str) -> object:
    """Geocode a name, for which these tests have no table; gives the error."""
    with pytest.raises(NotFound) as error:
        me.places.geocode(name)
    return error.value


def merged(me: Verbs) -> object:
    """Merge a memory into one that says the same."""
    kept = me.remember("The gate opens at seven", subject="gate").id
    return me.merge(me.remember("The gate opens at seven", subject="seven").id, into=kept)


def settled(me: Verbs) -> object:
    """Settle a doubt in favour of the claim."""
    me.facts.set("shade", "color", "white")
    return me.facts.settle(me.facts.set("shade", "color", "beige", trust=0).id)


# In this order: each line may use what those before it have stored.
STORY: dict[str, Callable[[Verbs], object]] = {
    "UserMemory.user_id": lambda me: type(me.user_id),
    "UserMemory.address": lambda me: type(me.address),
    "UserMemory.remember": lambda me: me.remember("Prefers dark mode", type="preference", subject="editor"),
    "UserMemory.remember_many": lambda me: me.remember_many(["The kettle is red", {"content": "The kettle whistles"}]),
    "UserMemory.recall": lambda me: me.recall("dark mode", location=(49.19, 16.61)),
    "UserMemory.similar": lambda me: me.similar(first(me)),
    "UserMemory.clusters": lambda me: me.clusters(),
    "UserMemory.merge": merged,
    "UserMemory.get": lambda me: me.get(first(me)),
    "UserMemory.update": lambda me: me.update(first(me), importance=0.9, lat=49.19, lng=16.61),
    "UserMemory.rate": lambda me: me.rate(first(me), 1),
    "UserMemory.history": lambda me: me.history(first(me)),
    "UserMemory.list": lambda me: me.list(),
    "UserFacts.set": lambda me: me.facts.set("lamp", "color", "green"),
    "UserFacts.__call__": lambda me: me.facts("lamp"),
    "UserPreferences.set": lambda me: me.preferences.set("lighting", "evening", "dim"),
    "UserPreferences.__call__": lambda me: me.preferences(),
    "UserEvents.log": lambda me: me.events.log("The lamp fell", entity="lamp"),
    "UserEvents.__call__": lambda me: me.events(),
    "UserLessons.add": lambda me: me.lessons.add("Screw lamps to the wall"),
    "UserLessons.__call__": lambda me: me.lessons(),
    "UserInstructions.add": lambda me: me.instructions.add("Always answer briefly"),
    "UserInstructions.__call__": lambda me: me.instructions(),
    "UserMemory.about": lambda me: me.about("lamp"),
    "UserMemory.scope": no_scope,
    "UserMemory.scopes": lambda me: me.scopes(),
    "UserEvents.timeline": lambda me: me.events.timeline(unit="year", zone="Europe/Prague"),
    "UserFacts.settle": settled,
    "UserFacts.doubts": lambda me: (me.facts.set("lamp", "color", "blue", trust=0), me.facts.doubts()),
    "UserMemory.stats": lambda me: me.stats(),
    "UserMemory.insights": lambda me: me.insights(),
    "UserMemory.tidy": lambda me: (me.remember("ok"), me.tidy(rules="short"))[1],
    "Conversation.append": lambda me: me.conversation("c").append("user", "Where is the kettle?", id="m-1"),
    "Conversation.extend": lambda me: me.conversation("c").extend([{"role": "assistant", "content": "Here."}]),
    "Conversation.id": lambda me: me.conversation("c").id,
    "Conversation.messages": lambda me: me.conversation("c").messages(),
    "Conversation.window": lambda me: me.conversation("c").window(1_000),
    "Conversation.info": lambda me: me.conversation("c").info(),
    "Conversation.compact": lambda me: me.conversation("c").compact(),
    "Conversation.summary": lambda me: me.conversation("c").summary(),
    "Conversation.originals": lambda me: me.conversation("c").originals(me.conversation("c").messages()[0].id),
    "UserMemory.conversations": lambda me: me.conversations(),
    "UserMessages.get": lambda me: me.messages.get(me.conversation("c").messages()[0].id),
    "UserMessages.around": lambda me: me.messages.around(me.conversation("c").messages()[0].id, before=0),
    "UserMessages.between": lambda me: me.messages.between(limit=1),
    "UserMessages.rate": lambda me: me.messages.rate(me.conversation("c").messages()[0].id, -1),
    "UserMemory.search_context": lambda me: me.search_context("kettle"),
    "UserPlaces.set": lambda me: me.places.set("home", (49.19, 16.61)),
    "UserPlaces.named": lambda me: me.places.named(),
    "UserPlaces.within": lambda me: me.places.within(49.19, 16.61, 2.0),
    "UserPlaces.list": lambda me: me.places.list(),
    "UserPlaces.geocode": lambda me: located(me, "Brno"),
    "UserPlaces.forget": lambda me: me.places.forget("home"),
    "UserMedia.add": lambda me: me.media.add(b"ID3 kettle", caption="The kettle"),
    "UserMedia.original": stored_sound,
    "UserMemory.after_turn": lambda me: me.after_turn(SAID, session="s1"),
    "Conversation.learned": lambda me: me.conversation("s1").learned(),
    "UserMessages.origins": lambda me: me.messages.origins(me.conversation("s1").learned()[0].memory.id),
    "Conversation.set_private": lambda me: me.conversation("s3").set_private(),
    "UserMemory.before_prompt": lambda me: me.before_prompt("Which mode does my editor have?", session="s2"),
    "UserMemory.start_session": lambda me: me.start_session("lamp"),
    "UserMemory.end_session": lambda me: me.end_session("s1"),
    "UserMemory.forget": lambda me: (me.forget(query="kettle"), me.forget(first(me), receipt=True)),
}  # fmt: skip


def shape(value: Any) -> object:
    """Give the classes and fields of a value; of texts and numbers only the class."""
    if is_dataclass(value) and not isinstance(value, type):
        return type(value), {field.name: shape(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return type(value), shape(value._asdict())
    if isinstance(value, tuple):
        return type(value), [shape(item) for item in value]
    if isinstance(value, Mapping):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, datetime):
        assert value.utcoffset() == datetime.now(UTC).utcoffset()
    return int if isinstance(value, IntEnum) else type(value)  # an enumeration is declared as the int that it is


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_results_have_the_same_classes_and_fields(serve: Serve) -> None:
    service = serve(places__geocoder="none")
    embedded = service.memory.user("anna")
    with Client.open(service.url, key=service.key("berta")) as client:
        shown = {name: (shape(verb(embedded)), shape(verb(client.me))) for name, verb in STORY.items()}
    assert {name: theirs for name, (ours, theirs) in shown.items() if theirs != ours} == {}
    candidates = shown["UserMemory.forget"][0]
    assert "MemoryRecord" in str(candidates), "there were candidates"
    told = {f"{kind.__name__}.{name}" for kind, twins in TWINS.items() for name in verbs(twins[0])}
    namespaces = {
        "facts",
        "preferences",
        "events",
        "lessons",
        "instructions",
        "messages",
        "places",
        "media",
        "conversation",
    }
    assert told | {"Conversation.id"} == set(STORY) | {f"UserMemory.{name}" for name in namespaces}
