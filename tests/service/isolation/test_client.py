"""The same through the SDK's own client: three hosts at once, each for a user of their own."""

from typing import Any

import anyio
from mcp import Client

from tests.mcp_door.conftest import called, over_http
from tests.service.conftest import Serve
from tests.service.isolation.world import Person, World
from tests.sizes import sized
from tests.waiting import PATIENCE_S

ROUNDS = sized(3, 8)


def test_three_hosts_at_once(serve: Serve) -> None:
    service = serve(embedding__provider="none")
    world = World(service)
    people = world.newcomers()

    async def use(client: Client, tool: str, person: Person, **given: Any) -> dict[str, Any]:
        text, details = await called(client, tool, **given)
        world.inspect(person, f"{text} {details}")
        return details

    async def work(person: Person, others: list[Person]) -> None:
        async with over_http(f"{service.url}/mcp", service.key(person.name)) as client:
            for turn in range(ROUNDS):
                text = world.text(person, "shelf")
                kept = await use(client, "memory_store", person, content=text)
                person.memories[kept["id"]] = text
                query = f"shelf {others[turn % 2].mark}"
                found = await use(client, "memory_recall", person, query=query, limit=50, min_score=0)
                assert {one["id"] for one in found["memories"]} == set(person.memories)
                await use(client, "search_context", person, query=query)
                await use(client, "memory_about", person, topic="shelf")
                (shown,) = (await client.read_resource("memory://recent")).contents
                world.inspect(person, str(shown))
                theirs = [*others[turn % 2].memories, kept["id"]][0]
                if theirs != kept["id"]:
                    gone = await called(client, "memory_forget", memoryId=theirs)
                    assert gone[1]["action"] == "not_found"

    async def everybody() -> None:
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as group:
                for person in people:
                    group.start_soon(work, person, [one for one in people if one is not person])

    anyio.run(everybody)
    for person in people:
        world.check_memories(person)
    world.close()
