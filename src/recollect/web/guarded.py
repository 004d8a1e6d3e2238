"""All guards around one application, from the outside in.

numbers and headers   on every answer, whoever gives it
journal               so that each is noted and no failure escapes
framing               whether it is clear where the request ends
callers               before anything is done for somebody who may not even call
lock                  whoever has no key, before their body is read
gzip                  of answers, except those that never end
gate                  the body, read and counted; then the application
"""

import logging
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Final

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp

from recollect.settings.serve import ServeSettings
from recollect.web.callers import Callers
from recollect.web.framing import Framing
from recollect.web.gate import Gate
from recollect.web.headers import RequestIds, SecurityHeaders
from recollect.web.hosts import Hosts, Origins
from recollect.web.journal import Journal, JsonLines, route_of, write_to_standard_error
from recollect.web.limits import BodyLimits

LOG: Final = logging.getLogger("recollect.service")
_WORTH_PACKING_BYTES: Final = 1024
_PACKING: Final = 1  # a tenth larger than the smallest, in less than half the time


def guarded(
    app: ASGIApp,
    settings: ServeSettings,
    limits: BodyLimits | None = None,
    *,
    lock: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> ASGIApp:
    """Put the guards around an application. Raises SettingsError when a list of them cannot be understood.

    `lock` puts the one before it that asks for a key.
    """
    gate = Gate(app, limits or BodyLimits())
    packed = GZipMiddleware(gate, minimum_size=_WORTH_PACKING_BYTES, compresslevel=_PACKING)
    callers = Callers(lock(packed), Hosts(_names(settings)), Origins(settings.allowed_origins))
    return RequestIds(SecurityHeaders(Journal(Framing(callers), LOG, route_of)))


def show_log(settings: ServeSettings) -> None:
    """Write failures to standard error, one JSON object per line, and requests if the settings say so."""
    write_to_standard_error(LOG, JsonLines(), requests=settings.access_log)


def _names(settings: ServeSettings) -> Iterator[str]:
    """Give the names that were allowed, and the loopback address that is listened on, whichever it is."""
    yield from settings.allowed_hosts
    try:
        address = ip_address(settings.host)
    except ValueError:  # a name: whether strangers can make it theirs is not known
        return
    if address.is_loopback:
        yield settings.host
