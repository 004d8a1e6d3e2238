"""Runs commands. A command is a typed function: it gets a `CommandContext`, works, and returns a value with its view.

Databases, NumPy and rich take longer to import than typer itself, and help needs none of them. So modules of commands
import at their top only what is light; the context and the functions bring the rest when a command runs.
"""

import gc
import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

import typer

from recollect.cli.errors import Command, command_name
from recollect.cli.options import GlobalOptions, JsonOption, example
from recollect.cli.permissions import CommandPermissions, admit
from recollect.cli.verb_options import arguments, verb_of, with_options
from recollect.clock import SystemClock
from recollect.errors import InvalidInput
from recollect.model.literals import Permission

if TYPE_CHECKING:
    from rich.console import Console

    from recollect.api.memory import Memory, UserMemory
    from recollect.cli.progress import ProgressReporter
    from recollect.cli.view import View
    from recollect.settings import Settings

Value = TypeVar("Value")
Action = TypeVar("Action", bound="Callable[..., CommandResult[Any] | None]")

_JSON: Final = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption)
_CTX: Final = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)


class CommandResult(NamedTuple, Generic[Value]):
    """What a command found, how people see it, and the exit code. None: everything was reported while it ran.

    In JSON it stands under the name `under`, if there is one.
    """

    value: Value
    show: "Callable[[View, Value], None]"
    exit_code: int = 0
    under: str = ""

    def document(self) -> object:
        """Give what programs are shown."""
        return {self.under: self.value} if self.under else self.value


