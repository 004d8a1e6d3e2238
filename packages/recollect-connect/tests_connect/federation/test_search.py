"""Searching here and elsewhere: what is sent to whom, and what comes of nodes that are dead, slow or lying."""

import gc
import json
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.rows import every
from tests.waiting import PATIENCE_S

from recollect import Memory, UserMemory
from recollect.errors import InvalidInput, NotPermitted, SettingsError, StoreUnavailable
from recollect_connect.federation import FederatedResult, NodeReport, federated_search
from recollect_connect.federation.nodes import MOST_BYTES
from recollect_connect.federation.search import clients_of
from tests_connect.federation import server
from tests_connect.federation.conftest import KEY, MakeNode, OpenWith
from tests_connect.federation.server import Behaviour, answer, hit, says, sends

SOON_S = 0.3  # a budget for nodes that use it up


def report(found: FederatedResult, name: str) -> NodeReport:
    (told,) = [node for node in found.nodes if node.name == name]
    return told


def contents(found: FederatedResult) -> list[tuple[str, str]]:
    return [(hit.node, hit.content) for hit in found.hits]


def stored(memory: Memory, *texts: str) -> UserMemory:
    me = memory.user("anna")
    for text in texts:
        me.remember(text)
    return me


def test_answers_are_merged_and_labelled(node: MakeNode, open_with: OpenWith) -> None:
    office, attic = node("tea in the office", "Tea is nice!"), node("tea in the attic")
    memory = open_with(office=office, attic=attic)
    me = stored(memory, "tea is nice")
    found = federated_search(memory, me, "tea")
    assert contents(found) == [
        ("local", "tea is nice"),
        ("attic", "tea in the attic"),
        ("office", "tea in the office"),
    ]
    assert [hit.also_in for hit in found.hits] == [("office",), (), ()]
    assert [hit.trust for hit in found.hits] == [3, 0, 0]
    assert found.degraded == ()
    assert found.nodes == (NodeReport("attic", "answered", 1), NodeReport("office", "answered", 2))
    assert contents(federated_search(memory, me, "tea", limit=2)) == contents(found)[:2]


def test_a_node_is_sent_the_query_and_the_limit_and_its_own_key(node: MakeNode, open_with: OpenWith) -> None:
    office, attic = node(), node()
    memory = open_with(office=office, attic=attic)
    federated_search(memory, memory.user("anna"), ' "green tea" -milk\x00 ', limit=7)
    for name, asked in (("office", office), ("attic", attic)):
        (request,) = asked.requests
        assert request.path == "/api/context/search"
        assert request.body == {"query": '"green tea" -milk', "limit": 7}
        assert request.headers["Authorization"] == f"Bearer {KEY}-{name}"
        assert request.headers["Content-Type"] == "application/json"
        elsewhere = {key: value for key, value in request.headers.items() if key != "Authorization"}
        assert KEY not in json.dumps(elsewhere)
        assert "anna" not in json.dumps(dict(request.headers))


def test_nothing_is_sent_unless_a_node_is_enabled_for_the_user(node: MakeNode, open_with: OpenWith) -> None:
    office, attic = node("tea"), node("tea")
    memory = open_with(users="anna,ben", office=office, attic=attic)
    stranger, anna = memory.user("carl"), memory.user("anna")
    assert federated_search(memory, stranger, "tea").nodes == ()
    for names in (["office"], ["attic", "office"]):
        with pytest.raises(NotPermitted, match="is not enabled for the user 'carl'"):
            federated_search(memory, stranger, "tea", nodes=names)
    with pytest.raises(InvalidInput, match="Unknown node 'nowhere'"):
        federated_search(memory, anna, "tea", nodes=["office", "nowhere"])
    assert federated_search(memory, anna, "tea", nodes=()).nodes == ()
    assert federated_search(memory, anna, "tea", nodes=["local"]).nodes == ()
    assert office.requests == attic.requests == []
    assert contents(federated_search(memory, anna, "tea", nodes=["attic"])) == [("attic", "tea")]
    assert (len(office.requests), len(attic.requests)) == (0, 1)


