"""Commands about vectors: the models that make them, and the worker that serves their queue."""

from collections import Counter
from collections.abc import Iterator, Sequence
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Annotated, NamedTuple

from recollect.cli.errors import FAILED
from recollect.cli.formatting import counted, percent
from recollect.cli.options import flag, option
from recollect.cli.progress import ProgressReporter, stop_on_signal
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import SettingsError, StoreUnavailable

if TYPE_CHECKING:
    from recollect.api.memory import Memory
    from recollect.cli.view import View
    from recollect.model.memories import Space
    from recollect.model.stats import Coverage, Model, ParkedItem, WorkReport

commands = CommandSet("Vectors")

_STATES = {"active": "searched", "building": "being built", "kept": "kept", "configured": "configured only"}
_PLURALS = {"memory": "memories", "message": "messages", "chunk": "chunks", "place": "places"}
_IN_USE = ("active", "building")
_COUNTED = ("embedded", "parked", "located", "read")
_DONE = (
    ("embedded", "Embedded", "text", "texts"),
    ("read", "Read", "message", "messages"),
    ("located", "Found", "address", "addresses"),
)
_MOST_PARKED = 5
_FULL_SCAN_S = 600.0  # how often to look for items that lack a vector without being queued
_STORE_PAUSE_S = 5.0


def model_label(model: "Model | Space") -> str:
    """Name a model for people."""
    length = f" ({model.dimensions:,} dimensions)" if model.dimensions else ""
    return f"{model.provider}/{model.model}{length}"


def covered(coverage: "Sequence[Coverage]") -> str:
    """Say how much of each source has a vector."""
    there = [source for source in coverage if source.items]
    parts = [f"{_PLURALS.get(part.source, part.source)} {part.vectors:,} of {part.items:,}" for part in there]
    return ", ".join(parts) or "none needed yet"


def how_far(model: "Model") -> str:
    """Say how far a model is that is being built."""
    items = sum(source.items for source in model.coverage)
    done = percent(sum(source.vectors for source in model.coverage) / items) if items else percent(1.0)
    return f"{model_label(model)}, {done}: {covered(model.coverage)}"


def parked_items(parked: "Sequence[ParkedItem]", total: int) -> Iterator[str]:
    """Name a few items that could not be embedded, and why. Their texts are not shown."""
    for item in parked[:_MOST_PARKED]:
        yield f"{item.source} {item.id} of {item.user_id}: {item.reason}"
    more = max(total, len(parked)) - len(parked[:_MOST_PARKED])
    if more:
        yield f"and {more:,} more"


def in_batches(texts: int) -> str:
    """Say how many texts a provider's batch API has."""
    return f"{counted(texts, 'text is', 'texts are')} in batches at the provider, which takes up to a day."


@commands.command("admin", busy="Asking", examples=("recollect models", "recollect models --offline"))
def models(
    context: CommandContext,
    *,
    offline: Annotated[bool, flag("--offline", "Ask no provider whether it answers.")] = False,
) -> "CommandResult[tuple[Model, ...]]":
    """Show the models that make vectors.

    Those whose vectors the store has, and the one that the settings name: which one is searched, how much of each
    source it covers, whether its provider answers, and what it costs.
    """
    return CommandResult(context.memory.models.list(ask=not offline), _show_models, under="models")


def _show_models(view: "View", models: "tuple[Model, ...]") -> None:
    if not models:
        view.line("No model makes vectors: embedding.provider is none, and the store has no vectors.")
    for model in models:
        view.line(model_label(model), "bold")
        view.fields((f"  {name}", text) for name, text in _described(model))
        if model.trouble:
            view.line(f"  {model.trouble}", "yellow")


def _described(model: "Model") -> Iterator[tuple[str, str]]:
    named = model.configured and model.state != "configured"
    yield "state", f"{_STATES[model.state]}, named in the settings" if named else _STATES[model.state]
    if model.coverage:
        yield "vectors", covered(model.coverage)
    if model.reachable is not None or model.trouble:
        yield "reachable", "yes" if model.reachable else "no"
    if model.price is None:
        yield "price", "free of charge" if model.provider == "local" else "not known"
    else:
        yield "price", f"${model.price:g} for a million tokens" if model.price else "free of charge"


class WorkerReport(NamedTuple):
    """What a worker did, what is left, and why, if that is for a reason.

    `retried` items had been given up on and were queued again. `in_bulk` texts are in batches at the provider.
    `located` items got their address. `read` messages were read, `unread` ones still wait for it.
    """

    embedded: int
    parked: int
    waiting: int
    retried: int = 0
    in_bulk: int = 0
    unavailable: str = ""
    located: int = 0
    read: int = 0
    unread: int = 0


