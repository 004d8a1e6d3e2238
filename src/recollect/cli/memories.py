"""Commands that change memories: store, update, forget."""

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple, Self, TypeAlias

from recollect import plugins
from recollect.cli import options
from recollect.cli.errors import FAILED, NOT_FOUND, Declined
from recollect.cli.formatting import ago, clock, counted, media_line, named, place_line
from recollect.cli.json_output import fields_of
from recollect.cli.maintenance.erasure import (
    Loss,
    PurgeOption,
    ReceiptOption,
    item_lines,
    purge_store,
    receipt_file,
    show_kept,
    show_not_covered,
    show_purged,
)
from recollect.cli.options import argument, flag, option
from recollect.cli.places import OF_A_PLACE, address_follows, find_addresses, place_fields, show_following_address
from recollect.cli.runner import CommandContext, CommandResult, CommandSet, given_text
from recollect.cli.values import media_fields, trusted
from recollect.cli.verb_options import Given
from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import SEALED, Trust

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.api.memory import UserMemory
    from recollect.cli.view import View
    from recollect.model.files import FileRecord
    from recollect.model.memories import MemoryRecord, Remembered
    from recollect.model.search import Forgotten

commands = CommandSet("Memories")

_MOST_IDS = 20
_NOT_AGAIN = (
    "No import, sync or history that is delivered again brings it back. "
    "To allow that: recollect forget --everything --and-allow-again"
)
_ID = "019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90"


class StoredMemory(NamedTuple):
    """What became of a memory, and if it still waits for its vector, how many items do.

    `record` is there if it has a place; `unlocated` says that its address is still to be looked up.
    """

    remembered: "Remembered"
    waiting: int = 0
    record: "MemoryRecord | None" = None
    unlocated: bool = False

    @property
    def id(self) -> str:
        """The id of the memory."""
        return self.remembered.id

    def document(self) -> dict[str, object]:
        """Give what became of the memory, and its place if it has one."""
        place = {"place": {name: getattr(self.record, name) for name in OF_A_PLACE}} if self.record else {}
        return {**fields_of(self.remembered), **place}


class VectorsToFollow:
    """Counts how many vectors wait after something was stored, if it added any."""

    def __init__(self, context: CommandContext) -> None:
        self._context = context
        self.waiting = 0

    def __enter__(self) -> Self:
        self._before = self._context.memory.operations.pending_jobs()
        return self

    def __exit__(self, *_: object) -> None:
        waiting = self._context.memory.operations.pending_jobs()
        if waiting > self._before and self._context.settings.embedding.provider != "none":
            self.waiting = waiting


@commands.command(
    "write",
    verb="verbs:MemoryVerbs.remember",
    sets=("media",),
    when_given={"at": "read"},
    examples=(
        'recollect store "Prefers dark mode in all applications" --type preference',
        'recollect store "The office light is in the garage" --type fact \\',
        "    --subject light.office --key location --value garage",
        'recollect store "Dentist at noon" --type event --occurred 2026-12-03T12:00',
        'recollect store "The svíčková is good here" --lat 49.1951 --lng 16.6068 --place "U Karla pub"',
        'recollect store "The spare key is under the pot" --at home',
        'recollect store "The gate code is 4711" --keep-secret',
        'recollect store "The sofa we want" --media sofa.jpg --caption "Velvet, dark green"',
        "git log -1 --format=%B | recollect store - --type decision",
    ),
)
def store(
    context: CommandContext,
    /,
    content: Annotated[str, argument("TEXT", "What to remember; - reads it from standard input.")],
    *,
    trust: options.TrustTier = None,
    at: options.AtOwnPlace = None,
    pictured: options.MediaOptions,
    wait: Annotated[
        bool | None,
        flag(
            "--wait/--no-wait",
            "Whether to wait until it has its vector; the setting embedding.wait decides unless you say.",
        ),
    ] = None,
    **given: Given,
) -> CommandResult[StoredMemory]:
    """Remember something.

    What is known already in these words is not stored twice; what is new in it, such as a place, is added. Times are
    ISO 8601, such as 2026-12-03 or 2026-12-03T12:00+01:00; without an offset they are local. What has coordinates gets
    its address by itself. A file of --media is stored with it, a URL is only noted.
    """
    me = context.me
    place = place_fields(context, given, at)
    fields = {**given, **trusted(trust), **place, **media_fields(pictured, me.media.add)}
    with VectorsToFollow(context) as vectors:
        remembered = me.remember(given_text(content), wait=wait, **fields)
        new = remembered.action != "duplicate"
        if new:
            find_addresses(context, place, remembered.id)
    record = me.get(remembered.id) if place and new else None
    follows = address_follows(context, record)
    return CommandResult(StoredMemory(remembered, vectors.waiting, record, follows), show_stored)


