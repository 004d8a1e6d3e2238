"""HTTP exchanges with language models, embedding providers and geocoders: deadlines, retries, circuit breaker.

The invariant: the key goes to the configured host in one header and nowhere else; not to another host, because no
redirect is followed, and not into a message, because what a server says is searched for it first. Importing this loads
no HTTP library; the first question does.
"""

from recollect.http_client.connection import HttpConnection, retry_after_s
from recollect.http_client.endpoint import BreakerOpen, BreakerPass, CircuitBreaker, Endpoint, RetryPolicy
from recollect.http_client.exchange import (
    ApiKey,
    HttpRequest,
    HttpResponse,
    RawResponse,
    RemoteError,
    Transient,
    by_index,
    checked_url,
    listed,
)

__all__ = [
    "ApiKey",
    "BreakerOpen",
    "BreakerPass",
    "CircuitBreaker",
    "Endpoint",
    "HttpConnection",
    "HttpRequest",
    "HttpResponse",
    "RawResponse",
    "RemoteError",
    "RetryPolicy",
    "Transient",
    "by_index",
    "checked_url",
    "listed",
    "retry_after_s",
]
