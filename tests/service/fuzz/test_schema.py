"""The OpenAPI document is true: what fits it is taken, what does not is refused, and answers are what it promises."""

import re
import time
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import APIOperation, Case, Config, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance, response_schema_conformance

from tests.service.conftest import Running, Serve
from tests.service.fuzz.profile import Tally
from tests.service.fuzz.rules import add_rules
from tests.sizes import sized
from tests.waiting import PATIENCE_S

# What a schema cannot say: NULs have no place in the texts inside of metadata, and a body may be too large as a whole.
CONFIG = {
    "max-stream-events": 1,
    "generation": {"allow-x00": False},
    "checks": {
        "negative_data_rejection": {"expected-statuses": [400, 401, 403, 404, 405, 408, 410, 412, 413, 415, 422, 429]},
        "positive_data_acceptance": {"expected-statuses": ["2xx", "304", "404", "410", "412"]},
    },
}
ENDLESS = "/api/stream"  # of an answer without an end, the first event is enough
OPERATORS = ("/api/status", "/metrics", "/api/admin/")
NAMING = (
    "x-recollect-user",
    "x-recollect-scope",
    "x-recollect-zone",
)  # what they name must be there, which no schema can say
HALVES = {"lat", "lng", "near", "at", "radius_km"}  # in a query each may stand alone, as far as a schema can say
LONGEST_GENERATED = 4_096  # characters; Hypothesis takes a minimum of up to twice as many
_EDGE_OF_TIME = re.compile("0001-01-01|9999-12-31")
TIMES = ("since", "until", "when", "as_of")  # in words, too, of which no schema can say which have a meaning
WAYS = ("location", "lat", "address", "place_label", "near", "at")


def described(document: dict[str, Any]) -> dict[str, Any]:
    """Take out what other tests are about, so that nearly every request gets as far as its route.

    Keys, and users that an admin names, are what the table of permissions is for; a header that is not UTF-8, which no
    schema can tell from one that is, is among the hostile requests. What may be left out is written as what may be
    null, and a header or a part of an address cannot be null. What fields mean to each other is added. Limits beyond
    what Hypothesis can generate go: it fails when it is to exceed one.
    """
    add_rules(document)
    _drop_limits(document)
    for path in document["paths"].values():
        for operation in path.values():
            operation.pop("security", None)
            held = operation.get("parameters", [])
            operation["parameters"] = [_never_null(one) for one in held if one["name"].lower() not in NAMING]
    return document


def _drop_limits(part: object) -> None:
    if isinstance(part, dict):
        if isinstance(part.get("maxLength"), int) and part["maxLength"] > LONGEST_GENERATED:
            del part["maxLength"]
        for inner in part.values():
            _drop_limits(inner)
    elif isinstance(part, list):
        for inner in part:
            _drop_limits(inner)