def stored(context: CommandContext, store: "Callable[[], Remembered]") -> CommandResult[StoredMemory]:
    """Store a memory without a place, and tell what became of it and of its vector."""
    with VectorsToFollow(context) as vectors:
        remembered = store()
    return CommandResult(StoredMemory(remembered, vectors.waiting), show_stored)


def show_stored(view: "View", stored: StoredMemory) -> None:
    """Say what became of a memory."""
    show_remembered(view, stored.remembered, _place(stored.record) if stored.record else "")
    if not stored.remembered.degraded:
        show_following_vector(view, stored.waiting)
    show_following_address(view, follows=stored.unlocated)


def show_following_vector(view: "View", waiting: int) -> None:
    """Say that a vector is still to be made, if one is."""
    if waiting:
        it = "it" if waiting == 1 else "them"
        view.line(f"Its vector follows: {waiting:,} waiting, `recollect worker` makes {it}.", "dim")


def show_remembered(view: "View", remembered: "Remembered", place: str = "") -> None:
    """Say whether a memory is new, known, or replaces another."""
    from recollect.model.memories import taken_over_words

    outcomes = {
        "created": "Remembered.",
        "duplicate": f"Known already; {taken_over_words(remembered.taken_over) or 'nothing was added'}.",
        "superseded": f"Remembered, replacing {remembered.existing_id}.",
        "outranked": f"Kept as history only; {remembered.existing_id} stands: it is more trusted, or newer.",
        "doubted": f"Remembered beside {remembered.existing_id}, which says otherwise.",
    }
    view.line(outcomes[remembered.action])
    view.secrets(remembered)
    if place:
        view.line(place)
    view.line(remembered.id, "dim")
    view.degraded(remembered.degraded, "It is found by its words until `recollect maintain` has embedded it.")


@commands.command(
    "write",
    "read",
    verb="verbs:MemoryVerbs.update",
    sets=("many", "media"),
    creates=False,
    examples=(
        f"recollect update {_ID} --importance 0.9",
        f'recollect update {_ID} --content "Prefers light mode"',
        f"recollect update {_ID} --expires none",
    ),
)
def update(
    context: CommandContext,
    /,
    id: options.IdArgument,
    *,
    content: Annotated[str | None, option("TEXT", "The new text.")] = None,
    trust: options.TrustTier = None,
    at: options.AtOwnPlace = None,
    **given: Given,
) -> "CommandResult[MemoryRecord]":
    """Change a memory; what it was stays in its history.

    Only what is given changes. An empty text clears a field, and the word none clears a time.
    """
    place = place_fields(context, given, at)
    changes = {**given, **trusted(trust), **place}
    if content is not None:
        changes["content"] = content
    if not changes:
        raise InvalidInput("Nothing to change: name at least one option, such as --content or --importance.")
    record = context.me.update(id, **changes)
    find_addresses(context, place, record.id)
    return CommandResult(context.me.get(record.id) if place else record, _show_updated)


def _show_updated(view: "View", record: "MemoryRecord") -> None:
    show_record(view, record)
    view.secrets(record)


def show_record(view: "View", record: "MemoryRecord") -> None:
    """Show a memory with all its fields."""
    view.line(record.content, "bold")
    view.fields(
        (
            ("id", record.id),
            ("type", record.type),
            ("subject", record.subject),
            ("key", record.key),
            ("value", record.value),
            ("context", record.context),
            ("importance", f"{record.importance:g}"),
            ("confidence", f"{record.confidence:g}"),
            ("source", f"{record.source} ({Trust(record.trust).name.lower()})"),
            ("session", record.session),
            ("occurred", _time(view, record.occurred_at)),
            ("valid from", _time(view, record.valid_from)),
            ("valid until", _time(view, record.valid_until)),
            ("replaced by", record.superseded_by or ""),
            ("expires", _time(view, record.expires_at)),
            ("place", _place(record)),
            ("media", "\n".join(map(media_line, record.media))),
            ("metadata", ", ".join(f"{name}={value}" for name, value in record.metadata.items() if name != SEALED)),
            ("stored", f"{clock(record.created_at, view.now)} ({ago(record.created_at, view.now)})"),
            ("changed", _time(view, record.updated_at) if record.updated_at != record.created_at else ""),
        )
    )


def _time(view: "View", moment: "datetime | None") -> str:
    return clock(moment, view.now) if moment else ""


def _place(record: "MemoryRecord") -> str:
    return place_line(record.place_label, record.address, record.lat, record.lng)


SourcesOption: TypeAlias = Annotated[
    bool | None,
    flag("--sources/--no-sources", "With an ID: whether the messages it was captured from lose it, too; they do."),
]


