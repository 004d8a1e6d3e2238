"""What Nominatim answers, read strictly: whatever is not as its manual says is no answer."""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.http_client import HttpResponse, Transient
from recollect.model.geo import distance_km
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL, Located

_NOWHERE: Final = "unable to geocode"
_REGIONS: Final = ("state", "region", "province", "state_district", "county")
_DEGREES: Final = re.compile(r"[+-]?\d{1,3}(\.\d{1,30})?")
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")
_LONGEST_SHOWN: Final = 60


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
    return Located(
        lat=lat,
        lng=lng,
        name=_text(said, "name") or address.partition(",")[0][:LONGEST_LABEL].strip(),
        region=next(filter(None, (_text(parts, key) for key in _REGIONS)), ""),
        country=_text(parts, "country"),
        country_code=country_code.upper() if _COUNTRY.fullmatch(country_code) else "",
        address=_cut(address),
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


def _cut(address: str) -> str:
    """Give as much of an address as may be kept, up to a comma if it has one there."""
    if len(address) <= LONGEST_ADDRESS:
        return address
    kept = address[: LONGEST_ADDRESS + 1].rpartition(",")[0].rstrip(" ,")
    return kept or address[:LONGEST_ADDRESS].rstrip()


def _shown(value: object) -> str:
    return _line(repr(value)[:_LONGEST_SHOWN])
