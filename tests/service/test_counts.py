"""What is counted is what is held true, and each kind of message by itself: the same figures at every door."""

from datetime import timedelta

from recollect.client import Client
from tests.cli.conftest import Cli
from tests.fixtures import SteppingClock
from tests.service.conftest import Running

FIGURES = {"memories": 2, "superseded": 2, "expired": 1, "messages": 4, "requests": 2, "responses": 1, "reasoning": 1}


def test_replaced_versions_are_not_counted_and_messages_are_told_apart(
    service: Running, clock: SteppingClock, database: str
) -> None:
    me = service.memory.user("anna")
    for colour in ("red", "green", "blue"):
        me.facts.set("gate", "colour", colour)
    me.remember("The shop is open", valid_until=clock.moment + timedelta(hours=1))
    me.remember("The pump is in the attic", expires_at=clock.moment + timedelta(days=9_000))
    me.conversation("c").extend(
        {"role": role, "content": f"Words of a {role}"} for role in ("user", "reasoning", "assistant", "user")
    )
    clock.advance(hours=2)
    store, status = service.memory.stats(), service.memory.status().stats
    with Client.open(service.url, key=service.key()) as client:
        told = [me.stats(), store, status, client.me.stats()]
    shown = [{name: getattr(stats, name) for name in FIGURES} for stats in told]
    with service.client(service.key(scopes=("admin",))) as admin:
        shown.append(admin.get("/api/stats", headers={"X-Recollect-User": "anna"}).json())
        shown.append(admin.get("/api/status").json()["stats"])
        assert "recollect_memories 5.0" in admin.get("/metrics").text  # rows, which take no time to count
    cli = Cli("--database", database, "--user", "anna")
    shown += [cli.json("stats"), cli.json("status")["stats"]]
    assert [{name: figures[name] for name in FIGURES} for figures in shown] == [FIGURES] * len(shown)
    assert (me.count(), cli.json("count")["count"], store.items) == (2, 2, 9)