class CommandContext:
    """What a command works with: the open store, the user, the settings and the terminal, each made at first use.

    `user_named` is the user that was typed before the command, and `actor` the caller's id for the audit log.
    """

    def __init__(
        self,
        command: str,
        typed: GlobalOptions,
        *,
        as_json: bool,
        background_worker: bool = False,
        creates: bool = False,
    ) -> None:
        from recollect.authorization import LOCAL

        self.command = command
        self.typed = typed
        self.as_json = as_json
        self.clock = SystemClock()
        self._now: datetime = self.clock.now()
        self.user_named = typed.user or ""
        self.actor = LOCAL.id
        self._background_worker = background_worker
        self._creates = creates
        self._settings: Settings | None = None
        self._memory: Memory | None = None
        self._me: UserMemory | None = None
        self._console: Console | None = None
        self._progress: ProgressReporter | None = None

    @classmethod
    def for_memory(cls, memory: "Memory", now: datetime) -> "CommandContext":
        """Work on a store that is open already, as its default user."""
        context = cls("", GlobalOptions(), as_json=True)
        context._memory, context._settings = memory, memory.settings
        context._me = memory.user(memory.settings.user)
        context._now = now
        return context

    @property
    def settings(self) -> "Settings":
        """The settings, with what was typed before the command."""
        if self._settings is None:
            self._settings = self.load_settings(self.typed.database)
        return self._settings

    @property
    def now(self) -> datetime:
        """The moment at which the command began, in the user's time zone."""
        return self._on_clock(self._now, self._me.zone if self._me else self.settings.timezone)

    @property
    def present(self) -> datetime:
        """The present moment, in the user's time zone; before there are settings, in the machine's."""
        return self._on_clock(self.clock.now(), self._settings.timezone if self._settings else "")

    @staticmethod
    def _on_clock(moment: datetime, zone: str) -> datetime:
        from recollect.settings.kinds import zone_named

        return moment.astimezone(zone_named(zone))

    def load_settings(self, database: str | None) -> "Settings":
        """Load the settings for a database that was typed; the settings decide when none was."""
        from recollect.settings import load_settings

        given = {"database": database, "user": self.typed.user, "timezone": self.typed.zone}
        overrides = {name: value for name, value in given.items() if value is not None}
        return load_settings(self.typed.config, overrides=overrides)

    @property
    def memory(self) -> "Memory":
        """The open store. Most commands end before a worker thread could do much, so it usually has none."""
        if self._memory is None:
            from recollect.api.memory import Memory

            settings = self.settings
            if not self._background_worker:
                settings = replace(settings, embedding=replace(settings.embedding, worker=False))
            self._memory = Memory.open(settings=settings, create=self._creates)
        return self._memory

    @property
    def me(self) -> "UserMemory":
        """The memory of the user for whom the caller was admitted."""
        if self._me is None:
            raise LookupError("the command declares no permission, so it has no user")
        return self._me

    def admit(self, *needed: Permission) -> None:
        """Authorize the caller; from then on there is a user. Raises UnknownKey or NotPermitted."""
        from recollect.api.memory import AuditedWrite

        principal, user_id = admit(self.memory, *needed, named=self.user_named)
        self.actor = principal.id
        audit, scope = AuditedWrite(principal.id, self.command), self.typed.scope
        me = self.memory.user(user_id, audit=audit, agent="recollect", zone=self.typed.zone or "")
        if scope is not None and "admin" in needed:
            raise InvalidInput("--scope means nothing to this command: it is about the whole store.")
        self._me = me if scope is None else me.scope(scope)

    @property
    def console(self) -> "Console":
        """Standard output as a terminal."""
        if self._console is None:
            from recollect.cli.view import open_console

            self._console = open_console()
        return self._console

    @property
    def progress(self) -> "ProgressReporter":
        """Reports how far long work is: on the terminal, or in JSON lines."""
        if self._progress is None:
            from recollect.cli.progress import JsonProgress, TerminalProgress

            self._progress = JsonProgress() if self.as_json else TerminalProgress(self.console, lambda: self.present)
        return self._progress

    @property
    def can_ask(self) -> bool:
        """Whether a user at a terminal can be asked."""
        return not self.as_json and sys.stdin is not None and sys.stdin.isatty()

    def ask(self, question: str) -> bool:
        """Ask at the terminal; anything but a yes is a no. Standard output stays free for the answer."""
        sys.stderr.write(f"{question} [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def busy(self, doing: str) -> AbstractContextManager[object]:
        """Show that a long command is at work, on a terminal."""
        if not doing or self.as_json or not self.console.is_terminal:
            return nullcontext()
        return self.console.status(f"{doing}…")

    def close(self) -> None:
        """Close the store, if it was opened."""
        if self._memory is not None:
            self._memory.close()


class CommandSet:
    """Declares the commands of one help panel."""

    def __init__(self, panel: str, cls: type[Command] = Command, group: typer.Typer | None = None) -> None:
        self.typer = group or typer.Typer()
        self._panel = panel
        self._cls = cls

    def command(
        self,
        *permissions: Permission,
        examples: tuple[str, ...],
        verb: str = "",
        takes: tuple[str, ...] = (),
        sets: tuple[str, ...] = (),
        name: str | None = None,
        when_given: Mapping[str, Permission] | None = None,
        free: str = "",
        busy: str = "",
        opens_store: bool = True,
        worker_with: str = "",
        creates: bool | None = None,
    ) -> Callable[[Action], Action]:
        """Declare a command and the permissions it needs; `when_given` adds those of options.

        It has the parameters of the `verb`, or only those that it `takes`, but for those that it `sets`, and gets what
        it does not name as `**given`.
        A command that is `free` needs none and says why. `busy` is shown while it works. Without `opens_store` it
        checks its permission itself. The option `worker_with` keeps the worker thread of the store. Only commands that
        may write make a store where none is, unless `creates` says so.
        """
        rule = CommandPermissions(permissions, when_given or {}, free, creates)
        opens = opens_store and not free

        def declare(action: Action) -> Action:
            groups = _option_groups(action)
            own = [*inspect.signature(action).parameters][1:]

            def run(ctx: typer.Context, **given: Any) -> None:  # noqa: ANN401 - as typer calls it
                as_json = given.pop("json") or ctx.obj.json
                worker = bool(worker_with and given[worker_with])
                context = CommandContext(
                    command_name(ctx),
                    ctx.obj,
                    as_json=as_json,
                    background_worker=worker,
                    creates=rule.makes_store(given),
                )
                needed = rule.needed(given) if opens else ()
                grouped = _grouped(given, groups)

                def work() -> CommandResult[Any] | None:
                    typed = arguments(verb_of(verb), grouped, own, lambda: context.now) if verb else grouped
                    return action(context, **typed)

                raise typer.Exit(_run(context, needed, work, busy))

            run.__name__, run.__doc__ = action.__name__, action.__doc__
            run.__signature__ = inspect.Signature([_CTX])  # type: ignore[attr-defined]
            run.whole_signature = lambda: _signature(action, verb, takes, sets)  # type: ignore[attr-defined]
            run.permissions, run.verb, run.action = rule, verb, action  # type: ignore[attr-defined]
            run.offers = lambda name: name not in sets and (not takes or name in takes)  # type: ignore[attr-defined]
            self.typer.command(name, cls=self._cls, rich_help_panel=self._panel, epilog=example(*examples))(run)
            return action

        return declare


def _run(
    context: CommandContext, needed: tuple[Permission, ...], work: Callable[[], CommandResult[Any] | None], busy: str
) -> int:
    """Carry out a command and print its value: as a JSON document, or as people read it."""
    from recollect.cli.json_output import print_document, tolerate_any_text

    tolerate_any_text()
    with context.busy(busy):
        try:
            if needed:
                context.admit(*needed)
            if not gc.isenabled():
                gc.freeze()
                gc.enable()
            result = work()
        finally:
            context.close()
    if result is None or result.value is None:
        pass
    elif context.as_json:
        print_document(result.document())
    else:
        from recollect.cli.view import View

        with View.on(context.console, context.present) as view:
            result.show(view, result.value)
    sys.stdout.flush()  # here, where a broken pipe is still expected
    return result.exit_code if result else 0


def _option_groups(action: Callable[..., object]) -> dict[str, Any]:
    """Give the parameters whose type is a named tuple of options."""
    annotations = inspect.get_annotations(action)
    return {name: kind for name, kind in annotations.items() if hasattr(kind, "_field_defaults") and name != "return"}


def _grouped(given: Mapping[str, Any], groups: Mapping[str, Any]) -> dict[str, Any]:
    """Gather the options of each group into one value."""
    members = {field for kind in groups.values() for field in kind._fields}
    single = {name: value for name, value in given.items() if name not in members}
    return single | {name: kind(**{field: given[field] for field in kind._fields}) for name, kind in groups.items()}


def _signature(
    action: Callable[..., object], verb: str, takes: tuple[str, ...], sets: tuple[str, ...]
) -> inspect.Signature:
    """Give the parameters as typer reads them: those of the verb, groups spread out, and `--json` last."""
    groups = _option_groups(action)
    own = [*inspect.signature(action).parameters.values()][1:]
    parameters = [_CTX]
    for parameter in with_options(verb_of(verb), own, only=takes, but=sets) if verb else own:
        group = groups.get(parameter.name)
        if group is None:
            parameters.append(parameter)
            continue
        for name, annotation in group.__annotations__.items():
            default = group._field_defaults[name]
            parameters.append(inspect.Parameter(name, _JSON.kind, default=default, annotation=annotation))
    return inspect.Signature([*sorted(parameters, key=lambda one: one.kind), _JSON])


def given_text(text: str) -> str:
    """Give a text as it was typed, or what standard input holds."""
    return read_standard_input() if text == "-" else text


def read_standard_input() -> str:
    """Read all of standard input."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"Standard input is not UTF-8: byte {error.start} cannot be read.") from None
