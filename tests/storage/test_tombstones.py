"""Tombstones tell nothing: a secret of the store keys them."""

from recollect import Memory, NewMessage
from recollect.dialogue.exchanges import fingerprints
from recollect.engine.drafts.tombstones import of_item
from recollect.model.messages import Message
from recollect.storage.base.forgotten import keyed
from tests.reliability.worker import open_memory
from tests.storage.catalogue import plain
from tests.storage.conftest import FreshDatabase

_CODE = "The code of the door is {:04}."
_SAID = NewMessage("user", _CODE.format(4711), id="m1")


def _say(memory: Memory) -> Message:
    talk = memory.user("me").conversation("c1")
    talk.import_messages([_SAID])
    return talk.messages()[0]


def _tombstones(database: str) -> set[str]:
    with plain(database) as store:
        return {row[0] for row in store.rows("SELECT fingerprint FROM tombstones")}


def _secret(database: str) -> bytes:
    with plain(database) as store:
        return bytes(store.rows("SELECT value FROM store_secrets")[0][0])


def test_no_door_code_is_guessed_from_a_tombstone(fresh_database: FreshDatabase) -> None:
    database, another = fresh_database(), fresh_database()
    for place in (another, database):
        with open_memory(place) as memory:
            said = _say(memory)
            memory.user("me").forget(said.id)
            assert memory.user("me").conversation("c1").import_messages([_SAID])[0].action == "forgotten"
    guesses = {mark for code in range(10_000) for mark in fingerprints(said._replace(content=_CODE.format(code)))}
    tombstones = _tombstones(database)
    assert guesses.isdisjoint(tombstones)
    marks = (of_item(said.id), *fingerprints(said))
    assert {keyed(_secret(database), mark) for mark in marks} == tombstones
    assert tombstones.isdisjoint(_tombstones(another)), "every store has a secret of its own"
