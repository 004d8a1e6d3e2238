"""Asking a server over HTTP, once and carefully: for language models and for whoever makes vectors.

The invariant: the key goes to the configured host in one header and nowhere else; not to another host, because no
redirect is followed, and not into a message, because what a server says is searched for it first. Importing this loads
no HTTP library; the first question does.
"""

from recollect.http_client.address import Key, checked_url
from recollect.http_client.breaker import Breaker, BreakerOpen, Pass
from recollect.http_client.endpoint import Endpoint, Patience
from recollect.http_client.exchange import Received, Request
from recollect.http_client.failures import RemoteError, Transient

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
