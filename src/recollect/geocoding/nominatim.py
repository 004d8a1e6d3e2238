"""A Nominatim server, asked for one place at a time.

The invariant: a question is over when its time is, waiting for one's turn included, and no coordinates leave the
machine that are more exact than a street.
"""

import math
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import urlencode, urlsplit

from recollect.errors import GeocoderUnavailable
from recollect.geocoding.rate_limit import RequestPacer, TooBusy, is_own
from recollect.http_client import (
    ApiKey,
    CircuitBreaker,
    Endpoint,
    HttpRequest,
    HttpResponse,
    RemoteError,
    RetryPolicy,
    Transient,
    checked_url,
)
from recollect.model.geo import STREET, distance_km
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL, Located

Answer = TypeVar("Answer")

MOST_BYTES: Final = 256 * 1024

_FAILURES: Final = 3  # in a row, and the server is left in peace for a while
_OUR_FAULT: Final = (400, 414, 422)  # a question that it does not take says nothing about the next one
_MOST_PLACES: Final = 40  # that Nominatim gives
_STREETS: Final = 16  # how much of an address is asked for: more exact than that the coordinates are not
_TURN: Final = 0.5  # share of the time that may go by before it is one's turn; the rest is for the answer
_ADVICE: Final = {
    400: "Check places.language.",
    401: "It wants a login, which Recollect has none of. Use another server.",
    403: "It may have had enough of us: see its usage policy, or run a server of your own.",
    404: "Check places.nominatim_url.",
    429: "It is asked too often: lower places.requests_per_s, or run a server of your own.",
}

_NOWHERE: Final = "unable to geocode"
_REGIONS: Final = ("state", "region", "province", "state_district", "county")
_DEGREES: Final = re.compile(r"[+-]?\d{1,3}(\.\d{1,30})?")
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")
_LONGEST_SHOWN: Final = 60


class NominatimGeocoder:
    """Asks `{url}/reverse` and `{url}/search`. Threads may share one; nothing is opened before the first question."""

    remote: Final = True

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float = 2.0,
        requests_per_s: float = 1.0,
        language: str = "",
        breaker: CircuitBreaker | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take note of where to ask. `requests_per_s` is for servers outside of one's own network."""
        base = checked_url(url, "Nominatim (places.nominatim_url)", "http://127.0.0.1:8080")
        paced = 0.0 if is_own(urlsplit(base).hostname or "") else requests_per_s
        self._timeout_s = timeout_s
        self._language = language.strip()
        self._pacer = RequestPacer(paced, monotonic=monotonic, sleep=sleep)
        self._breaker = breaker or CircuitBreaker(failures=_FAILURES)
        self._endpoint = Endpoint(
            base,
            ApiKey(),
            RetryPolicy(timeout_s, retries=0),
            advice=_ADVICE,
            breaker=self._breaker,
            trips=lambda error: error.status not in _OUR_FAULT,
        )

    def __repr__(self) -> str:
        return f"NominatimGeocoder({self.name!r})"

    @property
    def name(self) -> str:
        """Which one it is: by the host that is asked."""
        return f"nominatim@{self._endpoint.host}"

    def reverse(self, lat: float, lng: float) -> Located | None:
        """Say where coordinates are; None where the server knows nothing. Raises GeocoderUnavailable."""
        about = STREET.rounded(lat, lng)
        asked = {"lat": f"{about.lat:.5f}", "lon": f"{about.lng:.5f}", "zoom": str(_STREETS)}
        return self._ask("/reverse", asked, lambda received: read_reverse(received, lat, lng))

    def find(self, name: str, limit: int = 5) -> tuple[Located, ...]:
        sought = " ".join(name.split())[:LONGEST_ADDRESS]
        most = min(limit, _MOST_PLACES)
        if not sought or most < 1:
            return ()
        asked = {"q": sought, "limit": str(most)}
        return self._ask("/search", asked, lambda received: read_search(received, most))

    def close(self) -> None:
        """Give back the connections. Asking again would open new ones."""
        self._endpoint.close()

    def _ask(self, path: str, asked: dict[str, str], read: Callable[[HttpResponse], Answer]) -> Answer:
        fields = {"format": "jsonv2", "addressdetails": "1", **asked}
        if self._language:
            fields["accept-language"] = self._language
        query = urlencode(fields, errors="replace")
        left_s = self._timeout_s - self._waited_s()
        request = HttpRequest(f"{path}?{query}", MOST_BYTES, method="GET", repeatable=False, timeout_s=left_s)
        try:
            return self._endpoint.ask(request, read)
        except RemoteError as error:
            if error.retry_after_s and error.attempts:
                self._pacer.hold(error.retry_after_s)
            raise GeocoderUnavailable(error.reason, error.retry_after_s) from error

    def _waited_s(self) -> float:
        """Wait for the rate limit, unless the circuit breaker is open anyway; returns the seconds waited."""
        if self._breaker.wait_s:
            return 0.0
        try:
            return self._pacer.wait(_TURN * self._timeout_s)
        except TooBusy as busy:
            raise GeocoderUnavailable(
                f"{self._endpoint.host} is asked as often as places.requests_per_s allows; it is the next question's "
                f"turn in {busy.wait_s:.1f} s.",
                busy.wait_s,
            ) from None