@commands.command(
    "forget",
    verb="verbs:MemoryVerbs.forget",
    when_given={"query": "read", "purge": "admin"},
    examples=(
        f"recollect forget {_ID}",
        'recollect forget --query "dark mode" --dry-run',
        "recollect forget --query Brno --all",
        "recollect forget --session c1 --dry-run",
        "recollect forget --folder ~/notes",
        "recollect --user anna forget --everything --yes",
        "recollect --user anna forget --everything --and-allow-again",
        "recollect --user anna forget --everything --yes --receipt erased.json",
    ),
)
def forget(
    context: CommandContext,
    /,
    id: Annotated[
        str | None, argument("ID", "The memory to forget, with its history; or a message, or a file.")
    ] = None,
    *,
    query: str | None = None,
    session: str | None = None,
    source: str | None = None,
    folder: str | None = None,
    everything: bool = False,
    allow_again: bool = False,
    all: bool = False,
    dry_run: bool = False,
    sources: SourcesOption = None,
    purge: PurgeOption = None,
    receipt: ReceiptOption = None,
    yes: options.Yes = False,
    **given: Given,
) -> CommandResult[Loss]:
    """Delete memories, conversations or files for good.

    A query reaches everything that says it: memories with their history, messages, summaries and passages of files. Of
    a message the other sentences stay, and of an added document the original. On a terminal you are told what would
    go, and asked. Without one, --session, --source, --folder, --everything and --all need --yes, and a query that does
    not say a memory itself deletes nothing and shows what there is. What was forgotten does not come back with an
    import, a sync or a history that is delivered again, until you say or store it anew; a folder does, when you sync
    it again. A receipt says without content what was forgotten, and is checked with `recollect verify-erasure`.
    """
    request = partial(context.me.forget, id, query=query, session=session, source=source, folder=folder)
    request = partial(request, everything=everything, sources=_with_sources(id, sources=sources))
    request = partial(request, allow_again=allow_again, all=all, **given)
    plan = request(dry_run=True, receipt=dry_run and bool(receipt))
    if plan.action == "candidates" and plan.items and context.can_ask and not (yes or dry_run):
        request = partial(request, all=True)  # a person sees it all, and is asked
        plan = request(dry_run=True)
    whole = "everything" if everything else _named_whole(session=session, folder=folder, source=source)
    nothing = _nothing_found(id=id, folder=folder, session=session, everything=everything)
    show = partial(_show_forgotten, nothing=nothing, query=query, allowed=allow_again)
    if (whole or all) and not (yes or dry_run or context.can_ask):
        raise InvalidInput(f"Forgetting {whole or 'all of it'} needs --yes when there is no terminal to ask on.")
    if plan.action == "not_found" and allow_again and not dry_run:
        request()  # what was forgotten before may come again
    undone = {"not_found": 0 if everything else NOT_FOUND, "candidates": 0 if dry_run else FAILED}
    if plan.action in undone:
        return CommandResult(Loss(replace(plan, dry_run=dry_run)), show, undone[plan.action])
    loss = _loss(context.me, plan, whole)
    if dry_run:
        return CommandResult(loss, show)
    if context.can_ask and not yes and not _confirm(context, loss):
        raise Declined("Nothing was forgotten.")
    return CommandResult(_carry_out(context, request, loss, receipt, purge=bool(purge)), show)


def _carry_out(
    context: CommandContext, request: "Callable[..., Forgotten]", loss: Loss, receipt: str | None, *, purge: bool
) -> Loss:
    """Forget, purge if that is wanted, and write the receipt."""
    with receipt_file(receipt) as save:
        forgotten = request(receipt=bool(receipt))
        purged = purge_store(context) if purge else None
        if purged is not None and forgotten.receipt is not None:
            signed = context.memory.operations.receipt_after_purge(forgotten.receipt, purged)
            forgotten = replace(forgotten, receipt=signed)
        save(forgotten.receipt)
    return loss._replace(forgotten=forgotten, purged=purged, receipt_file=receipt or "")


def _with_sources(id: str | None, *, sources: bool | None) -> bool:
    """Say whether the messages that a memory was captured from lose it, too."""
    if sources is not None and id is None:
        raise InvalidInput("--sources and --no-sources belong to an ID; a query reaches the messages anyway.")
    return id is not None and sources is not False


def _named_whole(*, session: str | None, folder: str | None, source: str | None) -> str:
    """Name what goes as a whole."""
    if session is not None:
        return f"conversation {session}"
    if folder is not None:
        return f"the folder {folder}"
    return f"all that came from {source}" if source is not None else ""


def _confirm(context: CommandContext, loss: Loss) -> bool:
    """Show what would be forgotten, and ask."""
    from recollect.cli.view import safe
    from recollect.model.files import FileRecord

    if loss.forgotten.items:
        context.console.print(safe("\n".join(item_lines(loss.forgotten.items))))
    elif not loss.whole and (item := _item(context.me, loss.forgotten.ids[0])) is not None:
        context.console.print(safe(named(item.path) if isinstance(item, FileRecord) else item.content, "bold"))
    what = f"{loss.whole}, {loss.amount()}," if loss.whole else loss.amount()
    return context.ask(f"Forget {what} for good?")