def _never_null(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = dict(parameter["schema"])
    if "anyOf" in schema:
        schema["anyOf"] = [one for one in schema["anyOf"] if one != {"type": "null"}]
    return {**parameter, "schema": schema}


def beyond_the_schema(case: Case[Any]) -> bool:
    """Tell whether a request may be refused although it fits: no schema can say these things.

    An end must come after its beginning; nodes must be configured; blocks and turns come in any host's manner, so
    their form is checked by what reads them. Media have a url of the web, or an original that was sent. A document
    needs a name, from the form or the query, and must be one; an archive must be one of ours; the last line that is
    wanted comes after the first; and to replace what is there is to forget it. Where somebody is, is said in one
    way, with both coordinates, and a radius needs a place that is known; what is said twice is the same twice. A
    time zone is one that exists, and a moment is in the years 1 to 9999 in UTC, too. A source may correct what it is
    trusted with, and no memory into what another says.
    """
    if case.operation.label in (
        "POST /api/hooks/agent-end",
        "POST /api/files",
        "POST /api/media",
        "GET /api/files/{id}/text",
        "POST /api/import",
        "PATCH /api/memories/{id}",
        "PUT /api/admin/scopes/{name}/members/{user}",
        "DELETE /api/admin/scopes/{name}/members/{user}",
    ):
        return True
    if _EDGE_OF_TIME.search(f"{case.query!r} {case.body!r}"):
        return True
    inside: list[object] = [case.body]
    if isinstance(case.body, dict):
        inside += [one for name in ("memories", "messages") for one in _items(case.body.get(name))]
    given = [one for one in inside if isinstance(one, dict)]
    halves = case.operation.label == "GET /api/memories/search" and HALVES & (case.query or {}).keys()
    if halves or any(map(_somewhere, given)):
        return True
    in_blocks = any(isinstance(one.get(name), list) for one in given for name in ("content", "prompt"))
    return (
        in_blocks
        or any((case.query or {}).get(name) for name in ("zone", *TIMES))
        or any(one.get(name) for one in given for name in TIMES)
        or any(one.get("valid_until") or one.get("nodes") or one.get("media") for one in given)
    )


def _somewhere(given: dict[str, object]) -> bool:
    return given.get("radius_km") is not None or sum(given.get(name) is not None for name in WAYS) > 1


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


class Client:
    """Sends what was generated to a service, with ids that exist in the place of some that do not."""

    def __init__(self, service: Running) -> None:
        self.url = service.url
        self.tally = Tally()
        self._headers = {"Authorization": f"Bearer {service.key()}"}
        self._admin = {"Authorization": f"Bearer {service.key(scopes=('admin',))}"}
        self._session = requests.Session()
        self._session.trust_env = False
        self._numbers = count()
        document = self._session.get(f"{self.url}/openapi.json", headers=self._headers, timeout=PATIENCE_S).json()
        self.schema = schemathesis.openapi.from_dict(described(document), config=Config.from_dict(CONFIG))

    def send(self, case: Case[Any]) -> None:
        """Send a request and insist that the answer is what the document says."""
        number = next(self._numbers)
        self._make_real(case, number)
        headers = self._admin if case.operation.path.startswith(OPERATORS) else self._headers
        begun = time.perf_counter()
        answer = case.call(base_url=self.url, session=self._session, headers=headers, timeout=PATIENCE_S)
        self.tally.note(case.operation.label, answer.status_code, time.perf_counter() - begun)
        # Whether a key is needed is what the table of permissions is for; here, everybody has one.
        excluded = [ignored_auth]
        if beyond_the_schema(case):
            excluded.append(positive_data_acceptance)
        if case.operation.path == ENDLESS:  # each event would be held against what the document says of their text
            excluded.append(response_schema_conformance)
        case.validate_response(answer, excluded_checks=excluded, headers=headers)

    def _make_real(self, case: Case[Any], number: int) -> None:
        """Let every other request be about something that is there, and no two have the same Idempotency-Key.

        A key that was used for another request is refused, rightly, and `0` comes up often.
        """
        name = next((one for one in case.headers or {} if one.lower() == "idempotency-key"), None)
        if name and case.headers[name] and case.meta and case.meta.generation.mode.is_positive:
            case.headers[name] = f"{case.headers[name][:180]}-{number}"
        path = case.operation.path
        if number % 2 and "{id}" in path and "conversations" not in path:
            case.path_parameters["id"] = self._item(path, number)

    def _item(self, path: str, number: int) -> str:
        if "files" in path:
            return self._file(number)
        return self._message() if "messages" in path else self._memory(number)

    def _file(self, number: int) -> str:
        address, text = f"{self.url}/api/files?name=shelf.md", f"Shelf {number} is full"
        return str(self._session.post(address, data=text, headers=self._headers, timeout=PATIENCE_S).json()["id"])

    def _memory(self, number: int) -> str:
        return str(self._post("/api/memories/unified", {"content": f"Shelf {number} is full"})["id"])

    def _message(self) -> str:
        body = {"role": "user", "content": "The shelf is full", "id": "m-1"}
        return str(self._post("/api/conversations/c1/messages", body)["results"][0]["id"])

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._session.post(self.url + path, json=body, headers=self._headers, timeout=PATIENCE_S)
        assert answer.ok, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def close(self) -> None:
        """Let go of the connections."""
        self._session.close()


@pytest.fixture
def client(serve: Serve) -> Iterator[Client]:
    made = Client(serve(embedding__provider="none"))
    yield made
    made.close()


SHAPE = settings(
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


_WRONG_EVERY = sized(12, 1)  # to see what does not fit a schema takes far longer than to send it


def send_all(
    client: Client, operation: APIOperation[Any, Any, Any, Any], examples: int, modes: Iterable[GenerationMode]
) -> None:
    """Send requests that fit the schema of a route, or requests that do not."""
    for mode in modes:
        cases = operation.as_strategy(generation_mode=mode)
        try:
            settings(SHAPE, max_examples=examples)(given(case=cases)(client.send))()
        except Unsatisfiable:
            if mode.is_positive:
                raise  # otherwise: whatever the parameters of this route are, they fit


def test_every_route(client: Client) -> None:
    """One route that fails does not keep the others from being tried: in full size this takes an hour."""
    examples = sized(1, 75)
    failures: list[BaseException] = []
    for number, found in enumerate(client.schema.get_all_operations()):
        assert isinstance(found, Ok), found
        operation = found.ok()
        try:
            if list(operation.iter_parameters()):
                fitting = (GenerationMode.POSITIVE,)
                send_all(client, operation, examples, fitting if number % _WRONG_EVERY else GenerationMode)
            else:
                client.send(operation.Case())
        except (AssertionError, FailureGroup) as failure:
            failure.add_note(f"{operation.label}, after {client.tally.requests:,} requests")
            failures.append(failure)
    if failures:
        raise BaseExceptionGroup("some routes do not keep to the document", failures)
    client.tally.settle(at_least=examples * 40)
