"""Commands that set up agents' programs: install, uninstall, and the hook that these programs run."""

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from recollect.cli.formatting import counted
from recollect.cli.options import argument, flag, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import InvalidInput, NotFound, SettingsError

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect_connect.hosts.host import FileChange, Host, InstallRequest, Machine

commands = CommandSet("Agents' programs")

_KEY_NAME = "hook"
_REFERENCE = re.compile(r"\$\{\w+\}")
_LATER = "(made by the installation)"

HostName = Annotated[
    str, argument("HOST", "Which program, such as `claude-code`; `recollect install --list` shows them.")
]
ScopeOption = Annotated[
    Literal["user", "project"], option("user|project", "For all your projects, or in the files of one.")
]
ProjectFolder = Annotated[str | None, option("FOLDER", "The project; by default the working directory.")]
DryRun = Annotated[bool, flag("--dry-run", "Show what would change, and change nothing.")]


class ChangedFile(NamedTuple):
    """A file that was changed, or would be."""

    path: str
    action: str
    diff: tuple[str, ...]


class InstallOutcome(NamedTuple):
    """What an installation or its reverse changed."""

    host: str
    title: str
    dry_run: bool
    files: tuple[ChangedFile, ...]
    notes: tuple[str, ...]


class HostState(NamedTuple):
    """A host, where it was found, and the files in which Recollect is installed."""

    host: str
    title: str
    found: str | None
    installed_in: tuple[str, ...]


class HostList(NamedTuple):
    """All hosts, the service they would use, and what waits for it."""

    hosts: tuple[HostState, ...]
    url: str
    service_answers: bool
    waiting: int
    refused: int
    dropped: int


class ConnectionOptions(NamedTuple):
    """Where the hooks find the service."""

    url: Annotated[str | None, option("URL", "Where the service is; that of the settings by default.")] = None
    key_file: Annotated[
        str | None, option("FILE", "A file with the key to use; by default a key that may read and write is made.")
    ] = None
    start_service: Annotated[
        bool, flag("--start-service", "Let a hook start the service on this machine when it is not running.")
    ] = False


@commands.command(
    free="It changes files of this user; making a key needs what `keys create` needs.",
    creates=True,
    examples=(
        "recollect install claude-code",
        "recollect install claude-code --scope project --dry-run",
        "recollect install codex --start-service",
        "recollect install openclaw --dry-run",
        "recollect install --list",
    ),
)
def install(
    context: CommandContext,
    host: Annotated[str | None, argument("HOST", "Which program, such as `claude-code`; --list shows them.")] = None,
    *,
    list_hosts: Annotated[bool, flag("--list", "Show the programs that were found, and what is installed.")] = False,
    scope: ScopeOption = "user",
    project: ProjectFolder = None,
    dry_run: DryRun = False,
    connection: ConnectionOptions,
) -> CommandResult[Any]:
    """Give an agent's program a memory.

    Adds Recollect's tools (MCP) to its configuration, and hooks that recall before a prompt and save after a turn. What
    else stands there is not touched; each file is kept as FILE.recollect-backup first. Twice has the effect of once.
    """
    if list_hosts or host is None:
        return CommandResult(_listed(), _show_hosts)
    from recollect_connect.hosts import changes, connection_file, host_named

    chosen, machine = host_named(host), _machine(project)
    request = replace(
        _request(context, scope),
        url=connection.url or "",
        key_file=_absolute(connection.key_file) or "",
        starts_service=connection.start_service,
    )
    plan = chosen.plan_install(machine, request)
    if not chosen.runs_hooks:
        if not dry_run:
            changes.install(plan.changes, chosen.installed_in(machine))
        return CommandResult(_outcome(chosen, plan.changes, plan.notes, dry_run=dry_run), _show_install)
    said = _connection(context, connection, dry_run=dry_run)
    every = (connection_file.plan_connection(said), *plan.changes)
    if not dry_run:
        changes.install(every[1:], chosen.installed_in(machine))
        changes.install(every[:1], [every[0].path])
    notes = (*plan.notes, *_tools_note(), *_service_note(starts=bool(said.get("start"))))
    return CommandResult(_outcome(chosen, every, notes, dry_run=dry_run), _show_install)


