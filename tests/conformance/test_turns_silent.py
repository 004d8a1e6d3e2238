"""When nothing is put before a prompt, and what is there all the same, on both stores."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect import Memory, UserMemory
from recollect.errors import ReaderError
from recollect.model.readings import NEED_NONE, Reading
from recollect.models.local import LocalReader
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import every

RULE = "Always answer in metric units"
PUMP = "The blue bicycle pump is in the attic"
QUESTION = "Where did I put my bicycle pump?"
SMALL_TALK = "ok thanks!"
GENERAL = "What is a bicycle pump made of?"


class CountingReader:
    """The bundled reader, which notes what it reads, and fails when told to."""

    name = "counting"
    costs = False

    def __init__(self) -> None:
        self._reader = LocalReader()
        self.texts: list[str] = []
        self.fails = False

    def read(self, text: str, before: str = "") -> Reading:
        self.texts.append(text)
        if self.fails:
            raise ReaderError("not today")
        return self._reader.read(text, before)

    def close(self) -> None:
        self._reader.close()


@pytest.fixture
def counting(memory: Memory) -> CountingReader:
    """A reader in place of the bundled one."""
    made = CountingReader()
    engine = memory._engine
    memory._engine = replace(engine, capture=replace(engine.capture, reader=made, local=made))
    return made


def remember_rule(me: UserMemory, text: str = RULE, *, standing: bool = True, trust: int = 3) -> str:
    kept = me.remember(text, type="preference", subject="assistant", metadata={"standing": standing}, trust=trust)
    assert kept.id is not None
    return kept.id


def shown(me: UserMemory, text: str) -> list[str]:
    context = me.before_prompt(text, session="s")
    assert context.degraded == ()
    assert bool(context.block) == bool(context.hits)
    return [hit.content for hit in context.hits]


@every("text", [SMALL_TALK, GENERAL, "turn the light off", "Danke dir!", "спасибо", "díky moc"])
def test_what_needs_no_memory_gets_none(me: UserMemory, text: str) -> None:
    me.remember(PUMP)
    assert shown(me, text) == []


@every("text", [QUESTION, "Where is my blue pump?", "kde mám pumpičku na kolo?", "где мой насос?"])
def test_a_question_for_memory_gets_its_answer(memory: Memory, text: str) -> None:
    me = memory.user(text)
    me.remember(PUMP)
    assert shown(me, text) == [PUMP]


def test_a_silent_request_is_kept_and_not_searched_with(memory: Memory, me: UserMemory) -> None:
    searched: list[str] = []

    class Observer:
        def went_without(self, part: str) -> None:
            raise AssertionError(part)

        def took(self, stage: str, seconds: float) -> None:
            searched.append(stage)

    memory._engine.search.metrics.observer = Observer()
    me.remember(PUMP)
    context = me.before_prompt(SMALL_TALK, session="s")
    assert [message.id for message in me.conversation("s").messages()] == [context.message_id]
    assert searched == []
    me.before_prompt(QUESTION, session="s")
    assert "total" in searched


def test_what_applies_always_is_shown_whatever_is_asked(me: UserMemory) -> None:
    me.remember(PUMP)
    remember_rule(me)
    assert shown(me, GENERAL) == [RULE]
    assert shown(me, QUESTION) == [PUMP, RULE]
    block = me.before_prompt(SMALL_TALK, session="s").block
    assert f"[Sun 1 Mar 2026] {RULE}" in block


def test_an_instruction_that_is_found_is_shown_once(me: UserMemory) -> None:
    remember_rule(me)
    assert shown(me, "In which units did I ask you to answer, metric ones?") == [RULE]


def test_only_what_the_user_stated_and_what_holds_applies_always(
    memory: Memory, me: UserMemory, clock: SteppingClock
) -> None:
    remember_rule(memory.user("you"), "Always answer in verse")
    remember_rule(me, "Always answer in capitals", trust=2)
    remember_rule(me, "When we cook, answer briefly", standing=False)
    me.remember("Always ask the neighbour first", type="preference", subject="Petr", metadata={"standing": True})
    old = remember_rule(me, "Always answer in inches")
    me.update(old, content=RULE)
    me.remember(
        "Always answer at once", type="preference", subject="assistant", metadata={"standing": True},
        expires_at=clock.now() + timedelta(minutes=1),
    )  # fmt: skip
    clock.advance(hours=1)
    assert shown(me, SMALL_TALK) == [RULE]


def test_of_many_instructions_the_newest_are_shown(open_memory: OpenMemory) -> None:
    me = open_memory(hooks__items=2).user("me")
    for number in range(4):
        remember_rule(me, f"Always mention rule number {number}, whatever happens")
    assert [content.split()[4] for content in shown(me, SMALL_TALK)] == ["3,", "2,"]


def test_without_a_working_reader_nothing_is_held_back(memory: Memory, counting: CountingReader) -> None:
    me = memory.user("me")
    me.remember(PUMP)
    counting.fails = True
    context = me.before_prompt(GENERAL, session="s")
    assert [hit.content for hit in context.hits] == [PUMP]
    assert context.degraded == ("reader",)
    assert context.message_id is not None
    counting.fails = False
    assert shown(me, GENERAL) == []


@pytest.mark.parametrize("override", [{"hooks__silence": False}, {"capture__reader": "none"}])
def test_silence_can_be_switched_off(open_memory: OpenMemory, override: dict[str, object]) -> None:
    me = open_memory(**override).user("me")
    me.remember(PUMP)
    assert shown(me, GENERAL) == [PUMP]


def test_what_was_read_before_a_prompt_is_not_read_after_the_turn(memory: Memory, counting: CountingReader) -> None:
    me = memory.user("me")
    asked = "  By the way, I live in Brno. Where did I put my bicycle pump? "
    me.before_prompt(asked, session="s", id="m1")
    me.after_turn([{"role": "user", "content": asked, "id": "m1"}, {"role": "assistant", "content": "?"}], session="s")
    assert counting.texts == [asked.strip()]
    assert any("Brno" in record.content for record in me.list().items)


def test_a_long_request_is_judged_by_its_ends(memory: Memory, counting: CountingReader) -> None:
    me = memory.user("me")
    me.remember(PUMP)
    assert shown(me, f"{QUESTION} {'Well, well. ' * 200}") == [PUMP]
    (read,) = counting.texts
    assert len(read) < 1_300
    assert read.startswith(QUESTION)


def test_a_request_of_nothing_needs_nothing(memory: Memory, counting: CountingReader) -> None:
    assert counting.read("   ").need == NEED_NONE
    assert memory.user("me").before_prompt([{"type": "image"}], session="s").hits == ()
