"""Models and their vectors, for people. No text of anybody's is ever shown here."""

from collections.abc import Iterator, Mapping, Sequence

from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View, figures
from recollect.cli.verbs_embedding import Models, Moved, Shelved, label
from recollect.cli.verbs_worker import Shift
from recollect.cli.words import counted, percent
from recollect.model.memories import Space
from recollect.model.stats import Coverage, Model, ParkedItem, Reembedding

_STATES = {"active": "searched", "building": "being built", "kept": "kept", "configured": "configured only"}
_PLURALS = {"memory": "memories", "message": "messages", "chunk": "chunks", "place": "places"}
_MOST_PARKED = 5


def covered(coverage: Sequence[Coverage]) -> str:
    """Say how much of each source has a vector."""
    there = [source for source in coverage if source.items]
    parts = [f"{_PLURALS.get(one.source, one.source)} {one.vectors:,} of {one.items:,}" for one in there]
    return ", ".join(parts) or "none needed yet"


def how_far(model: Model) -> str:
    """Say how far a model is that is being built."""
    items = sum(source.items for source in model.coverage)
    done = percent(sum(source.vectors for source in model.coverage) / items) if items else percent(1.0)
    return f"{label(model)}, {done}: {covered(model.coverage)}"


def parked_items(parked: Sequence[ParkedItem], total: int) -> Iterator[str]:
    """Name a few items that could not be embedded, and why."""
    for item in parked[:_MOST_PARKED]:
        yield f"{item.source} {item.id} of {item.user_id}: {item.reason}"
    more = max(total, len(parked)) - len(parked[:_MOST_PARKED])
    if more:
        yield f"and {more:,} more"


def _show_models(sheet: Sheet, value: Models) -> None:
    console = sheet.console
    if not value.models:
        console.print("No model makes vectors: embedding.provider is none, and the store has no vectors.")
    for model in value.models:
        console.print(safe(label(model), "bold"))
        table = figures()
        for name, text in _described(model):
            table.add_row(f"  {name}", safe(text))
        console.print(table)
        if model.trouble:
            console.print(safe(f"  {model.trouble}", "yellow"))


def _described(model: Model) -> Iterator[tuple[str, str]]:
    named = model.configured and model.state != "configured"
    yield "state", f"{_STATES[model.state]}, named in the settings" if named else _STATES[model.state]
    if model.coverage:
        yield "vectors", covered(model.coverage)
    if model.reachable is not None or model.trouble:
        yield "reachable", "yes" if model.reachable else "no"
    yield "price", _price(model)


def _price(model: Model) -> str:
    if model.price is None:
        return "free of charge" if model.provider == "local" else "not known"
    return f"${model.price:g} for a million tokens" if model.price else "free of charge"


def _show_shift(sheet: Sheet, value: Shift) -> None:
    console = sheet.console
    if value.retried:
        console.print(f"Let {counted(value.retried, 'text', 'texts')} be tried again.")
    console.print(f"Embedded {counted(value.embedded, 'text', 'texts')}.")
    if value.located:
        console.print(f"Found {counted(value.located, 'address', 'addresses')}.")
    if value.parked:
        told = "`recollect status` says why, `recollect worker --retry-parked` tries again."
        console.print(f"Gave up on {counted(value.parked, 'text', 'texts')}: {told}", style="yellow")
    if value.in_bulk:
        console.print(f"{_batches(value.in_bulk)} A worker collects them.")
    left = value.waiting - value.in_bulk
    if value.unavailable:
        wait = f"{counted(left, 'text still waits', 'texts still wait')}: " if left > 0 else ""
        console.print(safe(f"{wait}{value.unavailable}", "yellow"))
    elif left > 0:
        waiting = counted(left, "text still waits", "texts still wait")
        console.print(f"{waiting}: other workers have them, or they are tried again later.", style="yellow")


def _batches(texts: int) -> str:
    return f"{counted(texts, 'text is', 'texts are')} in batches at the provider, which takes up to a day."


def _show_moved(sheet: Sheet, value: Moved) -> None:
    change, console = value.change, sheet.console
    if change.state == "building":
        console.print(safe(f"{label(change.space)}: {covered(change.coverage)}."))
        console.print(safe(_what_now(value), "" if value.begun or change.in_bulk else "yellow"))
        return
    moved = change.previous is not None and change.previous != change.space
    console.print(safe(f"Searches use {label(change.space)}{' now' if moved else ' already'}."))
    console.print(safe(f"{covered(change.coverage)}.".capitalize()))
    if change.previous is not None and moved:
        name = f"{change.previous.provider}/{change.previous.model}"
        console.print(safe(f"The vectors of {name} are kept; `recollect reembed --drop {name}` removes them."))
    if not value.settled:
        console.print(
            safe(f"Your settings name another model. To stay with this one, set {_named(change.space)}.", "yellow")
        )


def _named(space: Space) -> str:
    """Give the settings that name a model."""
    provider = f'embedding.provider = "{space.provider}"'
    return provider if space.provider == "local" else f'{provider}, embedding.model = "{space.model}"'


def _what_now(value: Moved) -> str:
    """Say what keeps a change from its end, and what to do."""
    change, again = value.change, "`recollect reembed` goes on where this ended."
    if value.interrupted:
        return f"Interrupted; searches use the old model as before. {again}"
    if change.unavailable:
        return f"{change.unavailable} {again}"
    if value.begun:
        return "Begun. `recollect worker` or `recollect reembed` does the rest; searches use the old model until then."
    if change.in_bulk:
        return f"{_batches(change.in_bulk)} `recollect worker` or `recollect reembed` collects them."
    return f"{_left(change)} {again}"


def _left(change: Reembedding) -> str:
    parked = sum(source.parked for source in change.coverage)
    waiting = sum(source.waiting for source in change.coverage)
    if waiting or not parked:
        return f"{counted(waiting, 'item waits', 'items wait')}: others have them, or they are tried again later."
    items = counted(parked, "item", "items")
    return (
        f"{items} could not be embedded: `recollect status` says why. `recollect worker --retry-parked` tries again, "
        "`recollect reembed --without-parked` goes without."
    )


def _show_shelved(sheet: Sheet, value: Shelved) -> None:
    name = f"{value.space.provider}/{value.space.model}"
    if value.action == "dropped":
        sheet.console.print(safe(f"Removed the vectors of {name}."))
        return
    sheet.console.print(safe(f"The change to {name} is cancelled; searches use the old model as before."))
    sheet.console.print(safe(f"What it has so far is kept; `recollect reembed --drop {name}` removes it."))


def _show_change(sheet: Sheet, value: Moved | Shelved) -> None:
    if isinstance(value, Shelved):
        _show_shelved(sheet, value)
    else:
        _show_moved(sheet, value)


VIEWS: Mapping[str, View] = {"models": _show_models, "worker": _show_shift, "reembed": _show_change}
