"""Commands for shared scopes: who is a member of which."""

from typing import TYPE_CHECKING, Annotated, NamedTuple, cast

import typer

from recollect.cli import options
from recollect.cli.errors import PanelGroup
from recollect.cli.formatting import ago, counted
from recollect.cli.options import argument, example, one_of, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.cli.view import View
    from recollect.model.scopes import Membership, ScopeRole, SharedScope
    from recollect.model.search import Forgotten

_PANEL = "Access"

scope_commands = CommandSet("Commands", group=typer.Typer(cls=PanelGroup, no_args_is_help=True))
commands = CommandSet(_PANEL)
commands.typer.add_typer(scope_commands.typer, name="scope", rich_help_panel=_PANEL)

ScopeArgument = Annotated[str, argument("NAME", "The shared scope, such as family.")]
MemberArgument = Annotated[str, argument("USER", "The user.")]


@scope_commands.typer.callback(
    epilog=example("recollect scope add family anna --role writer", "recollect --user anna --scope family list")
)
def scope(ctx: typer.Context, *, json: options.JsonOption = False) -> None:
    """Share memory between users: scopes and their members.

    Members find what is in a scope among their own. To store in one, name it before a command: --scope family.
    """
    ctx.obj = ctx.obj._replace(json=ctx.obj.json or json)


class RemovedMember(NamedTuple):
    """A user who is a member no more."""

    scope: str
    user: str


class DeletedScope(NamedTuple):
    """A scope that was deleted, and what went with it; None when it was kept."""

    scope: str
    forgotten: "Forgotten | None"


@scope_commands.command("admin", creates=True, examples=("recollect scope add family anna --role writer",))
def add(
    context: CommandContext,
    name: ScopeArgument,
    member: MemberArgument,
    *,
    role: Annotated[
        str,
        option(
            "ROLE",
            "reader: searches it. writer: also stores, changes and forgets in it.",
            autocompletion=one_of(["reader", "writer"]),
        ),
    ] = "reader",
) -> CommandResult["Membership"]:
    """Make a user a member of a scope, or give a member another role.

    The scope is there as soon as it has a member. From then on the user's searches include it.
    """
    added = context.memory.scopes.add(name, member, role=cast("ScopeRole", role), actor=context.actor)
    said = f"{added.user_id} is a {added.role} of {added.scope}."
    return CommandResult(added, lambda view, _: view.line(said))


@scope_commands.command("admin", examples=("recollect scope remove family ben",))
def remove(context: CommandContext, name: ScopeArgument, member: MemberArgument) -> CommandResult[RemovedMember]:
    """Remove a member of a scope, who has no access from that moment on.

    What they stored in the scope stays there.
    """
    context.memory.scopes.remove(name, member, actor=context.actor)
    said = f"{member} is no member of {name} any more."
    return CommandResult(RemovedMember(name, member), lambda view, _: view.line(said))


@scope_commands.command("admin", name="list", examples=("recollect scope list",))
def list_scopes(context: CommandContext) -> "CommandResult[tuple[SharedScope, ...]]":
    """List all scopes with their members, also those that have none left."""
    return CommandResult(context.memory.scopes.list(), _show_scopes, under="scopes")


def _show_scopes(view: "View", scopes: "tuple[SharedScope, ...]") -> None:
    rows = [
        (shared.name, ", ".join(f"{member.user_id} ({member.role})" for member in shared.members) or "no members")
        for shared in scopes
    ]
    _show_rows(view, rows, "No shared scopes yet. `recollect scope add NAME USER` makes one.")


def _show_rows(view: "View", rows: "Sequence[tuple[str, str]]", nothing: str) -> None:
    if not rows:
        view.line(nothing)
        return
    table = view.grid("name", "text")
    for name, text in rows:
        table.add_row(name, view.text(text))
    view.print(table)


@scope_commands.command("admin", examples=("recollect scope members family",))
def members(context: CommandContext, name: ScopeArgument) -> "CommandResult[tuple[Membership, ...]]":
    """List the members of a scope, with their roles and since when."""
    return CommandResult(context.memory.scopes.members(name), _show_members, under="members")


@scope_commands.command("read", examples=("recollect --user anna scope mine",))
def mine(context: CommandContext) -> "CommandResult[tuple[Membership, ...]]":
    """List the scopes that the user is a member of."""
    found = context.me.scopes()
    rows = [(one.scope, one.role) for one in found]
    return CommandResult(found, lambda view, _: _show_rows(view, rows, "No shared scopes."), under="members")


def _show_members(view: "View", members: "tuple[Membership, ...]") -> None:
    rows = [(one.user_id, f"{one.role}, added {ago(one.added_at, view.now)}") for one in members]
    _show_rows(view, rows, "No members.")


@scope_commands.command("admin", examples=("recollect scope delete family --yes",))
def delete(context: CommandContext, name: ScopeArgument, *, yes: options.Yes = False) -> CommandResult[DeletedScope]:
    """Forget a scope for good, with all that is in it and all memberships."""
    context.memory.scopes.members(name)
    if not yes and not context.can_ask:
        raise InvalidInput(f"Forgetting all of {name} needs --yes when there is no terminal to ask on.")
    if not yes and not context.ask(f"Forget all that is in {name} for good?"):
        return CommandResult(DeletedScope(name, None), _show_deleted)
    return CommandResult(DeletedScope(name, context.memory.scopes.delete(name, actor=context.actor)), _show_deleted)


def _show_deleted(view: "View", deleted: DeletedScope) -> None:
    if deleted.forgotten is None:
        view.line(f"Kept {deleted.scope}.")
        return
    view.line(f"Deleted {deleted.scope}, with {counted(len(deleted.forgotten.ids), 'item', 'items')}.")
