"""What happened to a folder, in the words of people. Pure."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Final

from recollect.cli.words import ago, amounts, counted, listing, named
from recollect.model.files import FolderStatus, SkippedFile, SyncReport

# What the rules leave out; the rest is what somebody may want to do something about.
_BY_THE_RULES: Final = {"ignored": "not wanted by the rules", "hidden": "hidden"}
_MOST_NAMED: Final = 3

_STATES: Final = {
    "missing": "there is no such folder now. Nothing was removed: what is kept of it, if anything, stays.",
    "empty": "the folder is empty, though it was not. Is its disk missing? Nothing was removed. "
    "`recollect sync PATH --even-if-empty` believes it.",
    "incomplete": "not all of it could be looked into, so nothing was removed.",
}


def warning(report: SyncReport) -> str:
    """Say what kept a sync from seeing all of a folder; nothing when it was seen whole."""
    return _STATES.get(report.state, "")


def outcome(report: SyncReport) -> str:
    """Say what was done with the files of a folder."""
    done = [
        f"{amount:,} {name}"
        for amount, name in (
            (report.added, "added"),
            (report.changed, "changed"),
            (report.renamed, "renamed"),
            (report.removed, "removed"),
            (report.touched, "saved again as it was"),
        )
        if amount
    ]
    if done:
        return f"{'would be ' if report.dry_run else ''}{', '.join(done)}"
    return "nothing to do" if report.seen else "no files to sync"


def in_one_line(report: SyncReport, known: Collection[SkippedFile] = ()) -> str:
    """Say what a sync did, and what it could not do; trouble that is `known` is not mentioned again."""
    parts = [] if report.state in ("missing", "empty") else [outcome(report)]
    if report.written:
        parts.append(f"{counted(report.written, 'chunk', 'chunks')} written")
    told = ", ".join(parts)
    trouble = [f"{named(one.path)} ({one.reason})" for one in report.trouble if one not in known]
    more = ", …" if len(trouble) > _MOST_NAMED else ""
    unread = f"; not read: {', '.join(trouble[:_MOST_NAMED])}{more}" if trouble else ""
    caught = warning(report)
    return f"{named(report.root)}: {told}{unread}{'; ' if told and caught else ''}{caught}"


def left_out(skipped: Mapping[str, int]) -> str:
    """Say how many files were left out, and why."""
    ordered = sorted(skipped.items(), key=lambda one: (one[0] in _BY_THE_RULES, -one[1], one[0]))
    return ", ".join(f"{_BY_THE_RULES.get(reason, reason)} {amount:,}" for reason, amount in ordered if amount)


def condition(status: FolderStatus, now: datetime, *, looked: bool) -> str:
    """Say how a folder stands: how much is kept of it, when it was looked through, and what has changed since."""
    folder = status.folder
    held = listing([counted(status.files, "file", "files"), counted(status.chunks, "chunk", "chunks")])
    scanned = f"synced {ago(folder.scanned_at, now)}"
    whole = () if folder.completed_at and folder.completed_at >= folder.scanned_at else ("not seen whole",)
    return " · ".join((held, scanned, *whole, *_drift(status, looked=looked)))


def _drift(status: FolderStatus, *, looked: bool) -> Iterator[str]:
    if not looked:
        return
    if status.drift is None:
        yield "not there now"
    else:
        yield f"{counted(status.drift, 'file differs', 'files differ')} now" if status.drift else "in step"


def errors(status: FolderStatus) -> str:
    """Say what could not be read the last time; what the rules leave out is no error."""
    trouble = {reason: amount for reason, amount in status.folder.trouble.items() if reason not in _BY_THE_RULES}
    return f"not read: {left_out(trouble)}" if trouble else ""


def chunks(report: SyncReport) -> str:
    """Say how many chunks of what was read are new, and how many stayed."""
    return amounts((report.written, "written", "written"), (report.kept, "kept", "kept"))
