"""SIGKILL at random moments of processes that speak and compact: before a compaction or after it, never between.

And of processes that queue work and do it: whatever waits for a vector gets it in the end, once.
"""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.engine.drafts.items import embedded_texts
from tests.fixtures import SteppingClock
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory, vector_of
from tests.reliability.points import Kills, points
from tests.reliability.wholeness import Shape, insist_whole
from tests.reliability.zygote import Zygote
from tests.sizes import sized

_POINTS = sized(8, 40)
_JOB_POINTS = sized(2, 12)
_CONVERSATIONS = 5
_AT_ONCE = 2
_ROUNDS = 1_000_000  # a process never gets them done: the first goes on while the others begin
_MOMENT_S = 0.012  # about twice as long as a compaction takes
_WORDS = 9


def test_before_or_after_a_compaction_never_between(database: str, zygote: Zygote) -> None:
    kills = Kills()
    known: dict[str, dict[str, str]] = {f"talk{number}": {} for number in range(_CONVERSATIONS)}
    before: dict[str, Shape] = {}
    in_compaction = finished = 0
    for point in range(points(_POINTS) // _AT_ONCE):
        name = f"talk{point % _CONVERSATIONS}"
        children = [
            zygote.start("talk_on", database=database, conversation=name, speaker=f"p{point}c{number}", rounds=_ROUNDS)
            for number in range(_AT_ONCE)
        ]
        told = kills.at_work(children, _WORDS, _MOMENT_S)
        said = [word[1:] for words in told for word in words if word[0] == "said"]
        known[name] |= dict(said)
        in_compaction += sum(bool(words) and words[-1] == ["compacting"] for words in told)
        with open_memory(database, **WITH_QUICK_VECTORS) as memory:
            assert memory.doctor() == ()
            shape = insist_whole(database, memory.user("me").conversation(name), known[name])
        acknowledged = sum(word == ["compacted", "compacted"] for words in told for word in words)
        finished += _summaries(shape) - acknowledged - (_summaries(before[name]) if name in before else 0)
        before[name] = shape
        known[name] |= {one.id: one.content for one in shape.messages.values() if one.role != "summary"}
    kills.show(
        "append and compact",
        database,
        killed_in_a_compaction=in_compaction,
        compactions_done_but_not_acknowledged=finished,
        summaries=sum(map(_summaries, before.values())),
        messages_kept=sum(map(len, known.values())),
        lost=0,
    )
    assert finished >= 0, "a compaction was acknowledged and is gone"
    assert in_compaction > 0
    assert kills.killed > kills.points // 2


def _summaries(shape: Shape) -> int:
    return sum(one.role == "summary" for one in shape.messages.values())


def test_queued_vectors_are_made_in_the_end(database: str, zygote: Zygote) -> None:
    kills = Kills()
    known: set[str] = set()
    embedded = 0
    for point in range(points(_JOB_POINTS) // 2):
        children = [
            zygote.start("queue_on", database=database, conversation="jobs", speaker=f"p{point}", rounds=_ROUNDS),
            zygote.start("embed_on", database=database, rounds=_ROUNDS),
        ]
        queued, done = kills.at_work(children, _WORDS, _MOMENT_S)
        known |= {message_id for batch in queued for message_id in batch}
        embedded += sum(done)
        with open_memory(database, **WITH_QUICK_VECTORS) as memory:
            assert memory.doctor() == ()
            stats = memory.stats()
            assert stats.vectors + stats.pending_jobs == stats.messages >= len(known)
            assert stats.parked_jobs == 0

    left = stats.pending_jobs
    later = SteppingClock(datetime.now(UTC) + timedelta(minutes=10))  # what dead processes had claimed is free again
    with open_memory(database, clock=later, **WITH_QUICK_VECTORS) as memory:
        assert memory.maintain().embedded == left
        stats = memory.stats()
        assert (stats.vectors, stats.pending_jobs, stats.parked_jobs) == (stats.messages, 0, 0)
        for said in memory.user("me").conversation("jobs").messages(limit=5):
            vector = vector_of(embedded_texts(said)[0])
            (best,) = memory.user("me").search_context("which shelf", vector=vector, limit=1).hits
            assert best.content == said.content
            assert best.similarity == pytest.approx(1, abs=1e-3)
        assert memory.doctor() == ()
    kills.show("queue and embed", database, acknowledged=len(known), embedded_meanwhile=embedded, embedded_last=left)
    assert kills.killed > kills.points // 2
