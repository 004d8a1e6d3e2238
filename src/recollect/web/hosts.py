"""Names and origins, as they stand in headers and in settings. Plain functions: nothing is resolved, nothing is sent.

A header may hold anything. What is not well-formed has no name here (`None`), and what has none is never on a list.
"""

import re
from collections.abc import Iterable
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from recollect.errors import SettingsError

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_LABEL: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_AUTHORITY: Final = re.compile(
    rf"(?P<host>\[[0-9A-Fa-f:.]{{2,45}}\]|{_LABEL}(?:\.{_LABEL}){{0,126}}\.?)(?::(?P<port>[0-9]{{1,5}}))?"
)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}")
_LONGEST_NAME: Final = 253
_LARGEST_PORT: Final = 65_535
_USUAL_PORTS: Final = {"http": "80", "https": "443"}


class Hosts:
    """The names by which a service may be called: those of this machine, and those that were allowed."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        listed = [entry.strip() for entry in allowed]
        self._exact = frozenset(LOOPBACK) | {_listed_host(entry) for entry in listed if not entry.startswith("*.")}
        self._endings = tuple(f".{_listed_host(entry[2:])}" for entry in listed if entry.startswith("*."))

    def __contains__(self, host: str) -> bool:
        """Tell whether a name, as `host_of` gives it, is on the list."""
        return host in self._exact or host.endswith(self._endings)


class Origins:
    """The web origins whose pages may call a service."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._exact = frozenset(_listed_origin(entry.strip()) for entry in allowed)

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self._exact)

    def __contains__(self, origin: str) -> bool:
        """Tell whether an origin, as a header spells it, is on the list."""
        return origin_of(origin) in self._exact


def host_of(header: str) -> str | None:
    """Give the host of a Host header, in lower case and without its port; None if the header is malformed."""
    parts = _parts(header)
    return parts[0] if parts else None


def origin_of(text: str) -> str | None:
    """Give an origin as browsers spell it: lower case, without the usual port. None if it is malformed, or `null`."""
    scheme, _, authority = text.partition("://")
    parts = _parts(authority)
    if parts is None or not _SCHEME.fullmatch(scheme):
        return None
    host, port = parts
    scheme = scheme.lower()
    return f"{scheme}://{host}" if port in ("", _USUAL_PORTS.get(scheme)) else f"{scheme}://{host}:{port}"


def _parts(authority: str) -> tuple[str, str] | None:
    match = _AUTHORITY.fullmatch(authority)
    if not match or len(match["host"]) > _LONGEST_NAME:
        return None
    if match["port"] and int(match["port"]) > _LARGEST_PORT:
        return None
    port = str(int(match["port"])) if match["port"] else ""
    if not match["host"].startswith("["):
        return match["host"].lower(), port
    try:
        return f"[{IPv6Address(match['host'][1:-1]).compressed}]", port
    except AddressValueError:
        return None


def _listed_host(entry: str) -> str:
    host = host_of(f"[{entry}]") if entry.count(":") > 1 and not entry.startswith("[") else host_of(entry)
    if host is None:
        raise SettingsError(
            f"serve.allowed_hosts holds {entry!r}, which is no name of a host. "
            "Expected names such as memory.example.org, *.example.org or 192.168.1.7."
        )
    return host


def _listed_origin(entry: str) -> str:
    origin = origin_of(entry)
    if origin is None:
        raise SettingsError(
            f"serve.allowed_origins holds {entry!r}, which is no web origin. "
            "Expected a scheme, a host and perhaps a port, such as https://app.example.org."
        )
    return origin