@commands.command(
    "admin",
    creates=True,  # it may be started before what writes
    examples=("recollect worker", "recollect worker --once", "recollect worker --once --retry-parked"),
)
def worker(
    context: CommandContext,
    *,
    once: Annotated[bool, flag("--once", "End when nothing is left to do, or nothing can be done.")] = False,
    retry_parked: Annotated[
        bool, flag("--retry-parked", "First let everything be tried again that was given up on.")
    ] = False,
    poll: Annotated[float, option("SECONDS", "How often to look for something to do.", min=0.05, max=3600)] = 2.0,
) -> CommandResult[WorkerReport]:
    """Make the vectors that are waited for.

    For all users, beside any number of other workers; a change of the model goes on, too, addresses are looked up, and
    messages are read that are queued for it (`capture.when`). When a provider is away, the
    worker waits for it. Ctrl-C or SIGTERM end it after what is under way, with exit code 0. With --once it ends by
    itself: with 1 when the provider could not be asked.
    """
    memory = context.memory
    off = memory.settings.embedding.provider == "none" and memory.settings.places.geocoder == "none"
    if off and memory.settings.capture.when == "turn":
        raise SettingsError(
            "Vectors are switched off: embedding.provider is none, and so is places.geocoder. Name a provider to have "
            "some made."
        )
    retried = memory.retry_parked() if retry_parked else 0
    with stop_on_signal(context.progress) as stop:
        loop = _WorkerLoop(memory, context.progress, stop)
        last = loop.run_once() if once else loop.run(poll)
    waiting = _waiting_items(memory)
    report = WorkerReport(
        **loop.done,
        waiting=waiting,
        retried=retried,
        in_bulk=last.in_bulk,
        unavailable=last.unavailable,
        unread=memory.status().unread.waiting,
    )
    return CommandResult(report, _show_report, FAILED if once and last.unavailable else 0)


def _waiting_items(memory: "Memory") -> int:
    """Count what waits for a vector in the space that is searched and in one that is being built."""
    used = [model for model in memory.models.list(ask=False) if model.state in _IN_USE]
    return sum(source.waiting for model in used for source in model.coverage)


class _WorkerLoop:
    """A worker's loop: it counts what it has done, and reports an outage once."""

    def __init__(self, memory: "Memory", progress: ProgressReporter, stop: Event) -> None:
        self._memory = memory
        self._progress = progress
        self._stop = stop
        self._unavailable = False
        self.done = Counter(dict.fromkeys(_COUNTED, 0))

    def run_once(self, *, thorough: bool = True) -> "WorkReport":
        """Do all that can be done."""
        with self._progress.work("Embedding", _waiting_items(self._memory)) as tell:
            worked = self._memory.embed_waiting(thorough=thorough, stop=self._stop, tell=tell)
        self.done.update({name: getattr(worked, name) for name in _COUNTED})
        return worked

    def run(self, poll_s: float) -> "WorkReport":
        """Work until the process is asked to stop."""
        from recollect.model.stats import WorkReport

        self._progress.say("Waiting for texts to embed. Ctrl-C ends it.")
        scanned_at = float("-inf")
        while True:
            thorough = monotonic() - scanned_at > _FULL_SCAN_S
            try:
                worked = self.run_once(thorough=thorough)
                scanned_at = monotonic() if thorough else scanned_at
            except StoreUnavailable as error:
                worked = WorkReport(unavailable=str(error), pause_s=_STORE_PAUSE_S)
            self._report(worked)
            if self._stop.wait(max(poll_s, worked.pause_s)):
                return worked

    def _report(self, worked: "WorkReport") -> None:
        """Report changes and what was done: an outage is mentioned once."""
        if worked.unavailable and not self._unavailable:
            self._progress.say(f"Waiting until it works again: {worked.unavailable}")
        elif self._unavailable and not worked.unavailable:
            self._progress.say("It works again.")
        self._unavailable = bool(worked.unavailable)
        for name, done, one, many in _DONE:
            if amount := getattr(worked, name):
                self._progress.say(f"{done} {counted(amount, one, many)}.")
        if worked.parked:
            self._progress.say(f"Gave up on {counted(worked.parked, 'text', 'texts')}; `recollect status` says why.")


def _show_report(view: "View", report: WorkerReport) -> None:
    if report.retried:
        view.line(f"Let {counted(report.retried, 'text', 'texts')} be tried again.")
    for name, done, one, many in _DONE:
        if (amount := getattr(report, name)) or name == "embedded":
            view.line(f"{done} {counted(amount, one, many)}.")
    if report.parked:
        told = "`recollect status` says why, `recollect worker --retry-parked` tries again."
        view.line(f"Gave up on {counted(report.parked, 'text', 'texts')}: {told}", "yellow")
    if report.in_bulk:
        view.line(f"{in_batches(report.in_bulk)} A worker collects them.")
    left = report.waiting - report.in_bulk
    waiting = counted(left, "text still waits", "texts still wait") if left > 0 else ""
    if report.unread:
        still = counted(report.unread, "message still waits", "messages still wait")
        view.line(f"{still} to be read: other workers have them, or they are tried again later.", "yellow")
    if report.unavailable:
        view.line(f"{waiting}: {report.unavailable}" if waiting else report.unavailable, "yellow")
    elif waiting:
        view.line(f"{waiting}: other workers have them, or they are tried again later.", "yellow")
