"""The command `reembed`: change the embedding model while the store is in use, after saying what that costs."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from recollect.cli import options
from recollect.cli.embedding import covered, in_batches, model_label
from recollect.cli.errors import FAILED, INTERRUPTED, Declined
from recollect.cli.formatting import about_dollars, counted
from recollect.cli.json_output import fields_of
from recollect.cli.options import flag, option
from recollect.cli.progress import stop_on_signal
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.api.memory import Memory
    from recollect.cli.view import View
    from recollect.model.memories import Space
    from recollect.model.stats import Estimate, Model, Reembedding

commands = CommandSet("Vectors")

_LOOK_AGAIN_S = 2.0


class TargetModel(NamedTuple):
    """The model that was named, as far as it was."""

    provider: str | None
    model: str | None
    dimensions: int | None

    @property
    def named(self) -> bool:
        """Whether anything of it was named."""
        return self != (None, None, None)


class ModelChangePlan(NamedTuple):
    """A change of the model before it happens: from where to where, and what it takes. `resumed`: one under way."""

    previous: str
    target: str
    takes: "Estimate"
    resumed: bool = False


class ModelChange(NamedTuple):
    """How far a change of the model is. `begun`: no more was wanted; `interrupted`: a signal stopped it.

    `settled` says whether the settings name this model as well.
    """

    change: "Reembedding"
    begun: bool = False
    interrupted: bool = False
    settled: bool = True

    def document(self) -> dict[str, object]:
        return {**fields_of(self.change), "interrupted": self.interrupted}

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        if self.interrupted:
            return INTERRUPTED
        under_way = self.begun or self.change.in_bulk
        return FAILED if self.change.state == "building" and not under_way else 0


class UnusedModel(NamedTuple):
    """What was done with the vectors of a model that is not searched."""

    action: Literal["cancelled", "dropped"]
    space: "Space"


@commands.command(
    "admin",
    examples=(
        "recollect reembed --provider openai --model text-embedding-3-large",
        "recollect reembed",
        "recollect reembed --cancel",
        "recollect reembed --drop local/recollect-encoder-3",
    ),
)
def reembed(
    context: CommandContext,
    *,
    provider: Annotated[
        str | None, option("NAME", "Who makes the new vectors; that of the settings unless you say.")
    ] = None,
    model: Annotated[str | None, option("NAME", "With which model; the provider's usual one unless you say.")] = None,
    dimensions: Annotated[int | None, option("N", "How long, for models that can make vectors shorter.", min=1)] = None,
    begin_only: Annotated[bool, flag("--begin-only", "Only begin, and leave the work to `recollect worker`.")] = False,
    bulk: Annotated[
        bool | None,
        flag(
            "--bulk/--no-bulk",
            "Whether to use the provider's batch API, at half the price and within a day; the settings decide "
            "unless you say.",
        ),
    ] = None,
    without_parked: Annotated[
        bool, flag("--without-parked", "Finish though some items could not be embedded.")
    ] = False,
    cancel: Annotated[bool, flag("--cancel", "End the change that is under way; the old model stays.")] = False,
    drop: Annotated[str | None, option("PROVIDER/MODEL", "Remove the vectors of a model that is merely kept.")] = None,
    yes: options.Yes = False,
) -> CommandResult[Any]:
    """Change the model, while the store is in use.

    Everything is embedded anew beside the old vectors, which are searched until the new ones are complete. Without
    options it goes on with a change that was interrupted, or moves to the model that the settings name. You are told
    what it takes first, and asked if it may cost money; without a terminal, that needs --yes. Exits with 1 when it
    could not be finished; the next time it goes on where it ended.
    """
    memory, target = context.memory, TargetModel(provider, model, dimensions)
    others = {**target._asdict(), "begin_only": begin_only, "without_parked": without_parked}
    _check_alone("cancel", cancel, {**others, "drop": drop})
    _check_alone("drop", drop, {**others, "cancel": cancel})
    if cancel:
        return CommandResult(UnusedModel("cancelled", memory.models.cancel_reembed()), _show_unused)
    if drop is not None:
        question = f"Remove the vectors of {drop}? They can only be made anew."
        if context.can_ask and not yes and not context.ask(question):
            raise Declined("Nothing was removed.")
        return CommandResult(UnusedModel("dropped", memory.models.drop(drop)), _show_unused)
    plan = _plan(memory, target)
    if plan.previous != plan.target:
        _agree(context, plan, named=target.named, yes=yes)
    options: dict[str, Any] = {"bulk": bulk, "without_parked": without_parked}
    with stop_on_signal(context.progress) as stop:
        with context.progress.work("Embedding", plan.takes.items) as tell:
            options |= {"stop": stop, "tell": tell}
            change = _reembed(context, target, options, stop=stop, wait=not begin_only)
        interrupted = stop.is_set() and change.state == "building"
    named = (change.space.provider, change.space.model)
    models = memory.models.list(ask=False)
    settled = any(one.configured and (one.provider, one.model) == named for one in models)
    moved = ModelChange(change, begin_only, interrupted, settled)
    return CommandResult(moved, _show_change, moved.exit_code)


def _check_alone(option: str, value: object, others: dict[str, object]) -> None:
    """Refuse what cannot be meant together."""
    present = [name for name, other in others.items() if other not in (None, False)]
    if value not in (None, False) and present:
        raise InvalidInput(f"--{option} goes with no other option, but --{present[0].replace('_', '-')} is there.")


def _plan(memory: "Memory", target: TargetModel) -> ModelChangePlan:
    """Find out where a change would lead, and what it takes."""
    everything = memory.models.estimate(**target._asdict())
    known_models = memory.models.list(ask=False)
    searched, coming = _in_state(known_models, "active"), _in_state(known_models, "building")
    model = _target_model(memory, known_models, target)
    lacking = sum(source.items - source.vectors for source in model.coverage) if model.coverage else everything.items
    previous = model_label(searched) if searched else "none"
    return ModelChangePlan(previous, model_label(model), _scaled(everything, lacking), resumed=coming is not None)


def _target_model(memory: "Memory", known_models: "Sequence[Model]", target: TargetModel) -> "Model":
    """Give the model that is meant: the one that is named, or else the one on its way, or that of the settings."""
    from recollect.embedding import create_embedding_provider
    from recollect.model.stats import Model

    if not target.named:
        return _in_state(known_models, "building") or next(model for model in known_models if model.configured)
    settings = memory.settings.embedding
    embedder = create_embedding_provider(settings, **target._asdict())
    space = embedder.space if embedder else None
    if embedder:
        embedder.close()
    if space is None:
        provider, model = target.provider or settings.provider, target.model or settings.model
        return Model(provider, model, None, "kept", configured=False)
    same = (space.provider, space.model, space.dimensions)
    existing = next((one for one in known_models if (one.provider, one.model, one.dimensions) == same), None)
    return existing or Model(*same, "kept", configured=False)


def _in_state(known_models: "Sequence[Model]", state: str) -> "Model | None":
    return next((model for model in known_models if model.state == state), None)


def _scaled(everything: "Estimate", items: int) -> "Estimate":
    """Give the estimate for a part of all items."""
    share = min(1.0, items / everything.items) if everything.items else 0.0
    cost, bulk_cost = everything.cost, everything.bulk_cost
    return replace(
        everything,
        items=items,
        tokens=round(everything.tokens * share),
        cost=None if cost is None else cost * share,
        bulk_cost=None if bulk_cost is None else bulk_cost * share,
    )


def _amount(takes: "Estimate") -> str:
    items = counted(takes.items, "item", "items")
    if takes.cost == 0:
        return f"{items}, free of charge"
    tokens = f"{items}, about {counted(takes.tokens, 'token', 'tokens')}"
    if takes.cost is None:
        return f"{tokens}, at a price that is not known (embedding.price can say it)"
    worth_it = takes.bulk_cost is not None and about_dollars(takes.bulk_cost) != about_dollars(takes.cost)
    bulk = f", or {about_dollars(takes.bulk_cost)} with --bulk" if worth_it and takes.bulk_cost is not None else ""
    return f"{tokens}, {about_dollars(takes.cost)}{bulk}"


def _agree(context: CommandContext, plan: ModelChangePlan, *, named: bool, yes: bool) -> None:
    """Say what is about to happen, and ask before money is spent, or when no target was named.

    What is under way was agreed to when it began.
    """
    free = plan.takes.cost == 0 or not plan.takes.items
    agreed = plan.resumed or yes or (free and named)
    if not agreed and not context.can_ask:
        if not free:
            raise InvalidInput(f"Moving to {plan.target} may cost money: {_amount(plan.takes)}. Add --yes to go ahead.")
        raise InvalidInput(
            f"No change is under way. To move from {plan.previous} to {plan.target}, which the settings name, say so: "
            "name the provider, or add --yes."
        )
    doing = f"{'Going on' if plan.resumed else 'Moving'} from"
    told = f"{doing} {plan.previous}\n{'to':>{len(doing)}} {plan.target}\n{_amount(plan.takes)}."
    context.progress.say(told)
    if not agreed and not context.ask("Go ahead?"):
        raise Declined("Nothing was changed.")


def _reembed(
    context: CommandContext, target: TargetModel, options: dict[str, Any], *, stop: Event, wait: bool
) -> "Reembedding":
    """Do the work, and wait for what other workers hold, for as long as they may hold it."""
    memory = context.memory
    change = memory.models.reembed(**target._asdict(), **options, wait=wait)
    patience_s = memory.settings.embedding.lease_s + _LOOK_AGAIN_S
    since, told = monotonic(), False
    while wait and _leased(change) and not stop.is_set() and monotonic() - since < patience_s:
        if not told:
            items = counted(_leased(change), "item", "items")
            context.progress.say(f"Waiting for {items} that another worker has, or that are tried again later.")
            told = True
        if stop.wait(_LOOK_AGAIN_S):
            break
        if _in_state(memory.models.list(ask=False), "building") is None:  # another process has finished it, or ended it
            return _as_it_is(memory, change)
        more = memory.models.reembed(**options)
        since = monotonic() if more.embedded else since
        change = replace(more, previous=change.previous, embedded=change.embedded + more.embedded)
    return change


def _leased(change: "Reembedding") -> int:
    """Count the items that others hold while a change could go on."""
    if change.state != "building" or change.unavailable:
        return 0
    return max(0, sum(source.waiting for source in change.coverage) - change.in_bulk)


def _as_it_is(memory: "Memory", change: "Reembedding") -> "Reembedding":
    """Look how a change ended that others have ended."""
    searched = _in_state(memory.models.list(ask=False), "active")
    if searched is None or model_label(searched) != model_label(change.space):
        return change
    return replace(change, state="finished", coverage=searched.coverage)


def _show_change(view: "View", moved: ModelChange) -> None:
    change = moved.change
    if change.state == "building":
        view.line(f"{model_label(change.space)}: {covered(change.coverage)}.")
        view.line(_what_now(moved), "" if moved.begun or change.in_bulk else "yellow")
        return
    previous = change.previous if change.previous != change.space else None
    view.line(f"Searches use {model_label(change.space)}{' already' if previous is None else ' now'}.")
    view.line(f"{covered(change.coverage)}.".capitalize())
    if previous is not None:
        name = f"{previous.provider}/{previous.model}"
        view.line(f"The vectors of {name} are kept; `recollect reembed --drop {name}` removes them.")
    if not moved.settled:
        named = f'embedding.provider = "{change.space.provider}"'
        if change.space.provider != "local":
            named += f', embedding.model = "{change.space.model}"'
        view.line(f"Your settings name another model. To stay with this one, set {named}.", "yellow")


def _what_now(moved: ModelChange) -> str:
    """Say what keeps a change from its end, and what to do."""
    change, again = moved.change, "`recollect reembed` goes on where this ended."
    if moved.interrupted:
        return f"Interrupted; searches use the old model as before. {again}"
    if change.unavailable:
        return f"{change.unavailable} {again}"
    if moved.begun:
        return "Begun. `recollect worker` or `recollect reembed` does the rest; searches use the old model until then."
    if change.in_bulk:
        return f"{in_batches(change.in_bulk)} `recollect worker` or `recollect reembed` collects them."
    parked = sum(source.parked for source in change.coverage)
    waiting = sum(source.waiting for source in change.coverage)
    if waiting or not parked:
        left = counted(waiting, "item waits", "items wait")
        return f"{left}: others have them, or they are tried again later. {again}"
    return (
        f"{counted(parked, 'item', 'items')} could not be embedded: `recollect status` says why. "
        f"`recollect worker --retry-parked` tries again, `recollect reembed --without-parked` goes without. {again}"
    )


def _show_unused(view: "View", unused: UnusedModel) -> None:
    name = f"{unused.space.provider}/{unused.space.model}"
    if unused.action == "dropped":
        view.line(f"Removed the vectors of {name}.")
        return
    view.line(f"The change to {name} is cancelled; searches use the old model as before.")
    view.line(f"What it has so far is kept; `recollect reembed --drop {name}` removes it.")