@every(
    ("query", "limit"),
    [("", 5), (" \x00", 5), ("x" * 2_001, 5), ("tea", 0), ("tea", 101), ("tea", True), ("\ud800", 5)],
)
def test_a_question_that_cannot_be_asked_reaches_nobody(
    node: MakeNode, open_with: OpenWith, query: str, limit: int
) -> None:
    office = node("tea")
    memory = open_with(office=office)
    with pytest.raises(InvalidInput):
        federated_search(memory, memory.user("anna"), query, limit=limit)
    assert office.requests == []


def test_a_wrong_node_in_the_settings_is_said(open_with: OpenWith) -> None:
    memory = open_with(office="ftp://nowhere")
    with pytest.raises(SettingsError, match="the node office"):
        federated_search(memory, memory.user("anna"), "tea")


TOO_MANY = says(answer([hit(f"tea {number}") for number in range(10_000)]))
NAN = sends(json.dumps(answer([hit("tea", score=float("nan"))])).encode())
BAD: dict[str, tuple[Behaviour, str, str]] = {
    "wrong types": (says(answer([hit("tea", score="high")])), "lying", "hits[0].score is not a number from 0 to 1"),
    "not a number": (NAN, "lying", "hits[0].score"),
    "beyond all numbers": (
        sends(json.dumps(answer([hit("tea")])).replace("0.5", "1e999").encode()),
        "lying",
        "hits[0].score",
    ),
    "a long number": (sends(b'{"hits": ' + b"9" * 5_000 + b"}"), "lying", "not a JSON object"),
    "10,000 hits": (TOO_MANY, "lying", "at most the 10 that were asked for"),
    "a list": (says([hit("tea")]), "lying", "not a JSON object"),
    "html": (
        sends(b"<!DOCTYPE html><h1>Sign in</h1>", 200, {"Content-Type": "text/html"}),
        "lying",
        "not a JSON object",
    ),
    "invalid JSON": (sends(b'{"hits": ['), "lying", "not a JSON object"),
    "nothing": (sends(b""), "lying", "not a JSON object"),
    "deep": (sends(b"[" * 1_000_000), "lying", "not a JSON object"),
    "not UTF-8": (sends(b'{"hits": ["\xff"]}'), "lying", "not a JSON object"),
    "packed": (sends(b"\x1f\x8b\x08\x00", 200, {"Content-Encoding": "gzip"}), "lying", "not a JSON object"),
    "too long": (sends(b" " * (MOST_BYTES + 1)), "lying", "more than 4,194,304 bytes"),
    "endless": (server.never_ends, "lying", "more than 4,194,304 bytes"),
    "huge announcement": (server.announces_too_much, "lying", "more than 4,194,304 bytes"),
    "longer than announced": (server.announces_too_little, "lying", "not a JSON object"),
    "shorter than announced": (server.breaks_off, "failed", "could not be reached, or broke off"),
    "no HTTP": (lambda handler: handler.connection.sendall(b"\x00\x01nonsense\r\n\r\n"), "failed", "broke off"),
    "500": (sends(b"{}", 500), "failed", "answered with status 500"),
    "429": (sends(b"{}", 429, {"Retry-After": "1000"}), "failed", "answered with status 429"),
    "404": (sends(b"{}", 404), "failed", "answered with status 404"),
    "401": (sends(b"{}", 401), "refused", "does not accept the key (status 401)"),
    "403": (sends(b"{}", 403), "refused", "does not accept the key (status 403)"),
}


@every("kind", BAD)
def test_a_bad_node_costs_its_own_results_and_is_named(kind: str, node: MakeNode, open_with: OpenWith) -> None:
    behaviour, state, reason = BAD[kind]
    bad, good = node(), node("tea elsewhere")
    bad.behave(behaviour)
    memory = open_with(bad=bad, good=good)
    me = stored(memory, "tea here")
    found = federated_search(memory, me, "tea")
    assert contents(found) == [("local", "tea here"), ("good", "tea elsewhere")]
    assert found.degraded == ("node:bad",)
    told = report(found, "bad")
    assert (told.state, told.hits) == (state, 0)
    assert reason in told.reason
    assert len(bad.requests) == 1, "it is asked once"
    assert report(found, "good").state == "answered"


