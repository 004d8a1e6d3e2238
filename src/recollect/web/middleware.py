"""The middleware of the service, from the outside in.

request id, security headers   on every answer
access log                     every request is logged and no failure escapes
request framing                it is clear where the request ends
host check                     before anything is done for a page that may not call
authentication                 before the body is read
gzip                           of answers, except streams
body limits                    the body, read and counted; then the application
"""

import logging
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Final

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp

from recollect.settings.sections import ServeSettings
from recollect.web.access_log import AccessLogMiddleware, JsonLogFormatter, log_to_stderr, route_of
from recollect.web.body_limits import BodyLimitMiddleware
from recollect.web.headers import RequestIdMiddleware, SecurityHeadersMiddleware
from recollect.web.host_check import AllowedHosts, AllowedOrigins, HostCheckMiddleware
from recollect.web.limits import BodyLimits
from recollect.web.request_framing import RequestFramingMiddleware

LOG: Final = logging.getLogger("recollect.service")
_GZIP_MIN_BYTES: Final = 1024
_GZIP_LEVEL: Final = 1  # a tenth larger than the smallest, in less than half the time


def add_middleware(
    app: ASGIApp,
    settings: ServeSettings,
    limits: BodyLimits | None = None,
    *,
    authenticate: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> ASGIApp:
    """Put the middleware around an application. Raises SettingsError when a list of hosts or origins is wrong."""
    limited = BodyLimitMiddleware(app, limits or BodyLimits())
    compressed = GZipMiddleware(limited, minimum_size=_GZIP_MIN_BYTES, compresslevel=_GZIP_LEVEL)
    hosts, origins = AllowedHosts(_host_names(settings)), AllowedOrigins(settings.allowed_origins)
    checked = RequestFramingMiddleware(HostCheckMiddleware(authenticate(compressed), hosts, origins))
    return RequestIdMiddleware(SecurityHeadersMiddleware(AccessLogMiddleware(checked, LOG, route_of)))


def start_logging(settings: ServeSettings) -> None:
    """Log failures to standard error as JSON lines, and requests if the settings say so."""
    log_to_stderr(LOG, JsonLogFormatter(), requests=settings.access_log)


def _host_names(settings: ServeSettings) -> Iterator[str]:
    """Give the allowed names, and the loopback address that is listened on."""
    yield from settings.allowed_hosts
    try:
        address = ip_address(settings.host)
    except ValueError:  # a name: other machines may resolve it too
        return
    if address.is_loopback:
        yield settings.host
