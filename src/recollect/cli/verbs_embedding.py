"""Looking at the models that make vectors, and changing them: first it is said what that takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from time import monotonic
from typing import Any, Literal

from recollect.api.memory import Memory
from recollect.cli.edge import FAILED, INTERRUPTED
from recollect.cli.errand import Answer, Declined, Errand, VerbFunction
from recollect.cli.values import Asked
from recollect.cli.watching import Tell, until_asked_to_stop
from recollect.cli.words import about_dollars, counted
from recollect.embedding import create_embedding_provider
from recollect.errors import InvalidInput
from recollect.model.memories import Space
from recollect.model.stats import Estimate, Model, Reembedding

_WISHES = ("provider", "model", "dimensions")
_LOOK_AGAIN_S = 2.0


@dataclass(frozen=True, slots=True)
class Models:
    """The models that are known."""

    models: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of the model before it happens: from where to where, and what it takes.

    `going_on` is one under way; `named` means that somebody said where to.
    """

    previous: str
    target: str
    takes: Estimate
    going_on: bool = False
    named: bool = True


@dataclass(frozen=True, slots=True)
class Moved:
    """How far a change of the model is. `begun` means that nobody wanted more, `interrupted` that somebody stopped it.

    `settled` says whether the settings name this model as well.
    """

    change: Reembedding
    begun: bool = False
    interrupted: bool = False
    settled: bool = True


@dataclass(frozen=True, slots=True)
class Shelved:
    """What was done with the vectors of a model that is not searched."""

    action: Literal["cancelled", "dropped"]
    space: Space


def models(errand: Errand) -> Answer:
    """List the models."""
    return Answer(Models(errand.memory.models(ask=not errand.asked["offline"])))


def reembed(errand: Errand) -> Answer:
    """Change the model, after the person at the terminal has agreed to what it costs."""
    asked, memory = errand.asked, errand.memory
    _check(asked)
    if asked["cancel"]:
        return Answer(Shelved("cancelled", memory.cancel_reembed()))
    if asked["drop"] is not None:
        return _drop(errand)
    plan = _planned(memory, asked)
    if plan.previous != plan.target:
        _agree(errand, plan)
    with until_asked_to_stop(errand.watch) as stop:
        with errand.watch.work("Embedding", plan.takes.items) as tell:
            change = _moved(errand, stop, tell)
        interrupted = stop.is_set() and change.state == "building"
    moved = Moved(change, asked["begin_only"], interrupted, _is_in_settings(memory, change.space))
    return Answer(moved, _exit_code(moved))


def _check(asked: Asked) -> None:
    """Refuse what cannot be meant together."""
    wishes = [name for name in (*_WISHES, "begin_only", "without_parked") if asked[name] not in (None, False)]
    for option in ("cancel", "drop"):
        others = [
            *wishes,
            *(name for name in ("cancel", "drop") if name != option and asked[name] not in (None, False)),
        ]
        if asked[option] not in (None, False) and others:
            raise InvalidInput(f"--{option} goes with no other option, but --{others[0].replace('_', '-')} is there.")


def _drop(errand: Errand) -> Answer:
    name = errand.asked["drop"]
    question = f"Remove the vectors of {name}? They can only be made anew."
    if errand.agree and not errand.asked["yes"] and not errand.agree(question):
        raise Declined("Nothing was removed.")
    return Answer(Shelved("dropped", errand.memory.drop_model(name)))


def _planned(memory: Memory, asked: Asked) -> Plan:
    """Find out where a change would lead, and what it takes."""
    wish = {name: asked[name] for name in _WISHES}
    everything = memory.estimate(**wish)
    known = memory.models(ask=False)
    searched, coming = _in_state(known, "active"), _in_state(known, "building")
    target = _target(memory, known, wish)
    lacking = sum(source.items - source.vectors for source in target.coverage) if target.coverage else everything.items
    takes = _scaled(everything, lacking)
    named = any(value is not None for value in wish.values())
    previous = label(searched) if searched else "none"
    return Plan(previous, label(target), takes, going_on=coming is not None, named=named)


def _target(memory: Memory, known: Sequence[Model], wish: Mapping[str, Any]) -> Model:
    """Give the model that is meant: the one that is named, or else the one on its way, or that of the settings."""
    if all(value is None for value in wish.values()):
        return _in_state(known, "building") or next(model for model in known if model.configured)
    settings = memory.settings.embedding
    made = create_embedding_provider(settings, **wish)
    space = made.space if made else None
    if made:
        made.close()
    if space is None:
        return Model(
            wish["provider"] or settings.provider, wish["model"] or settings.model, None, "kept", configured=False
        )
    same = (space.provider, space.model, space.dimensions)
    found = next((one for one in known if (one.provider, one.model, one.dimensions) == same), None)
    return found or Model(*same, "kept", configured=False)


