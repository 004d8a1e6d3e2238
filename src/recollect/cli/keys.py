"""Commands for access: keys with their scopes, and the audit log."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias, cast

import typer

from recollect.cli import options
from recollect.cli.errors import FAILED, PanelGroup
from recollect.cli.formatting import ago, clock, counted, day, minute
from recollect.cli.json_output import fields_of
from recollect.cli.options import argument, example, flag, one_of, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.cli.values import moment_or_none
from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import PERMISSIONS, Permission

if TYPE_CHECKING:
    from rich.text import Text

    from recollect.authorization import Key
    from recollect.cli.view import View
    from recollect.model.stats import AuditLine, Problem

KeyState: TypeAlias = Literal["live", "expired", "revoked"]

_PANEL = "Access"
_SCOPES = ", ".join(PERMISSIONS)
_ID: Final = re.compile(r"[ls]?[0-9a-f]{1,16}")
_MOST_SHOWN: Final = 5
_MOST_ITEMS = 3
_SOON = timedelta(days=2)
_STYLES = {"live": "green", "expired": "yellow", "revoked": "dim"}

key_commands = CommandSet("Commands", group=typer.Typer(cls=PanelGroup, no_args_is_help=True))
audit_commands = CommandSet(_PANEL)
commands = CommandSet(_PANEL)
commands.typer.add_typer(key_commands.typer, name="keys", rich_help_panel=_PANEL)
commands.typer.add_typer(audit_commands.typer)


@key_commands.typer.callback(epilog=example("recollect keys create --user anna", "recollect keys list"))
def keys(ctx: typer.Context, *, json: options.JsonOption = False) -> None:
    """Make, list and revoke keys.

    A key lets a program or a person do what its scopes say, for the user it belongs to: over HTTP, over MCP, and here,
    if RECOLLECT_KEY holds it. A user who can open the store needs none.
    """
    ctx.obj = ctx.obj._replace(json=ctx.obj.json or json)


class KeyWithState(NamedTuple):
    """A key, and whether it still works."""

    key: "Key"
    state: KeyState

    @classmethod
    def at(cls, key: "Key", now: datetime) -> "KeyWithState":
        """Judge a key at a moment."""
        if key.revoked_at is not None and not key.closed_by_expiry:
            return cls(key, "revoked")
        return cls(key, "live" if key.is_live(now) else "expired")

    def document(self) -> dict[str, object]:
        figures = fields_of(self.key)
        named = {"id": figures.pop("id"), "name": figures.pop("name"), "user": figures.pop("user_id") or None}
        return {**named, **figures, "state": self.state}


class CreatedKey(NamedTuple):
    """A key that was just made, and the secret that its owner must keep."""

    key: KeyWithState
    secret: str

    def document(self) -> dict[str, object]:
        return {**self.key.document(), "secret": self.secret}


@key_commands.command(
    "admin",
    creates=True,
    examples=(
        "recollect keys create --user anna --name laptop",
        "recollect keys create --user anna --scopes read --expires 90d",
        "recollect keys create --name operations --scope admin",
    ),
)
def create(
    context: CommandContext,
    *,
    owner: Annotated[
        str | None,
        option(
            "NAME", "Whose key it is; the user of the settings unless you say. An admin's belongs to no user.", "--user"
        ),
    ] = None,
    name: Annotated[str | None, option("TEXT", "What the key is for, so that you know it again.")] = None,
    scope: Annotated[
        list[str] | None,
        option(
            "SCOPE",
            f"What it may do; may be repeated, or several with commas. Of {_SCOPES}; all but admin unless you say.",
            "--scope",
            "--scopes",
            autocompletion=one_of(PERMISSIONS),
        ),
    ] = None,
    expires: Annotated[
        str | None, option("TIME", "When it ends: a time, or a span such as 90d; never unless said.")
    ] = None,
) -> CommandResult[CreatedKey]:
    """Make a key, and show it this once.

    The store keeps only a hash of it. A key belongs to one user; one with the scope admin belongs to no user and may do
    everything, for all users.
    """
    scopes = _parse_scopes(scope)
    user = context.user_named if owner is None else owner
    if owner is None and not user and "admin" not in scopes:
        user = context.settings.user
    spans = "90d, never, or "
    expires_at = None if expires is None else moment_or_none(expires, "expires", context.now, "ahead", spans)
    made = context.memory.keys.create(name or "", user=user, scopes=scopes, expires_at=expires_at, actor=context.actor)
    return CommandResult(CreatedKey(KeyWithState.at(made.key, context.now), made.secret), _show_created)


def _parse_scopes(typed: Sequence[str] | None) -> tuple[Permission, ...]:
    """Parse scopes, one or several to a word; which there are is checked where keys are made."""
    from recollect.api.keys import USUAL_SCOPES

    if not typed:
        return USUAL_SCOPES
    words = [word.strip() for text in typed for word in text.split(",")]
    return tuple(cast("Permission", word) for word in words if word)


def _show_created(view: "View", created: CreatedKey) -> None:
    key = created.key.key
    owner = f"for {key.user_id}" if key.user_id else "for the admin, for all users"
    end = f"It expires at {clock(key.expires_at, view.now)}." if key.expires_at else "It does not expire."
    view.line(f"A key {owner}: {', '.join(key.scopes)}. {end}")
    view.line(f"\n  {created.secret}\n", "bold", soft_wrap=True)
    view.line("Keep it now: the store has only a hash of it, so it cannot be shown again.", "yellow")
    view.line("To use it:       RECOLLECT_KEY=... for commands and `recollect mcp`;")
    view.line("                 `Authorization: Bearer ...` for a service")
    view.line(f"To take it back: recollect keys revoke {key.id}")


@key_commands.command("admin", name="list", examples=("recollect keys list",))
def list_keys(context: CommandContext) -> CommandResult[tuple[KeyWithState, ...]]:
    """List all keys, revoked and expired ones too; links to the page and sessions of browsers while they last.

    Whose they are, what they may do, when they were used last and when they end. What makes them open anything is not
    there to be shown.
    """
    keys = tuple(KeyWithState.at(key, context.now) for key in context.memory.keys.list())
    return CommandResult(keys, _show_keys, under="keys")


def _show_keys(view: "View", keys: tuple[KeyWithState, ...]) -> None:
    if not keys:
        view.line("No keys yet. `recollect keys create --user NAME` makes one.")
        return
    table = view.grid("name", "name", "text")
    for key, state in keys:
        used = f"used {ago(key.last_used_at, view.now)}" if key.last_used_at else "never used"
        times = f"made {ago(key.created_at, view.now)} · {used} · {_ending(key, view.now)}"
        details = view.stack(view.text(_title(key)), view.text(times, "dim"))
        table.add_row(key.id, view.text(state, _STYLES[state]), details)
    view.print(table)


def _title(key: "Key") -> str:
    whose = key.user_id or "all users"
    return " · ".join(part for part in (key.name, whose, " ".join(key.scopes)) if part)


def _ending(key: "Key", now: datetime) -> str:
    if key.revoked_at and not key.closed_by_expiry:
        return f"revoked {ago(key.revoked_at, now)}"
    if key.expires_at is None:
        return "does not expire"
    if key.expires_at <= now or key.closed_by_expiry:
        return f"expired {ago(key.expires_at, now)}"
    soon = key.expires_at - now < _SOON
    return f"expires {minute(key.expires_at, now) if soon else day(key.expires_at, now)}"


@key_commands.command("admin", examples=("recollect keys revoke 3f2a9c01b7d4e865", "recollect keys revoke 3f2a"))
def revoke(
    context: CommandContext,
    id: Annotated[str, argument("ID", "The id of the key, as `keys list` shows it, or how it begins.")],
) -> CommandResult[KeyWithState]:
    """Let a key open nothing any more.

    From this moment on, whatever is asked with it is refused, by services that are running as well. It stays in the
    list, and in the log of what was done with it.
    """
    ids = [key.id for key in context.memory.keys.list()]
    revoked = context.memory.keys.revoke(_matching_id(id, ids), actor=context.actor)
    return CommandResult(KeyWithState.at(revoked, context.now), _show_revoked)


def _matching_id(typed: str, ids: Sequence[str]) -> str:
    """Find the id that begins like this. Of a whole key only the id is looked at, and none of the rest repeated."""
    start = typed.strip().removeprefix("rk_").partition("_")[0].lower()
    if not _ID.fullmatch(start):
        raise NotFound("No such key: ids are made of up to 16 of the letters 0-9 and a-f. See `recollect keys list`.")
    matching = [key_id for key_id in ids if key_id.startswith(start)]
    if len(matching) > 1:
        named = ", ".join(matching[:_MOST_SHOWN]) + (", ..." if len(matching) > _MOST_SHOWN else "")
        raise InvalidInput(f"{len(matching)} keys begin with {start}: {named}. Type more of it.")
    if not matching:
        raise NotFound(f"No key {start}. See which there are with `recollect keys list`.")
    return matching[0]


def _show_revoked(view: "View", revoked: KeyWithState) -> None:
    view.line(f"Revoked: {_title(revoked.key)}. From now on it opens nothing.")
    view.line(revoked.key.id, "dim")


class AuditEntry(NamedTuple):
    """A line of the audit log, with the name of its key, if the key has one."""

    line: "AuditLine"
    key_name: str

    def document(self) -> dict[str, object]:
        return {**fields_of(self.line), "key_name": self.key_name}


class AuditLog(NamedTuple):
    """What was done for a user, or with keys if `user` is None; oldest first."""

    user: str | None
    lines: tuple[AuditEntry, ...]


class AuditCheck(NamedTuple):
    """What is wrong with the logs of all users and of the keys."""

    problems: "tuple[Problem, ...]"

    def document(self) -> dict[str, object]:
        return {"intact": not self.problems, "problems": self.problems}


@audit_commands.command(
    "admin",
    busy="Reading the log",
    examples=("recollect audit", "recollect audit --for anna --last 100", "recollect audit --verify"),
)
def audit(
    context: CommandContext,
    *,
    owner: Annotated[str | None, option("NAME", "Whose memories it was done to, instead of --user.", "--for")] = None,
    keys: Annotated[bool, flag("--keys", "Show what was done with keys instead.")] = False,
    last: Annotated[int, option("N", "How many of the newest lines; 0 shows all of them.", min=0)] = 20,
    verify: Annotated[bool, flag("--verify", "Check that no user's log was changed after it was written.")] = False,
) -> CommandResult[Any]:
    """Show who did what, and when.

    A line for each change that came through a door: with which key, to which items, never what they say. Each line
    holds a hash of the one before it. With --verify all logs are checked; exits with 1 when one is not as it was
    written.
    """
    memory = context.memory
    if owner is not None and keys:
        raise InvalidInput(
            "--for shows what was done for a user, and --keys what was done with keys: name one of them."
        )
    if verify:
        if owner is not None or keys:
            raise InvalidInput("--verify checks the logs of all users and of the keys: leave out --for and --keys.")
        problems = memory.operations.audit_problems()
        return CommandResult(AuditCheck(problems), _show_check, FAILED if problems else 0)
    whose = context.me if owner is None else memory.user(owner)  # which insists on the name of a user
    user = None if keys else whose.user_id
    names = {key.id: key.name for key in memory.keys.list()}
    lines = memory.operations.audit_log(user or "", last=last)
    return CommandResult(
        AuditLog(user, tuple(AuditEntry(line, names.get(line.actor, "")) for line in lines)), _show_log
    )


def _show_log(view: "View", log: AuditLog) -> None:
    if not log.lines:
        done = "with keys" if log.user is None else f"for {log.user}"
        view.line(f"Nothing was done {done} yet.")
        return
    table = view.grid("mark", "name", "text")
    for entry in log.lines:
        table.add_row(f"{entry.line.number}", clock(entry.line.done_at, view.now), view.stack(*_described(view, entry)))
    view.print(table)
    view.line(f"last hash {log.lines[-1].line.hash}", "dim", soft_wrap=True)


def _described(view: "View", entry: AuditEntry) -> "Iterator[Text]":
    line = entry.line
    who = f"{entry.key_name} ({line.actor})" if entry.key_name else line.actor
    yield view.text(f"{line.action} · {counted(line.amount, 'item', 'items')} · {who}")
    for item in line.items[:_MOST_ITEMS]:
        yield view.text(item, "dim")
    more = line.amount - min(len(line.items), _MOST_ITEMS)
    if line.items and more:
        yield view.text(f"and {more:,} more", "dim")


def _show_check(view: "View", check: AuditCheck) -> None:
    if not check.problems:
        view.line("Every log is as it was written.", "green")
    for problem in check.problems:
        view.line(problem.advice, "bold red")
