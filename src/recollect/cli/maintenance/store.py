"""Commands that look after the store: stats, status, doctor, maintain."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.cli.embedding import covered, how_far, parked_items
from recollect.cli.errors import FAILED
from recollect.cli.formatting import (
    about_dollars,
    ago,
    counted,
    folder_errors,
    folder_state,
    lasting,
    listing,
    named,
    percent,
    sentence,
    size,
)
from recollect.cli.json_output import fields_of
from recollect.cli.runner import CommandContext, CommandResult, CommandSet

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.cli.view import View
    from recollect.model.files import FolderStatus
    from recollect.model.stats import Maintenance, Problem, ReplicaStatus, Stats, Status, StoreStats, UnreadMessages
    from recollect.settings import SettingRow

commands = CommandSet("The store")


class UserFigures(NamedTuple):
    """Figures about one user."""

    user: str
    stats: "Stats"

    def document(self) -> dict[str, object]:
        return {"user": self.user, **fields_of(self.stats)}


@commands.command("read", examples=("recollect --user anna stats",))
def stats(context: CommandContext) -> CommandResult[UserFigures]:
    """Show figures about what the user has stored."""
    return CommandResult(UserFigures(context.me.user_id, context.me.stats()), _show_stats)


def _show_stats(view: "View", figures: UserFigures) -> None:
    stats = figures.stats
    kinds = sorted(stats.by_type.items(), key=lambda item: (-item[1], item[0]))
    view.fields(
        (
            ("user", figures.user),
            ("memories", f"{stats.memories:,}"),
            *((f"  {kind}", f"{amount:,}") for kind, amount in kinds),
            ("replaced", f"{stats.superseded:,}"),
            ("expired", f"{stats.expired:,}"),
            ("messages", f"{stats.messages:,}"),
            ("  requests", f"{stats.requests:,}"),
            ("  responses", f"{stats.responses:,}"),
            ("  reasoning", f"{stats.reasoning:,}"),
            ("files", f"{stats.files:,}"),
            ("  chunks", f"{stats.chunks:,}"),
            ("with a vector", f"{stats.with_vector:,}"),
            ("waiting for one", f"{stats.pending_jobs:,}" if stats.pending_jobs else ""),
            ("given up on", f"{stats.parked_jobs:,}" if stats.parked_jobs else ""),
            ("cache", "" if stats.cache.hit_rate is None else _hit_rate(stats.cache.hit_rate)),
            ("oldest", ago(stats.oldest, view.now) if stats.oldest else "-"),
            ("newest", ago(stats.newest, view.now) if stats.newest else "-"),
        )
    )


def _hit_rate(rate: float) -> str:
    return f"knew {percent(rate)} of what was asked"


class FullStatus(NamedTuple):
    """The status of the store, every setting with where it comes from, and the user's folders."""

    user: str
    status: "Status"
    settings: "tuple[SettingRow, ...]"
    folders: "tuple[FolderStatus, ...]" = ()

    def document(self) -> dict[str, object]:
        """Give all of it; of a setting its name, value and source."""
        rows = [{"name": row.name, "value": row.value, "source": row.source} for row in self.settings]
        since = {"waiting_since": self.status.waiting_since}
        return {"user": self.user, **fields_of(self.status), **since, "folders": self.folders, "settings": rows}


@commands.command("admin", examples=("recollect status",))
def status(context: CommandContext) -> CommandResult[FullStatus]:
    """Show what runs on what, and which settings differ.

    Versions, the store, the embedder, and every setting that is not the default, with where it comes from.
    """
    me = context.me
    full = FullStatus(me.user_id, context.memory.status(), context.settings.describe(), me.files.folders())
    return CommandResult(full, _show_status)


def _show_status(view: "View", full: FullStatus) -> None:
    status = full.status
    changed = ((row.name, f"{row.value} ({row.source})") for row in full.settings if row.source != "default")
    view.fields(
        (
            *_installation(status),
            ("user", full.user),
            *_amounts(status.stats),
            *_vectors(status, view.now),
            *_unread(status.unread, view.now),
            *_spending(status),
            ("erasure pending", status.erasure_pending),
            *_folders(full.folders, view.now),
            *_backups(status, view.now),
            *map(_replica, status.replicas),
            *changed,
        )
    )
    for advice in status.advice:
        view.line(advice, "yellow")


def _installation(status: "Status") -> Sequence[tuple[str, str]]:
    waiting = counted(status.unlocated, "address is", "addresses are")
    places = f"{status.geocoder}; {waiting} still to be found out" if status.unlocated else status.geocoder
    return (
        ("recollect", status.version),
        ("store", f"{status.backend} {status.backend_version}, schema {status.schema_version}"),
        ("location", status.location),
        ("embedding", f"{status.embedding}, {status.space.dimensions} dimensions" if status.space else "none"),
        ("summaries", status.summarizer),
        ("places", places),
    )


def _amounts(stats: "StoreStats") -> Sequence[tuple[str, str]]:
    items = [counted(stats.memories, "memory", "memories"), counted(stats.messages, "message", "messages")]
    if stats.files:
        items.append(f"{counted(stats.files, 'file', 'files')} in {counted(stats.chunks, 'chunk', 'chunks')}")
    users, vectors = counted(stats.users, "user", "users"), counted(stats.vectors, "vector", "vectors")
    return (("holds", f"{listing(items)} of {users}, {vectors}"), ("size", size(stats.size_bytes)))


