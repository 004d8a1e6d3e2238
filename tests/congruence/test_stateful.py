"""Both stores against a model in plain Python: after every step they hold exactly what the model says."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.congruence.model import Answer, Model, Refused
from tests.congruence.twins import Twins, examples
from tests.sizes import ALL, sized

HOURS = st.sampled_from([1, 5, 24, 100])
_CONTENT: dict[str, st.SearchStrategy[Any]] = {
    "content": st.sampled_from(["Alpha", "alpha.", "Beta", "Дельта", "That door is green", "that door is green."])
}
_OTHERS: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["fact", "preference", "event"]),
    "subject": st.sampled_from(["", "door"]),
    "key": st.sampled_from(["", "state"]),
    "context": st.sampled_from(["", "night"]),
    "value": st.sampled_from(["", "on", "ON", "off"]),
    "trust": st.integers(1, 3),
    "source": st.sampled_from(["user_stated", "web"]),
    "importance": st.sampled_from([0.1, 0.7]),
}
# Moments are drawn as hours from now.
_MOMENTS: dict[str, st.SearchStrategy[Any]] = {
    "expires_at": st.none() | HOURS,
    "valid_until": st.none() | HOURS,
    "valid_from": st.sampled_from([-50, -1, 1, 50]),
    "occurred_at": st.none() | st.sampled_from([-50, -1]),
}
_SLOT: dict[str, st.SearchStrategy[Any]] = {"subject": st.just("door"), "key": st.just("state")}
offers = st.tuples(
    st.one_of(
        st.fixed_dictionaries(_CONTENT | _SLOT, optional={"trust": _OTHERS["trust"], "value": _OTHERS["value"]}),
        st.fixed_dictionaries(_CONTENT, optional=_OTHERS),
    ),
    st.just({}) | st.fixed_dictionaries({}, optional=_MOMENTS),
)
# An update may also say that something has ended.
_REVISABLE = _CONTENT | _OTHERS
_REVISABLE_MOMENTS = _MOMENTS | {"valid_until": st.none() | st.sampled_from([-3, 5])}
revisions = st.one_of(
    st.sampled_from(sorted(_REVISABLE)).flatmap(lambda name: st.tuples(_only(name, _REVISABLE), st.just({}))),
    st.sampled_from(sorted(_MOMENTS)).flatmap(lambda name: st.tuples(st.just({}), _only(name, _REVISABLE_MOMENTS))),
    st.tuples(
        st.fixed_dictionaries(_CONTENT, optional=_OTHERS),
        st.fixed_dictionaries({}, optional=_REVISABLE_MOMENTS),
    ),
)


def _only(name: str, fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({name: fields[name]})


def at(now: datetime, drawn: tuple[Mapping[str, Any], Mapping[str, int | None]]) -> dict[str, Any]:
    """Give the fields with their moments."""
    plain, timed = drawn
    moments = {name: None if hours is None else now + timedelta(hours=hours) for name, hours in timed.items()}
    return {**plain, **moments}


def sensible(fields: Mapping[str, Any], now: datetime) -> bool:
    start, end = fields.get("valid_from") or now, fields.get("valid_until")
    return end is None or end > start


class Machine(RuleBasedStateMachine):
    """Steps that a user takes, in both stores and in the model."""

    twins: Twins

    def __init__(self) -> None:
        super().__init__()
        self.pair = self.twins.user()
        self.clock = self.pair.clock
        self.model = Model()
        self.moments: list[datetime] = []

    def tick(self) -> datetime:
        self.clock.advance(timedelta(seconds=1))
        return self.clock.moment

    @rule(offer=offers)
    def remember(self, offer: Any) -> None:
        now = self.tick()
        fields = at(now, offer)
        if sensible(fields, now):
            answer = self.pair.agree(lambda user: user.remember(**fields))
            assert answer == _remembered(self.model.remember(fields, now))

    @rule(offered=st.lists(offers, min_size=1, max_size=5))
    def remember_many(self, offered: list[Any]) -> None:
        now = self.tick()
        batch = [fields for fields in (at(now, offer) for offer in offered) if sensible(fields, now)]
        answers = self.pair.agree(lambda user: user.remember_many(batch))
        assert answers == [*map(_remembered, self.model.remember_many(batch, now))]

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data(), revision=revisions)
    def update(self, data: st.DataObject, revision: Any) -> None:
        now = self.tick()
        live = [row.number for row in self.model.rows.values() if row.superseded_by is None]
        number = data.draw(st.sampled_from(live) | st.sampled_from(sorted(self.model.rows)))
        changes = at(now, revision)
        answer = self.pair.agree_about(number, lambda user, memory_id: user.update(memory_id, **changes))
        try:
            assert answer == self.model.update(number, changes, now).plain()
        except Refused:
            assert answer[0] == "InvalidMemory"

    @precondition(lambda self: self.model.made)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        self.tick()
        number = data.draw(st.integers(0, self.model.made - 1))
        answer = self.pair.agree_about(number, lambda user, memory_id: replace(user.forget(memory_id), pending=""))
        gone = self.model.forget(number)
        assert answer["action"] == ("deleted" if gone else "not_found")
        assert set(answer["ids"]) == {f"#{doomed}" for doomed in gone}
        assert answer["ids"][:1] == ([f"#{number}"] if gone else [])

    @rule()
    def forget_everything(self) -> None:
        self.tick()
        answer = self.pair.agree(lambda user: replace(user.forget(everything=True), pending=""))
        assert set(answer["ids"]) == {f"#{number}" for number in self.model.rows}
        self.model.rows.clear()

    @rule(hours=HOURS)
    def wait(self, hours: int) -> None:
        self.moments.append(self.clock.moment)
        self.clock.advance(timedelta(hours=hours))

    @invariant()
    def the_listing_is_what_is_live(self) -> None:
        live = self.model.live(self.clock.moment)
        page = self.pair.agree(lambda user: user.list(limit=1_000))
        assert page == {"items": [row.plain() for row in live], "cursor": None}
        assert self.pair.agree(lambda user: user.count()) == len(live)

    @invariant()
    def the_past_is_what_it_was(self) -> None:
        for moment in (*self.moments[:1], *self.moments[-2:]):
            page = self.pair.agree(lambda user, then=moment: user.list(limit=1_000, as_of=then))  # type: ignore[misc]
            assert page["items"] == [row.plain() for row in self.model.held(moment, self.clock.moment)]

    @invariant()
    def every_history_is_whole(self) -> None:
        for number in (*list(self.model.rows)[:2], *list(self.model.rows)[-3:]):
            answer = self.pair.agree_about(number, lambda user, memory_id: user.history(memory_id))
            assert answer == [row.plain() for row in self.model.history(number)]

    @invariant()
    def the_figures_are_right(self) -> None:
        rows = self.model.rows.values()
        live = self.model.live(self.clock.moment)
        stats = self.pair.agree(lambda user: user.stats())
        superseded = sum(row.superseded_by is not None for row in rows)
        assert (stats["memories"], stats["superseded"]) == (len(live), superseded)
        assert stats["expired"] == len(rows) - len(live) - superseded
        # What a repetition added to the text of a memory is embedded by a worker, which does not run here.
        assert stats["with_vector"] + stats["pending_jobs"] == len(rows)

    @invariant()
    def both_stores_are_sound(self) -> None:
        if ALL:  # by day at the end
            assert self.twins.agree(lambda memory: memory.doctor()) == ()

    def teardown(self) -> None:
        assert self.twins.agree(lambda memory: memory.doctor()) == ()
        for user in self.pair.users:
            user.forget(
                everything=True, allow_again=True
            )  # so that the stores stay small and looking at them stays cheap


def _remembered(answer: Answer) -> dict[str, Any]:
    return {
        "action": answer.action,
        "id": f"#{answer.number}",
        "existing_id": None if answer.existing is None else f"#{answer.existing}",
        "degraded": [],
        "left_out": [],
        "kept_secret": [],
        "taken_over": [*answer.taken_over],
    }


def test_both_stores_hold_what_the_model_says(twins: Twins) -> None:
    machine = type("MachineWithStores", (Machine,), {"twins": twins})
    run_state_machine_as_test(machine, settings=examples(sized(3, 30), stateful_step_count=30))
