"""Asking a server over HTTP, once and carefully: for language models and for whoever makes vectors.

The invariant: the key goes to the configured host in one header and nowhere else; not to another host, because no
redirect is followed, and not into a message, because what a server says is searched for it first. Importing this loads
no HTTP library; the first question does.
"""

from recollect.remote.address import Key, checked_url
from recollect.remote.breaker import Breaker, BreakerOpen, Pass
from recollect.remote.endpoint import Endpoint, Patience
from recollect.remote.exchange import Received, Request
from recollect.remote.failures import RemoteError, Transient

__all__ = [
    "Breaker",
    "BreakerOpen",
    "Endpoint",
    "Key",
    "Pass",
    "Patience",
    "Received",
    "RemoteError",
    "Request",
    "Transient",
    "checked_url",
]
