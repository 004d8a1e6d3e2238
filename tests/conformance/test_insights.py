"""Insights into a memory, and what could be tidied up, on both stores."""

import pytest

from recollect import InvalidInput, NotFound, UserMemory
from tests.fixtures import OpenMemory, SteppingClock

TEA = "Anna drinks green tea every morning"


def test_queries_are_counted_and_those_without_an_answer_named(open_memory: OpenMemory) -> None:
    memory = open_memory(serve__search_log="queries")
    me = memory.user("me", agent="kitchen/1.0")
    tea, boat = me.remember(TEA, type="fact").id, me.remember("The boat has a teak deck").id
    for query in ("what does Anna drink?", "What does  ANNA drink?", '"zebra crossing"'):
        me.recall(query, limit=1)
    memory.user("other").recall("something else")
    found = me.insights()
    assert [(one.query, one.searches, one.unanswered) for one in found.popular] == [
        ("What does  ANNA drink?", 2, 0),
        ('"zebra crossing"', 1, 1),
    ]
    assert [one.query for one in found.unanswered] == ['"zebra crossing"']
    assert [(one.agent, one.searches) for one in found.agents] == [("kitchen/1.0", 3)]
    assert [(one.verb, one.searches, one.empty) for one in found.searches] == [("recall", 3, 1)]
    assert [(one.source, one.id, one.content, one.times) for one in found.often] == [("memory", tea, TEA, 2)]
    assert ([one.id for one in found.never], found.unrecalled, found.log) == ([boat], 1, "queries")
    me.forget(boat)  # which blanks what was asked, and keeps the figures
    later = me.insights(limit=1)
    assert (later.popular, later.unrecalled, [one.id for one in later.often]) == ((), 0, [tea])


def test_without_a_log_the_rest_is_told(open_memory: OpenMemory, clock: SteppingClock) -> None:
    me = open_memory(embedding__worker=False).user("me")
    me.remember(TEA, type="fact")
    me.conversation("talk").append("user", "Good morning")
    me.files.add(b"# Manual\n\nPress the red button.", name="manual.md")
    month = clock.now().strftime("%Y-%m")
    clock.advance(days=40)
    me.remember("The roof was repaired")
    me.recall("tea")
    open_memory(embedding__provider="none").user("me").remember("The lamp is green", type="fact")
    found = me.insights()
    assert (found.log, found.searches, found.popular, found.unrecalled) == ("off", (), (), None)
    assert [(one.kind, one.type, one.items) for one in found.coverage] == [
        ("memory", "fact", 2),
        ("memory", "other", 1),
        ("message", "user", 1),
        ("chunk", "markdown", 1),
    ]
    assert [one.items - one.vectors for one in found.coverage] == [1, 0, 0, 0]
    assert (found.waiting, found.parked) == (1, 0)
    assert [(one.month, one.memories, one.messages, one.chunks) for one in found.growth] == [
        (month, 1, 1, 1),
        (clock.now().strftime("%Y-%m"), 2, 0, 0),
    ]
    for wrong in ({"days": 0}, {"days": 91}, {"limit": 0}):
        with pytest.raises(InvalidInput):
            me.insights(**wrong)


def test_what_says_nothing_is_suggested_and_goes_only_when_it_is_named(me: UserMemory, clock: SteppingClock) -> None:
    kept = [me.remember(text).id for text in (TEA, "我住在布拉格", "PIN is 4711 for the door")]
    kept.append(me.facts.set("lamp", "color", "red").id)
    short, noise, system = (me.remember(text).id for text in ("ok", "- - - -", "[System message] The host restarted"))
    talk = me.conversation("talk")
    idle, _ = talk.append("user", "hmm"), talk.append("assistant", "What can I do for you today?")
    assert [one.id for one in me.tidy().suggestions] == [short, noise, system]
    clock.advance(days=31)
    fresh = me.conversation("new").append("user", "yes")
    found = me.tidy()
    assert [(one.rule, one.action, one.source, one.id) for one in found.suggestions] == [
        ("short", "forget", "memory", short),
        ("noise", "forget", "memory", noise),
        ("system", "forget", "memory", system),
        ("short", "forget", "message", idle.id),
    ]
    assert [one.id for one in me.tidy(rules="system").suggestions] == [system]
    assert len(me.tidy(limit=2).suggestions) == 2
    me.update(noise, content="The gate squeaks in the rain")
    done = me.tidy(apply=[short, noise, idle.id or "", kept[0], fresh.id or "", "no such id"])
    assert (set(done.forgotten), done.archived, done.suggestions) == ({short, idle.id}, (), ())
    assert me.tidy(apply=[short]).forgotten == ()
    assert {one.id for one in me.list().items} == {*kept, noise, system}
    with pytest.raises(NotFound):
        me.get(short)
    with pytest.raises(InvalidInput):
        me.tidy(rules=("old",))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        me.tidy(apply=short)


def test_a_conversation_of_long_ago_is_archived_with_its_messages(me: UserMemory, clock: SteppingClock) -> None:
    talk = me.conversation("talk")
    talk.extend([{"role": "user", "content": "I moved to Brno."}, {"role": "assistant", "content": "How is it there?"}])
    assert me.tidy().suggestions == ()
    clock.advance(days=366)
    (suggestion,) = me.tidy().suggestions
    assert (suggestion.rule, suggestion.action, suggestion.id) == ("old_chat", "archive", "talk")
    assert suggestion.content == "I moved to Brno."
    assert me.tidy(apply=["talk"]).archived == ("talk",)
    assert me.tidy().suggestions == ()
    info = talk.info()
    assert info is not None
    assert (info.messages, info.active_messages) == (2, 0)
