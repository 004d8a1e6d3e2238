"""The command that runs the Slack bot."""

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import option
from recollect.cli.runner import CommandContext, CommandSet
from recollect.errors import SettingsError

if TYPE_CHECKING:
    from recollect_connect.integrations.slack import ServedBot

commands = CommandSet("Servers")
_API = "https://slack.com/api/"
_DELIVER_S = 15.0


@commands.command("admin", creates=True, examples=("recollect slack", "recollect slack --port 3000"))
def slack(
    context: CommandContext,
    *,
    host: Annotated[str, option("ADDRESS", "Where to listen for requests of Slack.")] = "127.0.0.1",
    port: Annotated[
        int | None, option("N", "Which port; without one the bot opens a socket to Slack.", min=0, max=65_535)
    ] = None,
    bot_token: Annotated[
        str, option("TOKEN", "The bot's token; SLACK_BOT_TOKEN says it.", envvar="SLACK_BOT_TOKEN", show_envvar=False)
    ] = "",
    app_token: Annotated[
        str,
        option("TOKEN", "For Socket Mode; SLACK_APP_TOKEN says it.", envvar="SLACK_APP_TOKEN", show_envvar=False),
    ] = "",
    signing_secret: Annotated[
        str,
        option("SECRET", "For HTTP; SLACK_SIGNING_SECRET says it.", envvar="SLACK_SIGNING_SECRET", show_envvar=False),
    ] = "",
    api_url: Annotated[
        str, option("URL", "The API of Slack; SLACK_API_URL says it.", envvar="SLACK_API_URL", show_envvar=False)
    ] = _API,
    shared_channel: Annotated[
        list[str] | None,
        option("ID=SCOPE", "A channel in which the bot works in a shared scope; may be repeated."),
    ] = None,
) -> None:
    """Run a Slack bot.

    Answers /memory-search, /memory-store, /memory-forget, mentions and the message action "Remember this", each person
    from a memory of their own, or from that of a shared channel. Needs pip install 'recollect[slack]'. Ctrl-C ends it.
    """
    needed = {"SLACK_BOT_TOKEN": bot_token}
    needed |= {"SLACK_APP_TOKEN": app_token} if port is None else {"SLACK_SIGNING_SECRET": signing_secret}
    missing = [name for name, value in needed.items() if not value]
    if missing:
        raise SettingsError(f"{' and '.join(missing)} must be set: the bot cannot talk to Slack without.")
    try:
        from recollect_connect.integrations import slack as bot
    except ImportError as error:
        raise SettingsError(str(error)) from error

    settings = bot.SlackSettings(bot_token, signing_secret, api_url, _shared_channels(shared_channel or ()))
    app = bot.make_app(context.memory, settings)
    with bot.spool_of(context.memory, settings).delivering(_DELIVER_S):
        if port is not None:
            bot.serve_http(app, signing_secret, host=host, port=port, ready=_listening)
            return
        handler = bot.serve_socket(app, app_token)
        typer.echo("Connected to Slack. Ctrl-C ends it.")
        try:
            Event().wait()
        finally:
            handler.close()  # type: ignore[no-untyped-call]


def _shared_channels(typed: Sequence[str]) -> dict[str, str]:
    """Give the scopes of channels by their ids."""
    pairs = [text.partition("=") for text in typed]
    for channel, _, scope in pairs:
        if not channel or not scope:
            raise SettingsError("--shared-channel takes the id of a channel and a scope, such as C0123=kitchen.")
    return {channel: scope for channel, _, scope in pairs}


def _listening(served: "ServedBot") -> None:
    typer.echo(f"Listening for Slack at {served.url}. Ctrl-C ends it.")
