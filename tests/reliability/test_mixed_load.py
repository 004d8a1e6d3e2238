"""Many processes use every verb on one store for a while: nothing is lost, doubled, refused or left half done."""

import os
from collections import Counter

from recollect import UserMemory
from tests.reliability.figures import figure
from tests.reliability.mixing import SHARED
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory
from tests.reliability.zygote import Zygote, at_once
from tests.sizes import sized
from tests.storage.catalogue import is_server, plain

_PROCESSES = sized(4, 8)
_MINUTES = "MIXED_LOAD_MINUTES"  # a variable


def _seconds(database: str) -> float:
    if _MINUTES in os.environ:
        return float(os.environ[_MINUTES]) * 60
    return sized(1, 300 if is_server(database) else 600)


def test_every_verb_for_a_while(database: str, zygote: Zygote) -> None:
    seconds = _seconds(database)
    names = [f"user{number}" for number in range(_PROCESSES)]
    lives = at_once(
        [
            zygote.start("mix_on", database=database, name=name, seed=seed, seconds=seconds)
            for seed, name in enumerate(names)
        ],
        seconds,
    )
    with plain(database) as store:
        spoken = store.rows("SELECT user_id, content FROM messages WHERE role <> 'summary'")
    lost = doubled = 0
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        for name, (_, kept, said, states) in zip(names, lives, strict=True):
            me = memory.user(name)
            there = {key: text for key, text in _all(me).items() if not text.startswith("lamp")}
            lost += sum(there.get(key) != text for key, text in kept.items())
            doubled += len(there.keys() - kept.keys())
            told = Counter(content for who, content in spoken if who == name)
            lost += (Counter(said) - told).total()
            doubled += (told - Counter(said)).total()
            if states:
                assert me.facts("lamp")[0].value == states[-1]
        shared = Counter(_all(memory.user(SHARED)).values())
        doubled += sum(times - 1 for times in shared.values())
        assert memory.doctor() == ()
    verbs = sum(done for done, *_ in lives)
    figure(
        4,
        "postgresql" if is_server(database) else "sqlite",
        processes=_PROCESSES,
        seconds=round(seconds),
        verbs=verbs,
        locked=0,
        lost=lost,
        doubled=doubled,
    )
    assert (lost, doubled) == (0, 0)
    assert verbs >= _PROCESSES


def _all(me: UserMemory) -> dict[str, str]:
    found: dict[str, str] = {}
    cursor: str | None = ""
    while cursor is not None:
        page = me.list(limit=1000, cursor=cursor or None)
        found |= {record.id: record.content for record in page.items}
        cursor = page.cursor
    return found
