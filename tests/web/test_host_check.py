"""Which names and which web pages get through."""

import json
import re
from ipaddress import IPv6Address

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.errors import SettingsError
from recollect.web.host_check import (
    AllowedHosts,
    AllowedOrigins,
    HostCheckMiddleware,
    check_listen_address,
    parse_host,
    parse_origin,
)
from recollect.web.server import ServerError
from tests.rows import every
from tests.sizes import sized
from tests.web.conftest import LOCAL, Answer, ask, empty, serving, typed

HOSTS = AllowedHosts(["memory.example.org", "*.Example.net", "192.168.1.7:9000", "fe80::1"])
ORIGINS = AllowedOrigins(["https://app.example.org", "http://localhost:3000", "tauri://localhost"])
LISTED = frozenset({"localhost", "127.0.0.1", "[::1]", "memory.example.org", "192.168.1.7", "[fe80::1]"})
CALLERS = HostCheckMiddleware(empty, HOSTS, ORIGINS)


def called(*headers: tuple[str, str], method: str = "GET") -> Answer:
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    return ask(CALLERS, method, headers=pairs)


def from_page(*headers: tuple[str, str], method: str = "GET") -> Answer:
    return called(("host", "localhost"), *headers, method=method)


@every(
    "host",
    [
        "localhost",
        "LocalHost:1",
        "127.0.0.1:8787",
        "[::1]",
        "[::1]:8787",
        "[0:0:0:0:0:0:0:1]:80",
        "memory.example.org",
        "MEMORY.example.ORG:443",
        "a.example.net",
        "a.b.EXAMPLE.net:65535",
        "192.168.1.7",
        "192.168.1.7:1",
        "[FE80::1]",
    ],
)
def test_a_listed_name_gets_through(host: str) -> None:
    assert called(("host", host)).status == 204


@every(
    "host",
    [
        "evil.example",
        "example.org",
        "example.net",
        "xexample.net",
        "memory.example.org.evil.example",
        "evil-memory.example.org",
        "localhost.",
        "memory.example.org.",
        "localhost.evil.example",
        "127.0.0.2",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0.0.0.0",  # noqa: S104 - a name like any other
        "[::]",
        "[::ffff:127.0.0.1]",
        "[fe80::2]",
        "192.168.1.70",
    ],
)
def test_another_name_is_misdirected(host: str) -> None:
    answer = called(("host", host))
    assert answer.status == 421
    assert "serve.allowed_hosts" in json.loads(answer.body)["detail"]
    assert host.encode() not in answer.body


@every(
    "host",
    [
        "",
        " localhost",
        "localhost ",
        "user@localhost",
        "user:secret@localhost:80",
        "localhost:",
        "localhost:port",
        "localhost:65536",
        "localhost:-1",
        "localhost:8787:8787",
        "localhost/",
        "localhost,evil.example",
        "localhost\\",
        "http://localhost",
        "..",
        ".localhost",
        "local..host",
        "*.example.net",
        "::1",
        "[::1",
        "[::1]x",
        "[:::1]",
        "[::1%25lo]",
        "[127.0.0.1]",
        "l\xf6calhost",
        "localhost\x00",
        "a" * 64,
        ".".join(["a" * 60] * 5),
    ],
)
def test_what_is_no_name_is_a_bad_request(host: str) -> None:
    assert called(("host", host)).status == 400


def test_one_name_is_needed_and_only_one() -> None:
    assert called().status == 400
    assert called(("host", "localhost"), ("host", "localhost")).status == 400
    assert called(("host", "localhost"), ("host", "evil.example")).status == 400