@every("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int, node: MakeNode, open_with: OpenWith) -> None:
    office, thief = node(), node("tea")
    office.behave(server.redirects(f"{thief.url}/api/context/search", status))
    memory = open_with(office=office)
    found = federated_search(memory, memory.user("anna"), "tea")
    assert report(found, "office") == NodeReport("office", "failed", reason=f"answered with status {status}")
    assert thief.requests == []


def test_huge_content_is_cut(node: MakeNode, open_with: OpenWith) -> None:
    office = node("tea " * 200_000)
    memory = open_with(office=office)
    (found,) = federated_search(memory, memory.user("anna"), "tea").hits
    assert len(found.content) < 100_001


def test_a_dead_node_costs_its_own_results(node: MakeNode, open_with: OpenWith) -> None:
    memory = open_with(dead=server.closed_port(), good=node("tea elsewhere"))
    found = federated_search(memory, stored(memory, "tea here"), "tea")
    assert contents(found) == [("local", "tea here"), ("good", "tea elsewhere")]
    assert found.degraded == ("node:dead",)
    assert report(found, "dead") == NodeReport("dead", "failed", reason="could not be reached, or broke off")


@pytest.mark.parametrize("slow", [server.hangs, server.trickles, server.trickles_headers])
def test_whoever_is_late_is_left_out(slow: Behaviour, node: MakeNode, open_with: OpenWith) -> None:
    late = [node() for _ in range(3)]
    for one in late:
        one.behave(slow)
    memory = open_with(budget_s=SOON_S, **{f"late{number}": one for number, one in enumerate(late)})
    me = stored(memory, "tea here")
    found = federated_search(memory, me, "tea")
    assert contents(found) == [("local", "tea here")]
    assert found.degraded == ("node:late0", "node:late1", "node:late2")
    assert {told.state for told in found.nodes} == {"late"}
    assert found.nodes[0].reason == "did not answer within 0.3 s"
    for thread in threading.enumerate():
        if thread.name == "recollect-node":
            thread.join(PATIENCE_S)
            assert not thread.is_alive(), "nobody goes on waiting for it"


def test_local_trouble_is_raised_and_named(
    node: MakeNode, open_with: OpenWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_with(office=node("tea"))
    me = memory.user("anna")

    def broken(*_: object, **__: object) -> None:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(type(me), "search_context", broken)
    with pytest.raises(StoreUnavailable):
        federated_search(memory, me, "tea")


def test_what_failed_here_and_there_is_told(
    node: MakeNode, open_with: OpenWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = node()
    office.behave(says(answer([hit("tea")], degraded=["vector"])))
    memory = open_with(office=office, dead=server.closed_port())
    me = memory.user("anna")
    search = type(me).search_context
    monkeypatch.setattr(
        type(me), "search_context", lambda *args, **more: replace(search(*args, **more), degraded=("vector",))
    )
    found = federated_search(memory, me, "tea")
    assert found.degraded == ("vector", "node:dead")
    assert report(found, "office") == NodeReport("office", "answered", 1, degraded=("vector",))


def test_a_node_that_keeps_failing_is_left_in_peace(node: MakeNode, open_with: OpenWith) -> None:
    office = node("tea")
    office.behave(NAN)
    memory = open_with(office=office)
    me = memory.user("anna")
    states = [federated_search(memory, me, "tea").nodes[0].state for _ in range(5)]
    assert states == ["lying"] * 3 + ["resting"] * 2
    assert len(office.requests) == 3


def test_a_question_that_a_node_does_not_take_says_nothing_about_the_next(node: MakeNode, open_with: OpenWith) -> None:
    office = node("tea")
    right = office.behaviour
    office.behave(sends(b"{}", 422))
    memory = open_with(office=office)
    me = memory.user("anna")
    assert {federated_search(memory, me, "tea").nodes[0].state for _ in range(5)} == {"failed"}
    office.behave(right)
    assert federated_search(memory, me, "tea").nodes[0].state == "answered"


def test_neither_keys_nor_queries_nor_content_are_logged(
    node: MakeNode, open_with: OpenWith, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = sends(json.dumps({"detail": f"no: SECRETQUERY {KEY}-echo"}).encode(), 500)
    office, liar, echoing = node("SECRETCONTENT"), node(), node()
    liar.behave(says(answer([hit("SECRETCONTENT", score="SECRETQUERY")])))
    echoing.behave(echo)
    memory = open_with(office=office, liar=liar, echo=echoing, dead=server.closed_port())
    found = federated_search(memory, memory.user("anna"), "SECRETQUERY")
    assert len(found.hits) == 1
    told = [*(record.getMessage() for record in caplog.records), *capfd.readouterr(), repr(found.nodes)]
    for secret in (KEY, "SECRETQUERY", "SECRETCONTENT"):
        assert not [line for line in told if secret in line]


def test_nodes_are_asked_at_the_same_time(node: MakeNode, open_with: OpenWith) -> None:
    meeting = threading.Barrier(4, timeout=PATIENCE_S)

    def meets(right: Behaviour) -> Behaviour:
        def behaviour(handler: server.Handler) -> None:
            meeting.wait()
            right(handler)

        return behaviour

    nodes = {f"node{number}": node(f"tea {number}") for number in range(4)}
    for one in nodes.values():
        one.behave(meets(one.behaviour))
    memory = open_with(budget_s=60, **nodes)
    assert len(federated_search(memory, memory.user("anna"), "tea").hits) == 4


def test_threads_may_search_at_once(node: MakeNode, open_with: OpenWith) -> None:
    memory = open_with(office=node("tea elsewhere"), attic=node("tea upstairs"))
    me = stored(memory, "tea here")
    found: list[FederatedResult] = []
    searchers = [threading.Thread(target=lambda: found.append(federated_search(memory, me, "tea"))) for _ in range(12)]
    for searcher in searchers:
        searcher.start()
    for searcher in searchers:
        searcher.join()
    assert len(found) == 12
    assert all(one == found[0] for one in found)
    assert len(found[0].hits) == 3


def test_lines_last_as_long_as_the_store(node: MakeNode, open_with: OpenWith, monkeypatch: pytest.MonkeyPatch) -> None:
    office = node("tea")
    memory = Memory.open(settings=open_with(office=office).settings)
    federated_search(memory, memory.user("anna"), "tea")
    lines = clients_of(memory)
    assert clients_of(memory) is lines
    line = lines._clients["office"]
    assert line._endpoint._connection._client is not None
    memory.close()
    del memory
    gc.collect()
    assert line._endpoint._connection._client is None


def test_a_line_in_use_is_closed_by_whoever_uses_it(node: MakeNode, open_with: OpenWith) -> None:
    office = node("tea")
    right, asked, go_on = office.behaviour, threading.Event(), threading.Event()

    def pauses(handler: server.Handler) -> None:
        asked.set()
        go_on.wait(PATIENCE_S)
        right(handler)

    office.behave(pauses)
    line = clients_of(open_with(office=office))._clients["office"]
    found: list[object] = []
    asking = threading.Thread(target=lambda: found.append(line.ask("tea", 60)[0].state))
    asking.start()
    assert asked.wait(PATIENCE_S)
    line.close()
    assert line._endpoint._connection._client is not None
    go_on.set()
    asking.join()
    assert found == ["answered"]
    assert line._endpoint._connection._client is None


def test_what_nobody_foresaw_costs_one_node(
    node: MakeNode, open_with: OpenWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_with(office=node("tea"), attic=node("tea upstairs"))
    line = clients_of(memory)._clients["office"]

    def broken(*_: object) -> Callable[[], None]:
        raise RuntimeError("SECRET")

    monkeypatch.setattr(line._endpoint, "ask", broken)
    found = federated_search(memory, memory.user("anna"), "tea")
    assert contents(found) == [("attic", "tea upstairs")]
    assert report(found, "office").reason == "could not be asked (RuntimeError)"


def test_nobody_waits_for_a_wait_that_has_no_end(
    node: MakeNode, open_with: OpenWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking up a name takes as long as it takes; the budget is kept all the same."""
    memory = open_with(budget_s=SOON_S, office=node("tea"))
    line = clients_of(memory)._clients["office"]
    given_up, ask = threading.Event(), line._endpoint.ask

    def looks_up(*question: Any) -> object:
        given_up.wait(PATIENCE_S)
        return ask(*question)

    monkeypatch.setattr(line._endpoint, "ask", looks_up)
    found = federated_search(memory, memory.user("anna"), "tea")
    given_up.set()
    assert report(found, "office").state == "late"
    for thread in threading.enumerate():
        if thread.name == "recollect-node":
            thread.join(PATIENCE_S)