def _in_state(known: Sequence[Model], state: str) -> Model | None:
    return next((model for model in known if model.state == state), None)


def _scaled(everything: Estimate, items: int) -> Estimate:
    """Give the estimate for a part of all items."""
    share = min(1.0, items / everything.items) if everything.items else 0.0
    cost, bulk_cost = everything.cost, everything.bulk_cost
    return Estimate(
        items,
        round(everything.tokens * share),
        None if cost is None else cost * share,
        None if bulk_cost is None else bulk_cost * share,
    )


def label(model: Model | Space) -> str:
    """Name a model for people."""
    length = f" ({model.dimensions:,} dimensions)" if model.dimensions else ""
    return f"{model.provider}/{model.model}{length}"


def _in_words(plan: Plan) -> str:
    """Say what is about to happen, and what it takes."""
    doing = f"{'Going on' if plan.going_on else 'Moving'} from"
    return f"{doing} {plan.previous}\n{'to':>{len(doing)}} {plan.target}\n{_amount(plan.takes)}."


def _amount(takes: Estimate) -> str:
    items = counted(takes.items, "item", "items")
    if takes.cost == 0:
        return f"{items}, free of charge"
    tokens = f"{items}, about {counted(takes.tokens, 'token', 'tokens')}"
    if takes.cost is None:
        return f"{tokens}, at a price that is not known (embedding.price can say it)"
    worth_it = takes.bulk_cost is not None and about_dollars(takes.bulk_cost) != about_dollars(takes.cost)
    bulk = f", or {about_dollars(takes.bulk_cost)} with --bulk" if worth_it and takes.bulk_cost is not None else ""
    return f"{tokens}, {about_dollars(takes.cost)}{bulk}"


def _agree(errand: Errand, plan: Plan) -> None:
    """Say what is about to happen, and ask before money is spent, or when nobody has said where to move to.

    What is under way was agreed to when it began.
    """
    free = plan.takes.cost == 0 or not plan.takes.items
    agreed = plan.going_on or errand.asked["yes"] or (free and plan.named)
    if not agreed and errand.agree is None:
        if not free:
            raise InvalidInput(f"Moving to {plan.target} may cost money: {_amount(plan.takes)}. Add --yes to go ahead.")
        raise InvalidInput(
            f"No change is under way. To move from {plan.previous} to {plan.target}, which the settings name, say so: "
            "name the provider, or add --yes."
        )
    errand.watch.say(_in_words(plan))
    if not agreed and errand.agree is not None and not errand.agree("Go ahead?"):
        raise Declined("Nothing was changed.")


def _moved(errand: Errand, stop: Event, tell: Tell) -> Reembedding:
    """Do the work, and wait for what other workers hold, for as long as they may hold it."""
    memory, asked = errand.memory, errand.asked
    how = {"bulk": asked["bulk"], "without_parked": asked["without_parked"], "stop": stop, "tell": tell}
    change = memory.reembed(**{name: asked[name] for name in _WISHES}, **how, wait=not asked["begin_only"])
    patience_s = memory.settings.embedding.lease_s + _LOOK_AGAIN_S
    since, told = monotonic(), False
    while _is_held(change) and not (asked["begin_only"] or stop.is_set()) and monotonic() - since < patience_s:
        if not told:
            errand.watch.say(f"Waiting for {_held(change)} that another worker has, or that are tried again later.")
            told = True
        if stop.wait(_LOOK_AGAIN_S):
            break
        if _in_state(memory.models(ask=False), "building") is None:  # somebody else has finished it, or ended it
            return _as_it_is(memory, change)
        more = memory.reembed(**how)
        since = monotonic() if more.embedded else since
        change = replace(more, previous=change.previous, embedded=change.embedded + more.embedded)
    return change


def _as_it_is(memory: Memory, change: Reembedding) -> Reembedding:
    """Look how a change ended that others have ended."""
    searched = _in_state(memory.models(ask=False), "active")
    if searched is None or label(searched) != label(change.space):
        return change
    return replace(change, state="finished", coverage=searched.coverage)


def _is_held(change: Reembedding) -> bool:
    waiting = sum(source.waiting for source in change.coverage)
    return change.state == "building" and not change.unavailable and waiting > change.in_bulk


def _held(change: Reembedding) -> str:
    return counted(sum(source.waiting for source in change.coverage) - change.in_bulk, "item", "items")


def _is_in_settings(memory: Memory, space: Space) -> bool:
    named = next((model for model in memory.models(ask=False) if model.configured), None)
    return named is not None and (named.provider, named.model) == (space.provider, space.model)


def _exit_code(moved: Moved) -> int:
    if moved.interrupted:
        return INTERRUPTED
    under_way = moved.begun or moved.change.in_bulk
    return FAILED if moved.change.state == "building" and not under_way else 0


VERBS: Mapping[str, VerbFunction] = {"models": models, "reembed": reembed}
