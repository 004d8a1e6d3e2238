"""Making sure that the E5 server runs the model that a store's vectors were made with."""

from collections.abc import Mapping
from typing import Any, Final

from recollect.embedding.provider import ProviderProfile
from recollect.errors import ProviderUnavailable
from recollect.http_client import Endpoint, HttpRequest, HttpResponse, RemoteError

_MOST_BYTES: Final = 65_536
_NOT_FOUND: Final = 404


def greet_e5(endpoint: Endpoint, profile: ProviderProfile) -> None:
    """Ask `GET /health` who is there. A server without it is believed to be the right one."""
    try:
        health = endpoint.ask(HttpRequest("/health", _MOST_BYTES, method="GET"), HttpResponse.parsed)
    except RemoteError as error:
        if error.status == _NOT_FOUND:
            return
        raise
    _require_model(health, endpoint, profile)
    dimension = health.get("dimension")
    if isinstance(dimension, int) and profile.dimensions not in {None, dimension}:
        raise ProviderUnavailable(
            f"The E5 server at {endpoint.host} makes vectors of {dimension} numbers, expected {profile.dimensions}. "
            "Start it with the model of this store, or set embedding.model."
        )


def _require_model(health: Mapping[str, Any], endpoint: Endpoint, profile: ProviderProfile) -> None:
    model = health.get("model")
    if isinstance(model, str) and model and _short(model) != _short(profile.model):
        raise ProviderUnavailable(
            f"The E5 server at {endpoint.host} runs {model}, expected {profile.model}. "
            "Start it with that model, or set embedding.model."
        )


def _short(model: str) -> str:
    return model.rpartition("/")[2].lower()