# What Nominatim answers, read strictly: whatever is not as its manual says is no answer.


def read_reverse(received: HttpResponse, lat: float, lng: float) -> Located | None:
    """Read what is at coordinates; None where the server knows nothing. Raises Transient for nonsense."""
    body = received.parsed()
    error = body.get("error")
    if isinstance(error, str) and _NOWHERE in error.lower():
        return None
    if error is not None:
        raise Transient(f"{received.host} answered with an error: {received.complaint}")
    found = _located(body, received.host)
    return found._replace(distance_km=distance_km(lat, lng, found.lat, found.lng))


def read_search(received: HttpResponse, limit: int) -> tuple[Located, ...]:
    """Read the places of a name. Raises Transient for nonsense."""
    body = received.value()
    if not isinstance(body, list):
        raise Transient(f"{received.host} answered with JSON that is no list: {received.complaint}")
    return tuple(_located(_object(each, received.host), received.host) for each in body[:limit])


def _located(said: Mapping[str, Any], host: str) -> Located:
    lat, lng = _degrees(said, "lat", 90, host), _degrees(said, "lon", 180, host)
    display_name = said.get("display_name")
    address = _line(display_name) if isinstance(display_name, str) else ""
    if not address:
        raise Transient(f"{host} answered with a place whose display_name is {_shown(display_name)}, which is no text")
    parts = said.get("address")
    parts = {} if parts is None else _object(parts, host)
    country_code = _text(parts, "country_code")
    if len(address) > LONGEST_ADDRESS:  # then as much as may be kept, up to a comma if it has one there
        kept = address[: LONGEST_ADDRESS + 1].rpartition(",")[0].rstrip(" ,")
        address = kept or address[:LONGEST_ADDRESS].rstrip()
    return Located(
        lat=lat,
        lng=lng,
        name=_text(said, "name") or address.partition(",")[0][:LONGEST_LABEL].strip(),
        region=next(filter(None, (_text(parts, key) for key in _REGIONS)), ""),
        country=_text(parts, "country"),
        country_code=country_code.upper() if _COUNTRY.fullmatch(country_code) else "",
        address=address,
    )


def _object(said: object, host: str) -> Mapping[str, Any]:
    if not isinstance(said, dict):
        raise Transient(f"{host} answered with {_shown(said)} where an object was expected")
    return said


def _degrees(said: Mapping[str, Any], field: str, most: int, host: str) -> float:
    """Read a coordinate, which Nominatim writes as a string."""
    value = said.get(field)
    if isinstance(value, str) and _DEGREES.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > most:
        raise Transient(f"{host} answered with {_shown(said.get(field))} as {field}, which is no coordinate")
    return float(value)


def _text(said: Mapping[str, Any], field: str) -> str:
    value = said.get(field)
    return _line(value)[:LONGEST_LABEL].strip() if isinstance(value, str) else ""


def _line(text: str) -> str:
    """Give a text on one line, without what cannot be printed."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _shown(value: object) -> str:
    return _line(repr(value)[:_LONGEST_SHOWN])
