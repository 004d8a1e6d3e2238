"""`AsyncMemory` says and does what `Memory` does, on both stores."""

import asyncio
import inspect
import os
from collections.abc import Callable
from typing import Any

import pytest

from recollect import (
    AsyncConversation,
    AsyncMemory,
    AsyncUserMemory,
    Conversation,
    Memory,
    NotFound,
    StoreError,
    UserMemory,
    load_settings,
)
from recollect.api.aio import (
    AsyncEvents,
    AsyncFacts,
    AsyncFiles,
    AsyncInstructions,
    AsyncLessons,
    AsyncMedia,
    AsyncMessages,
    AsyncModels,
    AsyncPlaces,
    AsyncPreferences,
    AsyncScopes,
)
from recollect.api.conversation import UserMessages
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.files import UserFiles, UserMedia
from recollect.api.operations import Scopes, StoreModels, StoreOperations
from recollect.api.places import UserPlaces
from recollect.ports import Embedder
from tests.fixtures import OpenMemory, SteppingClock

NAMESPACES = {
    UserFiles: AsyncFiles,
    UserMedia: AsyncMedia,
    UserPlaces: AsyncPlaces,
    UserFacts: AsyncFacts,
    UserPreferences: AsyncPreferences,
    UserEvents: AsyncEvents,
    UserLessons: AsyncLessons,
    UserInstructions: AsyncInstructions,
    UserMessages: AsyncMessages,
    StoreModels: AsyncModels,
    Scopes: AsyncScopes,
}
PAIRS = {Memory: AsyncMemory, UserMemory: AsyncUserMemory, Conversation: AsyncConversation, **NAMESPACES}
AT_ONCE = {"user", "conversation"}  # these never wait, so there is nothing to await
TRANSLATED = {UserMemory: AsyncUserMemory, Conversation: AsyncConversation}


def public(kind: type) -> dict[str, Any]:
    """Give what a class offers, with what it inherits, and what a call of it does."""
    members = {name: member for base in reversed(kind.__mro__[:-1]) for name, member in vars(base).items()}
    return {name: member for name, member in members.items() if not name.startswith("_") or name == "__call__"}


def verbs(kind: type) -> dict[str, Any]:
    return {name: member for name, member in public(kind).items() if not isinstance(member, property)}


def signature(member: Any) -> inspect.Signature:
    if isinstance(member, classmethod):
        member = member.__func__
    found = inspect.signature(member)
    returned = found.return_annotation
    return found.replace(return_annotation=TRANSLATED.get(returned, returned))


def test_the_twins_have_the_same_verbs_with_the_same_signatures() -> None:
    for sync, twin in PAIRS.items():
        assert set(verbs(sync)) == set(verbs(twin))
        for name, one in verbs(sync).items():
            other, verb = verbs(twin)[name], f"{twin.__name__}.{name}"
            assert type(one) is type(other), verb
            assert signature(one) == signature(other), verb
            assert list(signature(one).parameters.values()) == list(signature(other).parameters.values()), verb
            function = getattr(other, "__func__", other)
            assert inspect.iscoroutinefunction(function) == (name not in AT_ONCE), verb
            assert function.__name__ == name, f"{verb} awaits another verb"
    assert signature(Memory.__enter__) == signature(AsyncMemory.__aenter__)
    assert signature(Memory.__exit__) == signature(AsyncMemory.__aexit__)


def test_the_namespaces_and_values_are_equal(memory: Memory) -> None:
    awaited = AsyncMemory(memory)
    pairs: list[tuple[object, object]] = [
        (memory, awaited),
        (memory.user("me"), awaited.user("me")),
        (memory.user("me").conversation("c1"), awaited.user("me").conversation("c1")),
    ]
    for sync, twin in pairs:
        for name in set(public(type(sync))) - set(verbs(type(sync))):
            value, same = getattr(sync, name), getattr(twin, name)
            assert type(same) is PAIRS.get(type(value), type(value))
            assert type(value) in {*PAIRS, StoreOperations} or value == same


def run(work: Callable[[AsyncMemory], Any], memory: Memory) -> None:
    asyncio.run(work(AsyncMemory(memory)))


def test_every_verb_can_be_awaited(memory: Memory, clock: SteppingClock) -> None:
    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        assert me.user_id == "me"
        assert awaited.settings is memory.settings
        stored = await me.remember("The kettle is on the stove", type="fact", importance=0.4)
        assert stored.action == "created"
        many = await me.remember_many(["One", {"content": "Two", "type": "event"}, "One"])
        assert [answer.action for answer in many] == ["created", "created", "duplicate"]
        found = await me.recall("where does the tea water boil?", limit=1, type="fact")
        assert [hit.id for hit in found.hits] == [stored.id]
        updated = await me.update(stored.id, content="The kettle is in the cupboard")
        assert await me.get(stored.id) == updated
        assert len(await me.history(stored.id)) == 2
        page = await me.list(limit=2)
        assert len(page.items) == 2
        assert len((await me.list(limit=2, cursor=page.cursor)).items) == 1
        assert await me.count(type="event") == 1
        assert (await me.stats()).memories == 3
        assert (await awaited.stats()).memories == 3
        assert (await awaited.status()).stats.users == 1
        assert await awaited.doctor() == ()
        assert (await awaited.maintain()).embedded == 0
        assert (await me.forget(query="the kettle is in the cupboard", dry_run=True)).id == stored.id
        assert (await me.forget(stored.id)).action == "deleted"
        with pytest.raises(NotFound):
            await me.get(stored.id)
        assert (await me.forget(everything=True)).action == "deleted"

    run(work, memory)
    assert memory.user("me").count() == 0


def test_async_with_opens_and_closes(database: str, clock: SteppingClock, encoder: Embedder) -> None:
    settings = load_settings(
        os.devnull,
        environ={},
        overrides={"database": database, "embedding.worker": False, "recall.deadline_s": 600},
    )

    async def work() -> AsyncMemory:
        async with await AsyncMemory.open(settings=settings, clock=clock, embedder=encoder) as memory:
            await memory.user("me").remember("One")
        with pytest.raises(StoreError, match="closed"):
            await memory.user("me").count()
        await memory.close()
        return memory

    asyncio.run(work())
    with Memory.open(settings=settings, clock=clock, embedder=encoder) as memory:
        assert memory.user("me").count() == 1


def test_many_verbs_run_at_the_same_time(memory: Memory) -> None:
    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        stored = await asyncio.gather(*(me.remember(f"Shelf {n} is full", type="fact") for n in range(16)))
        assert [answer.action for answer in stored] == ["created"] * 16
        found = await asyncio.gather(*(me.recall(f"shelf {n}", limit=1) for n in range(16)))
        assert [answer.hits[0].content for answer in found] == [f"Shelf {n} is full" for n in range(16)]

    run(work, memory)


def test_awaiting_leaves_the_loop_free(open_memory: OpenMemory) -> None:
    """While a batch is being stored, other coroutines go on."""

    async def work(awaited: AsyncMemory) -> None:
        storing = asyncio.create_task(awaited.user("me").remember_many(f"Note {n}" for n in range(2_000)))
        turns = 0
        while not storing.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert len(await storing) == 2_000
        assert turns > 10

    run(work, open_memory(embedding__provider="none"))
