"""Many processes compact one conversation while others speak in it: one live summary, everything told once."""

from collections import Counter

from recollect.model.messages import NewMessage
from tests.fixtures import OpenMemory
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory
from tests.reliability.talking import line
from tests.reliability.wholeness import insist_whole
from tests.reliability.zygote import Zygote, at_once
from tests.sizes import sized

_COMPACTING = sized(2, 8)
_SPEAKING = sized(2, 4)
_EACH = 10


def test_one_summary_tells_everything_once(database: str, zygote: Zygote) -> None:
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        talk = memory.user("me").conversation("crowd")
        said = [line("host", number) for number in range(30)]
        kept = talk.extend([NewMessage("user", text) for text in said])
        known = {str(one.id): text for one, text in zip(kept, said, strict=True)}
    speaking = [
        zygote.start("append_at_once", database=database, conversation="crowd", speaker=f"guest{number}", amount=_EACH)
        for number in range(_SPEAKING)
    ]
    compacting = [
        zygote.start("compact_at_once", database=database, conversation="crowd", rounds=sized(1, 4))
        for _ in range(_COMPACTING)
    ]
    told = at_once([*speaking, *compacting])
    known |= {message_id: text for answers in told[:_SPEAKING] for message_id, text in answers}
    outcomes = Counter(outcome for answers in told[_SPEAKING:] for outcome in answers)

    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        assert memory.doctor() == ()
        shape = insist_whole(database, memory.user("me").conversation("crowd"), known)
        assert memory.stats().pending_jobs == len(shape.messages), "a message lost its claim to a vector"
    summaries = sum(one.role == "summary" for one in shape.messages.values())
    assert len(known) == len(shape.messages) - summaries == 30 + _SPEAKING * _EACH
    assert len(shape.live) == 1
    assert outcomes.keys() <= {"compacted", "unchanged"}
    assert outcomes["compacted"] == summaries >= 1
    store = "postgresql" if "://" in database else "sqlite"
    print(f"\n{store}, {_COMPACTING} compacting and {_SPEAKING} speaking: {dict(outcomes)}, {len(known)} messages kept")  # noqa: T201 - a result


def test_the_same_messages_are_folded_by_one_only(database: str, zygote: Zygote, open_memory: OpenMemory) -> None:
    """Without anybody speaking there is work for exactly one of them."""
    me = open_memory(embedding__provider="none").user("me")
    me.conversation("quiet").extend([NewMessage("user", line("host", number)) for number in range(20)])
    compacting = [
        zygote.start("compact_at_once", database=database, conversation="quiet", rounds=1) for _ in range(_COMPACTING)
    ]
    assert sorted(outcome for (outcome,) in at_once(compacting)) == ["compacted"] + ["unchanged"] * (_COMPACTING - 1)
    shape = insist_whole(database, me.conversation("quiet"), {})
    assert len(shape.live) == 1
    assert len(shape.folded) == 18