@commands.command(
    free="It changes files of this user; revoking a key needs what `keys revoke` needs.",
    examples=("recollect uninstall claude-code", "recollect uninstall claude-code --scope project --dry-run"),
)
def uninstall(
    context: CommandContext,
    host: HostName,
    *,
    scope: ScopeOption = "user",
    project: ProjectFolder = None,
    dry_run: DryRun = False,
) -> CommandResult[InstallOutcome]:
    """Take the memory out of an agent's program again.

    Removes what `install` added, and restores files to the byte if nothing else in them has changed. Memories stay.
    When no program of the user's uses the hooks any more, their key is revoked.
    """
    from recollect_connect.hosts import HOSTS, changes, host_named

    chosen, machine = host_named(host), _machine(project)
    plan = chosen.plan_uninstall(machine, scope)
    if not dry_run:
        changes.uninstall(plan.changes)
    every = [*plan.changes]
    others = [other for other in HOSTS if other.runs_hooks and (dry_run is False or other != chosen)]
    if scope == "user" and chosen.runs_hooks and not any(other.installed_in(machine) for other in others):
        every += _disconnected(context, dry_run=dry_run)
    return CommandResult(_outcome(chosen, every, plan.notes, dry_run=dry_run), _show_uninstall)


@commands.command(
    free="The service checks the key of the connection.",
    examples=(
        "recollect hook claude-code    # a program runs it, with an event as JSON on standard input",
        "recollect hook claude-code --verbose < event.json",
    ),
)
def hook(
    context: CommandContext,  # noqa: ARG001 - as every command has it
    host: Annotated[str, argument("HOST", "The program that runs it.")] = "claude-code",
    *,
    connection: Annotated[
        str | None, option("FILE", "Where the service is, if it does not stand in your hook.json.")
    ] = None,
    verbose: Annotated[bool, flag("--verbose", "Say on standard error what went wrong.")] = False,
) -> None:
    """Serve one event of an agent's program.

    Asks a running service, and prints what the program should show to its model. Whatever fails, it prints nothing and
    ends with success, and keeps what it was to save until the service is there.
    """
    from recollect_connect.hook_client.main import run

    words = [host, *(["--connection", connection] if connection else []), *(["--verbose"] if verbose else [])]
    run(words)


def _machine(project: str | None) -> "Machine":
    from recollect_connect.hosts.host import Machine

    folder = Path(project).expanduser() if project else None
    if folder is not None and not folder.is_dir():
        raise NotFound(f"{folder} is no folder.")
    return Machine.here(folder)


def _request(context: CommandContext, scope: Literal["user", "project"]) -> "InstallRequest":
    """Say how Recollect is started. A project's files are for others, too, so they name the program without a path."""
    from recollect.settings import hide_password
    from recollect_connect.hosts.host import InstallRequest

    typed = context.typed
    if typed.database and hide_password(bare := _REFERENCE.sub("", typed.database)) != bare:
        raise InvalidInput(
            "The password in --database would stand in the files of other programs. Write ${NAME} in its place, in "
            "single quotes, and set NAME where the program starts; or set the database in recollect.toml or ~/.pgpass."
        )
    named = {"--database": _absolute(typed.database), "--user": typed.user, "--config": _absolute(typed.config)}
    options = tuple(word for name, value in named.items() if value for word in (name, value))
    if scope == "project":
        return InstallRequest(scope, options=options)
    return InstallRequest(scope, _program(), options, hook_program=_hook_program())


def _absolute(path: str | None) -> str | None:
    return path if not path or "://" in path else str(Path(path).expanduser().absolute())


def _program() -> tuple[str, ...]:
    """Give what starts this program: its script by its whole path, or else the module."""
    script = Path(sys.argv[0])
    beside = Path(sys.executable).with_name("recollect")
    for path in (script if script.stem == "recollect" else beside, beside):
        if path.is_file():
            return (str(path.absolute()),)
    return (sys.executable, "-m", "recollect")


def _hook_program() -> tuple[str, ...]:
    """Give the script for hooks, if it is beside that of this program; Windows runs no scripts without an ending."""
    script = Path(_program()[0]).with_name("recollect-hook")
    return (str(script),) if script.is_file() and sys.platform != "win32" else ()


def _connection(context: CommandContext, given: ConnectionOptions, *, dry_run: bool) -> dict[str, Any]:
    """Give what the hook client is to know: what it knew, what was typed, and the settings for the rest."""
    from recollect_connect.hosts import connection_file

    said = connection_file.read_connection()
    settings = context.settings
    host = "127.0.0.1" if settings.serve.host in ("0.0.0.0", "::", "") else settings.serve.host  # noqa: S104 - not bound
    default = f"http://{f'[{host}]' if ':' in host else host}:{settings.serve.port}"
    said["url"] = given.url or said.get("url") or default
    said["user"] = context.user_named or said.get("user") or settings.user
    if given.start_service:
        port = str(connection_file.port_of(said["url"]))
        said["start"] = [*_program(), *_request(context, "user").options, "serve", "--port", port]
    if given.key_file:
        said = {name: value for name, value in said.items() if name not in ("key", "key_id")}
        said["key_file"] = _absolute(given.key_file)
    elif "key" not in said and "key_file" not in said:
        if not connection_file.is_local(said["url"]):
            raise InvalidInput(f"{said['url']} is on another machine. Name a file with a key for it: --key-file FILE.")
        said |= {"key": _LATER} if dry_run else _new_key(context, said["user"])
    return said