@every(
    ("request_lines", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost", b"204"),
        (b"GET / HTTP/1.1\r\nHost: evil.example", b"421"),
        (b"GET / HTTP/1.1\r\nHost: a@localhost", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example", b"400"),
        (b"GET / HTTP/1.1\r\nX-Forwarded-Host: localhost\r\nHost: evil.example", b"421"),
        (b"GET / HTTP/1.1", b"400"),
        (b"GET / HTTP/1.0", b"400"),
        (b"GET http://localhost/ HTTP/1.1\r\nHost: evil.example", b"421"),
    ],
)
def test_over_http_it_is_the_same(request_lines: bytes, status: bytes) -> None:
    with serving(CALLERS) as http:
        answer = typed(http, request_lines + b"\r\nConnection: close\r\n\r\n")
    assert answer.split()[1] == status


# What may pass, said in another way than the code says it.
PASSING_HOST = re.compile(
    r"(localhost|127\.0\.0\.1|192\.168\.1\.7|memory\.example\.org|([a-z0-9_-]+\.)+example\.net|\[(?P<six>[0-9a-f:.]+)\])"
    r"(:[0-9]{1,5})?",
    re.IGNORECASE | re.ASCII,
)
PASSING_ORIGIN = re.compile(
    r"https://app\.example\.org(:0*443)?|http://localhost:0*3000|tauri://localhost", re.IGNORECASE | re.ASCII
)
names = st.sampled_from([*sorted(LISTED), "example.net", "a.example.net", "app.example.org", "evil.example", "*"])
glue = st.sampled_from(
    ["", ".", ":", ":80", ":443", ":3000", "@", "/", "[", "]", " ", "\n", "\x00", "%", "*", ",", "\\", "\xb2", "::1"]
)
tricks = st.lists(st.one_of(names, glue), max_size=6).map("".join)
pages = st.tuples(st.sampled_from(["https", "http", "tauri", "HTTPS", "null", ""]), tricks).map("://".join)


@settings(max_examples=sized(200, 1_000))
@given(st.one_of(st.text(), tricks, st.binary().map(lambda raw: raw.decode("latin-1"))))
@example("localhost\n")
@example("localhost:\u0661")
@example("\u212aitchen.example.net")
def test_no_header_breaks_it_and_none_is_let_in_that_is_not_listed(header: str) -> None:
    host = parse_host(header)
    if host is not None and host in HOSTS:
        passing = PASSING_HOST.fullmatch(header)
        assert passing
        assert passing["six"] is None or IPv6Address(passing["six"]) in (IPv6Address("::1"), IPv6Address("fe80::1"))


@settings(max_examples=sized(200, 1_000))
@given(st.one_of(st.text(), tricks, pages, st.just("null")))
def test_no_origin_breaks_it_and_none_is_let_in_that_is_not_listed(header: str) -> None:
    assert (header in ORIGINS) == (PASSING_ORIGIN.fullmatch(header) is not None)
    assert header not in AllowedOrigins()


@given(st.text())
def test_an_origin_is_spelled_in_one_way(text: str) -> None:
    origin = parse_origin(text)
    assert origin is None or parse_origin(origin) == origin


@every("origin", ["https://app.example.org", "http://localhost:3000", "tauri://localhost"])
def test_the_page_of_a_listed_origin_may_read_the_answer(origin: str) -> None:
    answer = from_page(("origin", origin), ("sec-fetch-site", "cross-site"))
    assert answer.status == 204
    assert (answer.headers["access-control-allow-origin"], answer.headers["vary"]) == (origin, "Origin")
    assert "access-control-allow-credentials" not in answer.headers


@every(
    "origin",
    [
        "null",
        "",
        "*",
        "https://evil.example",
        "http://app.example.org",
        "https://app.example.org:444",
        "https://app.example.org.evil.example",
        "https://app.example.org/",
        "https://app.example.org@evil.example",
        "https://x.app.example.org",
        "http://localhost:8787",
        "https://app.example.org, https://evil.example",
    ],
)
def test_another_page_is_refused_whatever_it_asks(origin: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = from_page(("origin", origin), ("access-control-request-method", "POST"), method=method)
        assert answer.status == 403
        assert not any(name.startswith("access-control-") for name in answer.headers)


@every("origin", ["http://localhost", "https://localhost"])
def test_the_own_page_may_call_and_nothing_is_opened_to_others(origin: str) -> None:
    answer = from_page(("origin", origin))
    assert answer.status == 204
    assert not any(name.startswith("access-control-") for name in answer.headers)


def test_two_origins_are_none() -> None:
    assert from_page(("origin", "https://app.example.org"), ("origin", "https://app.example.org")).status == 403


def test_a_page_is_seen_by_what_browsers_say_of_it() -> None:
    assert from_page(("sec-fetch-site", "cross-site")).status == 403
    assert from_page(("sec-fetch-site", "none"), ("sec-fetch-site", " Cross-Site ")).status == 403
    assert from_page(("sec-fetch-site", "none")).status == 204
    assert from_page(("sec-fetch-site", "same-origin")).status == 204


def test_a_listed_page_is_told_what_it_may_send() -> None:
    asked = (("origin", "https://app.example.org"), ("access-control-request-method", "PATCH"))
    answer = from_page(*asked, method="OPTIONS")
    assert answer.status == 204
    assert answer.headers["access-control-allow-methods"] == "GET, POST, PATCH, DELETE"
    allowed = answer.headers["access-control-allow-headers"].split(", ")
    wanted = "Authorization Content-Type Idempotency-Key X-Recollect-User If-Match If-None-Match Last-Event-ID"
    assert set(wanted.split()) <= set(allowed)
    assert answer.headers["access-control-allow-origin"] == "https://app.example.org"


def test_without_a_page_nothing_is_said_about_pages() -> None:
    assert ask(CALLERS, headers=LOCAL).headers == {}


@every("entry", ["", "*", "*.", "*.*.example", "https://example.org", "a b", "user@host", "[::1"])
def test_a_list_of_hosts_that_cannot_be_meant_is_refused(entry: str) -> None:
    with pytest.raises(SettingsError, match=r"serve\.allowed_hosts"):
        AllowedHosts([entry])


@every("entry", ["", "*", "null", "example.org", "https://example.org/", "https://*.example.org"])
def test_a_list_of_origins_that_cannot_be_meant_is_refused(entry: str) -> None:
    with pytest.raises(SettingsError, match=r"serve\.allowed_origins"):
        AllowedOrigins([entry])


@every("host", ["0.0.0.0", "::", "0", "192.168.1.7", "fe80::1", "10.0.0.1"])  # noqa: S104 - refused
def test_an_open_address_needs_names(host: str) -> None:
    with pytest.raises(ServerError, match=r"serve\.allowed_hosts.*--allow-host.*RECOLLECT_SERVE_ALLOWED_HOSTS"):
        check_listen_address(host, ())
    with pytest.raises(ServerError):
        check_listen_address(host, [""])
    check_listen_address(host, ["memory.example.org"])


@every("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost", "127.1"])
def test_this_machine_needs_no_names(host: str) -> None:
    check_listen_address(host, ())


def test_a_name_counts_as_what_it_means(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(2, 1, 6, "", ("127.0.0.1", 0)), (2, 1, 6, "", ("192.168.1.7", 0))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_options: both)
    with pytest.raises(ServerError, match="box can be reached from other machines"):
        check_listen_address("box", ())


def test_a_name_that_means_nothing_is_refused_too() -> None:
    with pytest.raises(ServerError, match=r"nowhere\.invalid is no address of this machine"):
        check_listen_address("nowhere.invalid", ())