def _loss(me: "UserMemory", plan: "Forgotten", whole: str) -> Loss:
    """Say how much of what goes. All that a user has is too much to look at one by one."""
    from recollect.model.memories import MemoryRecord

    if whole == "everything":
        stats = me.stats()
        live = stats.memories + stats.expired
        messages = len(plan.ids) - live - stats.superseded - plan.files
        return Loss(plan, whole, live, stats.superseded, messages, plan.files)
    if plan.items and not whole:
        kinds = Counter((item.kind, item.fate) for item in plan.items)
        gone = (kinds["memory", "deleted"], kinds["version", "deleted"], kinds["message", "deleted"], plan.files)
        passages = kinds["file", "rewritten"] + kinds["document", "rewritten"]
        return Loss(plan, whole, *gone, kinds["message", "rewritten"], kinds["summary", "remade"], passages)
    memories = len(plan.ids) - plan.messages - plan.files
    if whole:
        return Loss(plan, whole, memories, 0, plan.messages, plan.files)
    items = [_item(me, item_id) for item_id in plan.ids]
    live = sum(isinstance(item, MemoryRecord) and item.superseded_by is None for item in items)
    return Loss(plan, whole, live, memories - live, plan.messages, plan.files)


def _item(me: "UserMemory", id: str) -> "MemoryRecord | FileRecord | None":
    """Give a memory or a file; None when the id is that of a message."""
    for find in (me.get, me.files.get):
        try:
            return find(id)
        except NotFound:
            continue
    return None


def _show_forgotten(view: "View", loss: Loss, *, nothing: str, query: str | None, allowed: bool) -> None:
    forgotten = loss.forgotten
    if forgotten.action == "candidates":
        _show_candidates(view, forgotten, query)
    elif forgotten.action == "not_found":
        view.line(nothing)
    else:
        view.line(f"{'Would forget' if forgotten.dry_run else 'Forgotten for good:'} {loss.amount()}.")
        if forgotten.items:
            view.line("\n".join(item_lines(forgotten.items)), "dim")
        elif forgotten.dry_run:
            view.line("\n".join(forgotten.ids[:_MOST_IDS]), "dim")
            if len(forgotten.ids) > _MOST_IDS:
                view.line(f"... and {len(forgotten.ids) - _MOST_IDS:,} more; --json gives all ids.", "dim")
        show_kept(view, forgotten.items)
        if loss.whole == "everything" and not forgotten.dry_run:
            _show_everything_forgotten(view, allowed=allowed)
        if loss.purged is not None:
            show_purged(view, loss.purged)
        elif forgotten.pending:
            view.line(f"Erasure pending: {forgotten.pending}", "yellow")
        if loss.receipt_file:
            view.line(f"Receipt: {loss.receipt_file}. Check it later with `recollect verify-erasure`.")
            show_not_covered(view, forgotten.receipt)


def _show_candidates(view: "View", forgotten: "Forgotten", query: str | None) -> None:
    from recollect.cli.render_memories import ranked_hits

    view.line("The query does not say one memory itself; nothing was forgotten.", "yellow")
    if forgotten.items:
        view.line("It is said in:")
        view.line("\n".join(item_lines(forgotten.items)), "dim")
    if forgotten.candidates:
        view.line("The nearest memories:" if forgotten.items else "")
        view.print(ranked_hits(forgotten.candidates, view.now))
        view.line("To forget one of them, type: recollect forget ID")
    if forgotten.items:
        view.line(f"To forget all that says it, type: recollect forget --query {shlex.quote(query or '')} --all")


def _show_everything_forgotten(view: "View", *, allowed: bool) -> None:
    """Say what may come again, and what is not stored yet."""
    if not allowed:
        view.line(_NOT_AGAIN, "dim")
    for connection_file in plugins.installed("adapters", "hook spool"):
        if waiting := connection_file.spool_status().waiting:
            view.line(
                f"{counted(waiting, 'turn waits', 'turns wait')} for the service in {connection_file.spool_folder()}, "
                "and will be stored later. Delete that folder to forget them, too.",
                "yellow",
                soft_wrap=True,
            )


def _nothing_found(*, id: str | None, folder: str | None, session: str | None, everything: bool) -> str:
    if id is not None:
        return f"No memory {id}; nothing was forgotten. `recollect list` shows what there is."
    if folder is not None:
        return f"{folder} was never synced; nothing was forgotten. `recollect files` lists folders."
    if session is not None:
        return f"Nothing is kept of {session}; nothing was forgotten. `recollect conversation` lists them."
    return "There is nothing to forget." if everything else "No memory matches; nothing was forgotten."
