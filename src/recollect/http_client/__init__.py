"""HTTP exchanges with language models, embedding providers and geocoders: deadlines, retries, circuit breaker.

The invariant: the key goes to the configured host in one header and nowhere else; not to another host, because no
redirect is followed, and not into a message, because what a server says is searched for it first. Importing this loads
no HTTP library; the first question does.
"""

from recollect.http_client.address import ApiKey, checked_url
from recollect.http_client.circuit_breaker import BreakerOpen, BreakerPass, CircuitBreaker
from recollect.http_client.connection import HttpConnection, retry_after_s
from recollect.http_client.endpoint import Endpoint, RetryPolicy
from recollect.http_client.exchange import HttpRequest, HttpResponse, RawResponse
from recollect.http_client.failures import RemoteError, Transient

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
    "checked_url",
    "retry_after_s",
]
