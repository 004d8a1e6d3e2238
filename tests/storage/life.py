"""A life of a store in all its verbs, which must come out the same wherever the store is."""

from pathlib import Path

from recollect import Memory
from tests.fixtures import SteppingClock
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory


def live(database: str, folder: Path) -> dict[str, object]:
    """Do everything for three users, and give what can be compared."""
    clock = SteppingClock()
    with open_memory(database, clock=clock, **WITH_QUICK_VECTORS, **_files(folder)) as memory:
        said = {user: _live_as(memory, user, folder) for user in ("anna", "ben", "cleo")}
        memory.scopes.add("family", "anna", role="writer")
        memory.scopes.add("family", "ben")
        key = memory.keys.create("laptop", user="anna")
        memory.keys.revoke(key.key.id)
        clock.advance(days=1)
        memory.embed_waiting()
        memory.maintain()
        assert memory.doctor() == ()
        stats = memory.stats()
        said["store"] = {"users": stats.users, "memories": stats.memories, "vectors": stats.vectors}
        said["scopes"] = {"members": [one.user_id for one in memory.scopes.members("family")]}
        memory.user("cleo").forget(everything=True)
        memory.purge()
        assert memory.doctor() == ()
    with open_memory(database, clock=clock, **WITH_QUICK_VECTORS) as memory:
        said["later"] = {user: len(memory.user(user).list(limit=100).items) for user in ("anna", "ben", "cleo")}
    return dict(said)


def _files(folder: Path) -> dict[str, object]:
    return {"files.originals": str(folder / "originals")}


def _live_as(memory: Memory, user: str, folder: Path) -> dict[str, object]:
    me = memory.user(user)
    first = me.remember(f"The pump of {user} is in the attic")
    again = me.remember(f"The pump of {user} is in the attic")
    many = me.remember_many([f"Lamp number {number % 40} hangs in the hall" for number in range(50)])
    me.facts.set("pump", "place", "attic")
    me.facts.set("pump", "place", "cellar")
    me.update(first.id, content=f"The pump of {user} is in the shed")
    talk = me.conversation("c1")
    for number in range(6):
        talk.append("user", f"What about lamp {number}?")
        talk.append("assistant", f"Lamp {number} hangs in the hall.")
    notes = folder / user
    notes.mkdir(exist_ok=True)
    (notes / "house.md").write_text("# House\n\nThe stove is in the kitchen.\n")
    me.files.sync(notes)
    me.places.set("home", (48.2, 16.4))
    memory.embed_waiting()
    forgotten = me.forget(query="lamp number 7", all=True)
    return {
        "again": again.action,
        "many": [made.action for made in many],
        "place": [fact.content for fact in me.facts("pump")],
        "history": [version.content for version in me.history(first.id)],
        "hits": sorted(hit.content for hit in me.recall("pump shed", limit=5).hits),
        "window": [message.content for message in talk.window().messages],
        "compacted": talk.compact(keep_recent=2).folded,
        "conversations": [(one.id, one.messages) for one in me.conversations()],
        "forgotten": len(forgotten.ids),
        "left": len(me.list(limit=100).items),
        "places": [place.name for place in me.places.list()],
        "stats": me.stats().memories,
    }
