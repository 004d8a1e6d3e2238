"""One story, told to an embedded store and to a client of a service, on both stores: both answer alike."""

from collections.abc import Iterator
from datetime import UTC, datetime

import anyio
import pytest

from recollect import Location, NewMemory, UserMemory
from recollect.client import AsyncClient, Client, ServiceUserMemory
from recollect.errors import InvalidInput, NotFound, NotPermitted
from tests.service.conftest import Running

Verbs = UserMemory | ServiceUserMemory


@pytest.fixture(params=["embedded", pytest.param("client", marks=pytest.mark.on_both_stores)])
def me(request: pytest.FixtureRequest, service: Running) -> Iterator[Verbs]:
    """The same user, embedded and through a service."""
    if request.param == "embedded":
        yield service.memory.user("anna")
        return
    with Client.open(service.url, key=service.key()) as client:
        yield client.me


def test_memories(me: Verbs) -> None:
    made = me.remember("Prefers dark mode in all applications", type="preference", importance=0.8, lat=49.19, lng=16.61)
    assert (made.action, made.existing_id) == ("created", None)
    assert me.remember("Prefers dark mode in all applications", type="preference").action == "duplicate"
    several = me.remember_many(["Likes rye bread", NewMemory("Runs on Sundays", subject="sport"), {"content": "Reads"}])
    assert [one.action for one in several] == ["created"] * 3

    record = me.get(made.id)
    assert (record.content, record.importance, record.lat) == ("Prefers dark mode in all applications", 0.8, 49.19)
    assert record.created_at.tzinfo is not None
    assert me.update(made.id, importance=0.9, occurred_at=datetime(2026, 3, 1, tzinfo=UTC)).importance == 0.9
    assert me.rate(made.id, 1, comment="right").metadata["feedback"] == 1
    assert len(me.history(made.id)) >= 1
    alike = me.similar(made.id, limit=2)
    assert made.id not in {hit.id for hit in alike.hits}
    assert len(alike.hits) == (0 if alike.degraded else 2)
    page = me.list(limit=2)
    assert len(page.items) == 2
    assert page.cursor
    assert len(me.list(cursor=page.cursor).items) == 2
    assert [one.subject for one in me.list(subject="sport").items] == ["sport"]
    assert me.stats().memories == 4


def test_searches(me: Verbs) -> None:
    made = me.remember("Prefers dark mode", type="preference", subject="editor", session="s1")
    me.remember("The kettle is red", type="fact", lat=49.19, lng=16.61)
    found = me.recall("dark mode", limit=1, type=("preference", "fact"), subject="editor")
    (hit,) = found.hits
    assert (hit.id, hit.source, hit.type, hit.content) == (made.id, "memory", "preference", "Prefers dark mode")
    assert hit.record == me.get(made.id)
    assert hit.parts.channels
    assert hit.parts.relevance > 0
    assert not found.degraded
    assert not me.recall("dark mode", subject="kitchen").hits
    near = me.recall("kettle", location=(49.19, 16.61), radius_km=1).hits[0]
    assert near.parts.place is not None
    assert near.place is not None
    me.conversation("c1").append("user", "Where is the kettle?")
    asked = me.search_context("kettle", sources=("memory", "request"), location=Location(49.19, 16.61))
    assert {one.source for one in asked.hits} == {"memory", "request"}
    about = me.about("editor")
    assert [one.id for one in about.preferences] == [made.id]


def test_typed_memories(me: Verbs) -> None:
    me.facts.set("light.office", "location", "home office", confidence=0.9)
    assert me.facts.set("light.office", "location", "attic").action == "superseded"
    (fact,) = me.facts("light.office", key="location")
    assert (fact.value, fact.content) == ("attic", "light.office location: attic")
    me.preferences.set("lighting", "evening_brightness", "40%", context="after_sunset")
    assert me.preferences("lighting")[0].content == "lighting: evening brightness 40% (after sunset)"
    me.events.log("Garage door opened", entity="garage", participants=["Anna"])
    (event,) = me.events(entity="garage")
    assert (event.key, event.importance, event.metadata["participants"]) == ("event", 0.5, ["Anna"])
    assert event.occurred_at is not None
    me.lessons.add("Ask before restarting the router", context="home")
    assert [one.type for one in me.lessons(context="home")] == ["lesson"]
    me.instructions.add("Always answer briefly")
    assert me.instructions()[0].importance == 0.9


