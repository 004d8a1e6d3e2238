"""The same random talk in both stores: equal answers, and after every step the promises hold."""

import re
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from recollect import Forgotten, NewMessage, Recall, UserMemory
from recollect.model.search import PromptContext
from tests.congruence.offers import sentences
from tests.congruence.talking import NAMES, Talker, active, error_name, kept, plain_turn, spoken, talks
from tests.congruence.twins import Twins, examples
from tests.sizes import ALL, sized

_NONCE = re.compile(r'id="[0-9a-f]{16}"')
names = st.sampled_from(NAMES)
KEEP = st.sampled_from([None, 0, 1, 4])
_ROOMS = (30, 600) if ALL else (600,)


class Machine(RuleBasedStateMachine):
    """Steps that a user and an agent take, in both stores."""

    twins: Twins

    def __init__(self) -> None:
        super().__init__()
        self.pair = Talker(self.twins)
        self.clock = self.pair.clock
        self.expected: dict[str, list[str]] = {name: [] for name in NAMES}  # what must be there, by number
        self.turn: list[NewMessage] = []

    def tick(self) -> None:
        self.clock.advance(timedelta(seconds=1))

    def numbers(self, name: str) -> list[str]:
        return [self.pair.name(0, message.id) for message in kept(self.pair.users[0], name)]

    def expect(self, name: str, added: int, gone: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        """Insist that nothing but these has come or gone."""
        before = [number for number in self.expected[name] if number not in gone]
        now = self.numbers(name)
        assert [number for number in now if number in before] == before
        assert len(now) == len(before) + added
        self.expected[name] = now

    @rule(name=names, messages=talks)
    def extend(self, name: str, messages: list[NewMessage]) -> None:
        self.tick()
        answers = self.pair.agree(lambda user: user.conversation(name).extend(messages))
        if error_name(answers) is None:
            self.expect(name, sum(answer["action"] == "created" for answer in answers))

    @rule(name=names, message=spoken())
    def append(self, name: str, message: NewMessage) -> None:
        self.tick()
        answer = self.pair.agree(
            lambda user: user.conversation(name).append(
                message.role, message.content, id=message.id, sequence=message.sequence, said_at=message.said_at
            )
        )
        if error_name(answer) is None:
            self.expect(name, int(answer["action"] == "created"))

    @rule(name=names, keep=KEEP)
    def compact(self, name: str, keep: int | None) -> None:
        self.tick()
        outcome = self.pair.agree(lambda user: user.conversation(name).compact(keep_recent=keep))
        assert outcome["action"] in ("compacted", "unchanged")
        again = self.pair.agree(lambda user: user.conversation(name).compact(keep_recent=keep))
        assert again["action"] == "unchanged"
        self.expect(name, 0)

    @rule(name=names, room=st.sampled_from([1, 40, 200, 600, 100_000]), reasoning=st.booleans())
    def window(self, name: str, room: int, reasoning: bool) -> None:  # noqa: FBT001 - drawn
        shown = self.pair.agree(lambda user: user.conversation(name).window(room, reasoning=reasoning))
        assert shown["tokens"] <= room

    @rule(name=names, request=spoken(roles=("user",)))
    def before_prompt(self, name: str, request: NewMessage) -> None:
        self.tick()
        given: list[PromptContext] = []

        def ask(user: UserMemory) -> Recall:
            given.append(user.before_prompt(request.content, session=name, id=request.id))
            return Recall(given[-1].hits, given[-1].degraded)

        known = set(self.numbers(name))
        self.pair.agree_on_found(ask, 5)
        blocks = [sorted(_NONCE.sub("", context.block).splitlines()) for context in given]
        assert len(blocks[0]) == len(blocks[1])
        saved = given[0].message_id
        assert all(hit.id != saved for hit in given[0].hits)
        self.expect(name, int(saved is not None and self.pair.name(0, saved) not in known))

    @rule(name=names, messages=talks)
    def after_turn(self, name: str, messages: list[NewMessage]) -> None:
        self.tick()
        self.turn = plain_turn(messages)
        self.deliver(name)

    @rule(name=names)
    def deliver_twice(self, name: str) -> None:
        self.deliver(name)
        again = self.deliver(name)
        if again is not None:
            assert (again["saved"], again["captured"], again["events"]) == (0, [], [])

    def deliver(self, name: str) -> Any:
        self.tick()
        outcome = self.pair.agree(lambda user: user.after_turn(self.turn, session=name))
        if error_name(outcome) is not None:
            return None
        assert len(outcome["captured"]) <= 2
        self.expect(name, outcome["saved"])
        return outcome

    @precondition(lambda self: any(self.expected.values()))
    @rule(data=st.data(), dry_run=st.booleans())
    def forget_message(self, data: st.DataObject, dry_run: bool) -> None:  # noqa: FBT001 - drawn
        self.tick()
        number = data.draw(st.sampled_from([one for said in self.expected.values() for one in said]))
        answer = self.pair.agree_about_said(number, lambda user, id_: _ordered(user.forget(id_, dry_run=dry_run)))
        assert answer[0] == number
        for name in NAMES:
            self.expect(name, 0, set() if dry_run else {number})

    @rule(name=names)
    def forget_session(self, name: str) -> None:
        self.tick()
        answer = self.pair.agree(lambda user: sorted(user.forget(session=name).ids))
        assert set(self.expected[name]) <= set(answer)
        self.expect(name, 0, set(self.expected[name]))

    @precondition(lambda self: any(self.expected.values()))
    @rule(data=st.data(), feedback=st.sampled_from([1, -1, None]))
    def rate(self, data: st.DataObject, feedback: int | None) -> None:
        number = data.draw(st.sampled_from([one for said in self.expected.values() for one in said]))
        self.pair.agree_about_said(number, lambda user, id_: user.messages.rate(id_, feedback))

    @rule(query=sentences, name=names | st.none())
    def search(self, query: str, name: str | None) -> None:
        self.pair.agree_on_found(lambda user: user.search_context(query, current=name, min_score=0.25), 10)

    @rule(hours=st.sampled_from([1, 30, 100 * 24]))
    def maintain(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))
        self.twins.agree(lambda memory: memory.maintain().failed)
        for name in NAMES:
            self.expect(name, 0)

    @invariant()
    def both_keep_the_same(self) -> None:
        for name in NAMES:
            self.pair.agree(lambda user, name=name: kept(user, name))  # type: ignore[misc]
            assert self.numbers(name) == self.expected[name]
        self.pair.agree(lambda user: user.conversations())
        self.pair.agree(lambda user: user.stats())
        self.pair.agree(lambda user: user.list(limit=1_000))

    @invariant()
    def one_live_summary_tells_all_that_is_folded(self) -> None:
        user = self.pair.users[0]
        for name in NAMES:
            summaries = [message for message in active(user, name) if message.role == "summary"]
            assert len(summaries) <= 1
            self.pair.agree(lambda one, name=name: one.conversation(name).summary())  # type: ignore[misc]
            folded = [message for message in kept(user, name) if message.status != "active"]
            told = user.conversation(name).originals(summaries[0].id) if summaries else ()
            assert list(told) == folded
            if folded:
                assert summaries[0].said_at == min(message.said_at for message in folded)
                assert summaries[0].trust == min(message.trust for message in folded)
            assert not any(message.role == "system" for message in folded)

    @invariant()
    def every_window_fits(self) -> None:
        for name in NAMES:
            for room in _ROOMS:
                shown = self.pair.agree(lambda user, name=name, room=room: user.conversation(name).window(room))  # type: ignore[misc]
                assert shown["tokens"] <= room

    @invariant()
    def both_stores_are_sound(self) -> None:
        if ALL:  # by day at the end
            assert self.twins.agree(lambda memory: memory.doctor()) == ()

    def teardown(self) -> None:
        assert self.twins.agree(lambda memory: memory.doctor()) == ()
        for user in self.pair.users:
            user.forget(everything=True, allow_again=True)


def _ordered(forgotten: Forgotten) -> list[str]:
    """Give what went in the order of storing, but first what was asked for; stores find the rest in any order."""
    return [*forgotten.ids[:1], *sorted(forgotten.ids[1:])] if forgotten.id else []


def test_both_stores_talk_alike(talkers: Twins) -> None:
    machine = type("MachineWithStores", (Machine,), {"twins": talkers})
    run_state_machine_as_test(machine, settings=examples(sized(3, 30), stateful_step_count=30))