def _vectors(status: "Status", now: "datetime") -> Iterator[tuple[str, str]]:
    """Say what can be found by meaning, and what is on its way there."""
    if any(source.items for source in status.coverage):
        yield "vectors", covered(status.coverage)
    waiting = sum(source.waiting for source in status.coverage)
    if waiting:
        since = status.waiting_since
        yield "waiting", f"{waiting:,}" + (f", the oldest for {lasting(now - since)}" if since else "")
    if status.building is not None:
        yield "changing to", how_far(status.building)
    for batch in status.bulks:
        if batch.state in ("submitting", "running", "collecting"):
            handed_in = f"{batch.done:,} of {counted(batch.texts, 'text', 'texts')}"
            yield "batch", f"{handed_in} done at {batch.space.provider}, handed in {ago(batch.submitted_at, now)}"
    if status.parked:
        yield "given up on", "\n".join(parked_items(status.parked, status.stats.parked_jobs))
    if status.cache.entries:
        rate = status.cache.hit_rate
        used = "" if rate is None else f", {_hit_rate(rate)}"
        yield "cache", f"{counted(status.cache.entries, 'vector', 'vectors')}, {size(status.cache.bytes)}{used}"


def _unread(unread: "UnreadMessages", now: "datetime") -> Iterator[tuple[str, str]]:
    if unread.waiting:
        since = f", the oldest for {lasting(now - unread.oldest)}" if unread.oldest else ""
        yield "to be read", f"{counted(unread.waiting, 'message', 'messages')}{since}"
    if unread.parked:
        yield "not readable", f"{counted(unread.parked, 'message', 'messages')}: {unread.reason}"


def _spending(status: "Status") -> Iterator[tuple[str, str]]:
    spent, embedded, cost = status.spent_today.tokens, status.embedding_today.tokens, status.embedding_cost
    if embedded:
        price = "" if cost is None else f", {about_dollars(cost)}" if cost else ", free of charge"
        yield "embedded today", f"{counted(embedded, 'token', 'tokens')}{price}"
    if spent:
        yield "spent today", f"{spent:,} of {status.tokens_per_day:,} tokens"


def _folders(folders: "Sequence[FolderStatus]", now: "datetime") -> Iterator[tuple[str, str]]:
    for status in folders:
        lines = (named(status.folder.root), folder_state(status, now, looked=True), folder_errors(status))
        yield "folder", "\n".join(filter(None, lines))


def _backups(status: "Status", now: "datetime") -> Iterator[tuple[str, str]]:
    if status.backup is not None:
        newest = status.backup.newest
        last = f", the newest {ago(newest, now)}" if newest else ""
        yield "backups", f"{status.backup.amount:,} in {status.backup.folder}{last}"


def _replica(replica: "ReplicaStatus") -> tuple[str, str]:
    behind = f"{size(replica.lag_bytes)} and {replica.lag_s:.1f} s behind" if replica.lag_bytes else "up to date"
    return "replica", f"{replica.location}\n{f'not used: {replica.trouble}' if replica.trouble else behind}"


@commands.command("admin", busy="Examining the store", examples=("recollect doctor",))
def doctor(context: CommandContext) -> "CommandResult[tuple[Problem, ...]]":
    """Look for what is wrong, and say what to do about it.

    Checks the store for contradictions and tries the embedder. Exits with 1 when something is wrong.
    """
    problems = context.memory.doctor()
    return CommandResult(problems, _show_diagnosis, FAILED if problems else 0, under="problems")


def _show_diagnosis(view: "View", problems: "tuple[Problem, ...]") -> None:
    if not problems:
        view.line("All is well.", "green")
    for problem in problems:
        view.print(view.text(f"{problem.check}: {problem.count:,}", "bold red"), view.text(problem.advice))


@commands.command("admin", busy="Tidying up", examples=("recollect maintain",))
def maintain(context: CommandContext) -> "CommandResult[Maintenance]":
    """Let the store tidy up, and embed what is waiting.

    For all users: what has expired goes, conversations that have been silent for long are folded or put away, and what
    lacks a vector gets one. After an upgrade the index of words is brought up to date. Safe to interrupt.
    """
    return CommandResult(context.memory.maintain(), _show_maintenance)


def _show_maintenance(view: "View", done: "Maintenance") -> None:
    view.line(f"Embedded {counted(done.embedded, 'text', 'texts')}.")
    if done.expired:
        view.line(f"Forgot {counted(done.expired, 'memory', 'memories')} past the expiry.")
    if done.reindexed:
        view.line(f"Indexed {counted(done.reindexed, 'text', 'texts')} anew.")
    if done.compacted:
        view.line(f"Folded the older part of {counted(done.compacted, 'conversation', 'conversations')}.")
    if done.archived:
        view.line(f"Put {counted(done.archived, 'conversation', 'conversations')} away.")
    for note in done.notes:
        view.line(sentence(note))
    if done.parked:
        view.line(f"Gave up on {done.parked:,}; `recollect doctor` may know why.", "yellow")
    for failure in done.failed:
        view.line(f"{sentence(failure)} It is tried again next time.", "yellow")
