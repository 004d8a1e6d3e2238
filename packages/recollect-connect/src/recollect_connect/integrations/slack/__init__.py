"""A Slack bot: search, store and forget from Slack, each person their own memory.

people     whose memory a request means
replies    what the bot says
bot        commands, mentions and the message action
server     requests of Slack over HTTP, or over a socket that the bot opens
"""

try:
    import slack_bolt  # noqa: F401 - says below what is missing
except ImportError as error:
    raise ImportError(
        "recollect.integrations.slack needs a package that is not there: pip install 'recollect[slack]'."
    ) from error

from recollect_connect.integrations.slack.bot import SlackSettings, make_app, spool_of
from recollect_connect.integrations.slack.server import ServedBot, http_app, serve_http, serve_socket

__all__ = ["ServedBot", "SlackSettings", "http_app", "make_app", "serve_http", "serve_socket", "spool_of"]
