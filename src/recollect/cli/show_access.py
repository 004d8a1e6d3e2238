"""Keys, and the log of what was done, for people."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from rich.console import Group
from rich.table import Table
from rich.text import Text

from recollect.authorization import ApiKey
from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View
from recollect.cli.verbs_access import KeyRing, Log, LogEntry, MadeKey, RevokedKey, Verified
from recollect.cli.words import ago, clock, counted, day, minute

_STYLES = {"live": "green", "expired": "yellow", "revoked": "dim"}
_MOST_IDS = 3
_SOON = timedelta(days=2)


def _show_made(sheet: Sheet, value: MadeKey) -> None:
    console, key = sheet.console, value.known.key
    console.print(safe(f"A key {_owner(key)}: {_may(key)}. {_end(key)}"))
    console.print(Text(f"\n  {value.secret}\n", "bold"), soft_wrap=True)
    console.print("Keep it now: the store has only a hash of it, so nobody can show it again.", style="yellow")
    console.print("To use it:       RECOLLECT_KEY=... for commands and `recollect mcp`;")
    console.print("                 `Authorization: Bearer ...` for a service")
    console.print(f"To take it back: recollect keys revoke {key.id}")


def _owner(key: ApiKey) -> str:
    return f"for {key.user_id}" if key.user_id else "for the admin, for all users"


def _may(key: ApiKey) -> str:
    return ", ".join(key.scopes)


def _end(key: ApiKey) -> str:
    return f"It expires at {clock(key.expires_at)}." if key.expires_at else "It does not expire."


def _show_ring(sheet: Sheet, value: KeyRing) -> None:
    if not value.keys:
        sheet.console.print("No keys yet. `recollect keys create --user NAME` makes one.")
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for known in value.keys:
        details = Group(safe(_title(known.key)), safe(_times(known.key, sheet.now), "dim"))
        table.add_row(Text(known.key.id), Text(known.state, _STYLES[known.state]), details)
    sheet.console.print(table)


def _title(key: ApiKey) -> str:
    whose = key.user_id or "all users"
    return " · ".join(part for part in (key.name, whose, " ".join(key.scopes)) if part)


def _times(key: ApiKey, now: datetime) -> str:
    used = f"used {ago(key.last_used_at, now)}" if key.last_used_at else "never used"
    return f"made {ago(key.created_at, now)} · {used} · {_ending(key, now)}"


def _ending(key: ApiKey, now: datetime) -> str:
    if key.revoked_at:
        return f"revoked {ago(key.revoked_at, now)}"
    if key.expires_at is None:
        return "does not expire"
    if key.expires_at <= now:
        return f"expired {ago(key.expires_at, now)}"
    soon = key.expires_at - now < _SOON
    return f"expires {minute(key.expires_at) if soon else day(key.expires_at)}"


def _show_revoked(sheet: Sheet, value: RevokedKey) -> None:
    key = value.known.key
    sheet.console.print(safe(f"Revoked: {_title(key)}. From now on it opens nothing."))
    sheet.console.print(key.id, style="dim")


def _show_audit(sheet: Sheet, value: Log | Verified) -> None:
    if isinstance(value, Verified):
        _show_verified(sheet, value)
        return
    if not value.lines:
        nothing = "Nothing was done with keys yet." if value.user is None else f"Nothing was done for {value.user} yet."
        sheet.console.print(safe(nothing))
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for entry in value.lines:
        table.add_row(f"{entry.line.number}", clock(entry.line.done_at), Group(*_told(entry)))
    sheet.console.print(table)
    sheet.console.print(f"last hash {value.lines[-1].line.hash}", style="dim", soft_wrap=True)


def _told(entry: LogEntry) -> Iterator[Text]:
    line = entry.line
    who = f"{entry.name} ({line.actor})" if entry.name else line.actor
    yield safe(f"{line.action} · {counted(line.amount, 'item', 'items')} · {who}")
    for item in line.items[:_MOST_IDS]:
        yield safe(item, "dim")
    more = line.amount - min(len(line.items), _MOST_IDS)
    if line.items and more:
        yield safe(f"and {more:,} more", "dim")


def _show_verified(sheet: Sheet, value: Verified) -> None:
    if not value.problems:
        sheet.console.print("Every log is as it was written.", style="green")
    for problem in value.problems:
        sheet.console.print(safe(problem.advice, "bold red"))


VIEWS: Mapping[str, View] = {
    "keys create": _show_made,
    "keys list": _show_ring,
    "keys revoke": _show_revoked,
    "audit": _show_audit,
}