def _new_key(context: CommandContext, user: str) -> dict[str, str]:
    context.admit("admin")
    made = context.memory.keys.create(_KEY_NAME, user=user, scopes=("read", "write"), actor=context.actor)
    return {"key": made.secret, "key_id": made.key.id}


def _disconnected(context: CommandContext, *, dry_run: bool) -> "list[FileChange]":
    """Plan to delete the connection, and do so: its key opens nothing afterwards."""
    from recollect_connect.hosts import changes, connection_file

    plan = connection_file.plan_no_connection()
    key_id = connection_file.read_connection().get("key_id")
    if not dry_run:
        if key_id:
            with suppress(NotFound):  # of another store, or of one that is gone
                context.admit("admin")
                context.memory.keys.revoke(key_id, actor=context.actor)
        changes.uninstall([plan])
    return [plan]


def _tools_note() -> tuple[str, ...]:
    """Say what the tools need and is not installed."""
    from recollect.mcp import require_sdk

    try:
        require_sdk()
    except SettingsError as missing:
        return (f"The hooks work, the tools do not yet. {missing}",)
    return ()


def _service_note(*, starts: bool) -> tuple[str, ...]:
    from recollect_connect.hosts import connection_file

    if starts or connection_file.service_answers():
        return ()
    return ("No service answers yet: run `recollect serve`, or install with --start-service.",)


def _outcome(host: "Host", planned: "Sequence[FileChange]", notes: tuple[str, ...], *, dry_run: bool) -> InstallOutcome:
    files = tuple(_changed(change) for change in planned if change.has_effect)
    return InstallOutcome(host.name, host.title, dry_run, files, notes if files else ())


def _changed(change: "FileChange") -> ChangedFile:
    from recollect_connect.hosts.changes import diff_lines

    action = "deleted" if change.after is None else "created" if change.before is None else "changed"
    return ChangedFile(str(change.path), action, () if change.private else tuple(diff_lines(change)))


def _listed() -> HostList:
    from recollect_connect.hosts import HOSTS, connection_file

    machine = _machine(None)
    states = [
        HostState(host.name, host.title, str(found) if (found := host.find(machine)) else None, _files(host, machine))
        for host in HOSTS
    ]
    spooled = connection_file.spool_status()
    url = str(connection_file.read_connection().get("url", ""))
    return HostList(
        tuple(states), url, connection_file.service_answers(), spooled.waiting, spooled.refused, spooled.dropped
    )


def _files(host: "Host", machine: "Machine") -> tuple[str, ...]:
    return tuple(map(str, host.installed_in(machine)))


def _show_install(view: "View", outcome: InstallOutcome) -> None:
    if not outcome.files:
        view.line(f"Nothing to do: Recollect is installed in {outcome.title}.")
        return
    _show_files(view, outcome)
    if not outcome.dry_run:
        view.line(f"Installed in {outcome.title}. `recollect uninstall {outcome.host}` undoes it.", "green")
    for note in outcome.notes:
        view.line(note)


def _show_uninstall(view: "View", outcome: InstallOutcome) -> None:
    if not outcome.files:
        view.line(f"Nothing to do: Recollect is not installed in {outcome.title}.")
        return
    _show_files(view, outcome)
    if not outcome.dry_run:
        view.line(f"Removed from {outcome.title}. Memories stay where they are.", "green")


def _show_files(view: "View", outcome: InstallOutcome) -> None:
    for path, action, diff in outcome.files:
        view.line(f"{f'would be {action}' if outcome.dry_run else action}: {path}", soft_wrap=True)
        for line in diff if outcome.dry_run else ():
            view.line(line, "green" if line[:1] == "+" else "red" if line[:1] == "-" else "dim", soft_wrap=True)


def _show_hosts(view: "View", listed: HostList) -> None:
    table = view.grid("name", "text")
    for state in listed.hosts:
        found = f"found: {state.found}" if state.found else "not found"
        installed = [f"installed: {file}" for file in state.installed_in]
        table.add_row(state.host, view.stack(*(view.text(line) for line in (f"{state.title}, {found}", *installed))))
    view.print(table)
    if listed.url:
        view.line(f"Service: {listed.url}, which {'answers' if listed.service_answers else 'does not answer'}.")
    if listed.waiting or listed.refused:
        view.line(f"{counted(listed.waiting, 'request waits', 'requests wait')} for it; {listed.refused} were refused.")
    if listed.dropped:
        lost = counted(listed.dropped, "request was", "requests were")
        view.line(f"{lost} dropped because the spool was full.", "yellow")
