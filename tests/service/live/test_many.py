"""Four processes store, eight listen to two services and are cut off at random: each sees each match once, in order."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from tests.fixtures import OpenMemory
from tests.reliability.zygote import Zygote
from tests.service.live.radio import Event, Radio
from tests.sizes import sized
from tests.waiting import PATIENCE_S

_STORES, _WRITERS, _LISTENERS = sized(60, 1_000), 4, 8
_LAST = "Parcel omega is the last one"


class _Listener:
    """Listens to any of the services, is cut off again and again, and goes on after what it saw last."""

    def __init__(self, urls: list[str], key: str, seed: int) -> None:
        self._urls, self._key = urls, key
        self._chance = random.Random(seed)
        self._asked: dict[str, Any] = {"query": "parcel"} if seed % 2 else {}
        self.calls = 0

    def listen(self, began: Barrier) -> list[Event]:
        """Give all hits, up to the last."""
        seen: list[Event] = []
        last: int | None = None
        while not seen or seen[-1].data is None or seen[-1].data["content"] != _LAST:
            self.calls += 1
            most = self._chance.randrange(1, _STORES // 12)
            with Radio(self._chance.choice(self._urls), self._key, last=last, **self._asked) as radio:
                assert radio.status == 200
                ready = radio.wait_for("ready")
                assert last is None or ready.id == last
                last = ready.id
                if self.calls == 1:
                    began.wait(PATIENCE_S)
                for _ in range(most):
                    event = radio.hear()
                    assert event is not None, "the service has ended it"
                    last = last if event.id is None else event.id
                    if event.name == "hit":
                        seen.append(event)
                        if event.data and event.data["content"] == _LAST:
                            break
        return seen


def _facts(writer: int) -> list[str]:
    numbers = range(writer, _STORES, _WRITERS)
    return [f"{'Parcel' if number % 3 else 'Letter'} {number} lies on shelf {number * 7 % 31}" for number in numbers]


def test_every_listener_sees_every_match_once_and_in_order(
    database: str, zygote: Zygote, houses: list[str], open_memory: OpenMemory
) -> None:
    memory = open_memory(embedding__provider="none")
    key = memory.keys.create(user="me", scopes=["read"]).secret
    listeners = [_Listener(houses, key, seed) for seed in range(_LISTENERS)]
    began = Barrier(_LISTENERS + 1)
    facts = [_facts(writer) for writer in range(_WRITERS)]

    with ThreadPoolExecutor(_LISTENERS) as threads:
        listening = [threads.submit(listener.listen, began) for listener in listeners]
        began.wait(PATIENCE_S)
        writers = [
            zygote.start("store_facts", database=database, facts=mine, order=[*range(len(mine))], many=False)
            for mine in facts
        ]
        for writer in writers:
            assert writer.hear() == "ready"
        for writer in writers:
            writer.say("go")
        stored = {made[2]: mine[made[0]] for writer, mine in zip(writers, facts, strict=True) for made in writer.hear()}
        last = memory.user("me").remember(_LAST).id
        heard = [one.result(PATIENCE_S) for one in listening]

    assert len(stored) == _STORES
    stored[last] = _LAST
    parcels = {one for one, content in stored.items() if content.startswith("Parcel")}
    for number, events in enumerate(heard):
        numbers = [event.id for event in events]
        assert numbers == sorted(set(filter(None, numbers)))
        hits = [event.data for event in events if event.data]
        assert [hit["number"] for hit in hits] == numbers
        ids = [hit["id"] for hit in hits]
        assert len(ids) == len(set(ids))
        assert set(ids) == (parcels if number % 2 else set(stored))
        assert all(hit["content"] == stored[hit["id"]] for hit in hits)
    assert heard[0::2] == [heard[0]] * len(heard[0::2])
    assert heard[1::2] == [heard[1]] * len(heard[1::2])
    assert sum(listener.calls for listener in listeners) > 2 * _LISTENERS, "hardly anybody was cut off"