def test_conversations_and_turns(me: Verbs) -> None:
    chat = me.conversation("c/1 ř")
    assert chat.info() is None
    made = chat.append("user", "Hello there", id="m-1", metadata={"channel": "web"})
    assert made.action == "created"
    assert made.message is not None
    assert (made.message.content, made.message.external_id) == ("Hello there", "m-1")
    assert chat.append("user", "Hello there", id="m-1").action == "duplicate"
    assert [one.action for one in chat.extend([{"role": "assistant", "content": "Hi"}])] == ["created"]
    assert [one.content for one in chat.messages()] == ["Hello there", "Hi"]
    assert [one.content for one in chat.window(1_000).messages] == ["Hello there", "Hi"]
    info = chat.info()
    assert info is not None
    assert info.messages == 2
    assert [one.id for one in me.conversations()] == ["c/1 ř"]
    assert chat.compact().action == "unchanged"
    assert me.messages.rate(made.message.id, -1).feedback == -1
    assert me.messages.get(made.message.id).feedback == -1

    turn = [{"role": "user", "content": "I moved to Brno last week."}, {"role": "assistant", "content": "Noted."}]
    assert me.after_turn(turn, session="s1").saved == 2
    assert me.start_session("nothing that is known").degraded == ()
    context = me.before_prompt("Where do I live?", session="s2", max_tokens=500)
    assert "Brno" in context.block
    assert context.message_id
    assert me.end_session("s1") is None


def test_forgetting(me: Verbs) -> None:
    made = me.remember("The door code is blue")
    assert me.forget(query="door code").action == "candidates"
    assert me.forget(query="door code", all=True, documents="keep", dry_run=True).action == "would_delete"
    forgotten = me.forget(made.id, receipt=True)
    assert (forgotten.action, forgotten.id) == ("deleted", made.id)
    assert forgotten.receipt is not None
    assert (forgotten.receipt.request, forgotten.receipt.documents) == ("id", "ask")
    assert [item.text for item in forgotten.items] == ["The door code is blue"]
    assert forgotten.receipt.not_covered
    with pytest.raises(NotFound, match="No memory"):
        me.get(made.id)
    assert me.forget(query="door code").action == "not_found"


def test_places(me: Verbs) -> None:
    assert me.places.set("home", (49.19, 16.61)).name == "home"
    assert [one.name for one in me.places.named()] == ["home"]
    me.remember("Keys are in the drawer", place_label="home")
    assert me.recall("keys", location="home").hits
    me.places.forget("home")
    assert me.places.named() == ()


def test_shared_scopes(service: Running, me: Verbs) -> None:
    with pytest.raises(NotFound):
        me.scope("family")
    service.memory.scopes.add("family", "anna", role="writer")
    assert [(own.scope, own.role) for own in me.scopes()] == [("family", "writer")]
    family = me.scope("family")
    family.facts.set("roast", "day", "Sunday")
    family.conversation("c1").append("user", "The roast is in the oven")
    hit = me.recall("roast").hits[0]
    assert (hit.scope, hit.author) == ("family", "anna")
    assert {hit.scope for hit in me.search_context("roast", scopes=["family"]).hits} == {"family"}
    assert not me.recall("roast", scopes="none").hits
    assert not me.recall("roast", scopes=[]).hits
    service.memory.scopes.add("family", "anna")
    with pytest.raises(NotPermitted):
        family.remember("The roast is burnt")
    service.memory.scopes.remove("family", "anna")
    for verb in (family.list, family.facts, family.conversation("c1").window):
        with pytest.raises(NotFound):
            verb()


def test_what_is_wrong_is_refused(me: Verbs) -> None:
    with pytest.raises(InvalidInput):
        me.remember("")
    with pytest.raises(InvalidInput):
        me.remember("x", lat=1.0)
    with pytest.raises(InvalidInput):
        me.recall("x", limit=0)
    with pytest.raises(InvalidInput):
        me.forget()
    with pytest.raises(InvalidInput):
        me.remember_many("one")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_verbs_can_be_awaited(service: Running) -> None:
    async def talk() -> None:
        async with await AsyncClient.open(service.url, key=service.key()) as client:
            made = await client.me.remember("Prefers dark mode")
            assert (await client.me.recall("dark mode")).hits[0].id == made.id
            await client.me.facts.set("lamp", "color", "green")
            assert (await client.me.facts("lamp"))[0].value == "green"
            assert (await client.me.conversation("c1").append("user", "Hello")).action == "created"
            assert (await client.me.forget(made.id)).action == "deleted"

    anyio.run(talk)
