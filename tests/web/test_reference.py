"""The page for people: everything of the document is on it, and nothing of it is anything but text."""

import re
from html.parser import HTMLParser
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Header, Path, Query
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field
from starlette.requests import Request

from recollect.web.reference import describe_bounds, describe_type, make_example, render
from tests.rows import every

ALONE = {"meta", "br"}
EVIL = "</style></code><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


class Place(BaseModel):
    """Where it was."""

    lat: Annotated[float, Field(ge=-90, le=90)]
    note: str | None = None


class NewThing(BaseModel):
    """A thing to keep.

    - it has `content`
    - it may have a place
    """

    content: Annotated[str, Field(min_length=1, max_length=4_000, examples=["It's tea"], description="What to keep.")]
    type: Literal["fact", "other"] = "other"
    where: Place | None = None
    tags: Annotated[list[str], Field(max_length=20)] = []


class Kept(BaseModel):
    """What was kept."""

    id: str


def documented() -> dict[str, Any]:
    app = FastAPI(title="Things", version="1.2", description="Keeps things.")
    routes = APIRouter(prefix="/api", tags=["things"])
    key = HTTPBearer()

    @routes.post("/things/{id}", status_code=201, summary="Keep a thing", responses={404: {"description": "No such."}})
    async def keep(
        id: Annotated[str, Path(description="Which one.")],
        new: NewThing,
        query: Annotated[str, Query(examples=["tea & cake"])],
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
        user: Annotated[str | None, Header(alias="X-Recollect-User")] = None,
    ) -> Kept:
        """Keep it for good."""
        raise NotImplementedError

    @routes.get("/secret", dependencies=[])
    async def secret(request: Request) -> list[Kept]:
        """Show `all` of them."""
        await key(request)
        raise NotImplementedError

    app.include_router(routes)
    document = app.openapi()
    document["paths"]["/api/secret"]["get"]["security"] = [{"HTTPBearer": []}]
    return document


class Balanced(HTMLParser):
    """Checks that what is opened is closed, in order, and collects what there is."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def test_everything_that_is_documented_is_there() -> None:
    text = re.sub(r"\s+", " ", read(render(documented())).text)
    for said in (
        "Things",
        "Version 1.2",
        "Keeps things.",
        "POST /api/things/{id}",
        "Keep a thing",
        "Keep it for good.",
        "Which one.",
        "X-Recollect-User",
        "1 to 100; default 10",
        "required; 1 to 4,000 characters",
        'one of "fact", "other"; default "other"',
        "Place or null",
        "list of text",
        "at most 20 items",
        "-90 to 90",
        "No such.",
        "201 Successful Response (Kept)",
        "list of Kept",
    ):
        assert said in text, said


def test_the_example_can_be_typed() -> None:
    text = read(render(documented())).text
    assert (
        "curl -X POST 'http://127.0.0.1:8787/api/things/ID?query=tea+%26+cake' \\\n"
        "  -H 'Content-Type: application/json' \\\n"
        '  -d \'{"content": "It\'"\'"\'s tea"}\''
    ) in text
    assert 'curl http://127.0.0.1:8787/api/secret \\\n  -H "Authorization: Bearer $RECOLLECT_KEY"' in text


def test_a_body_that_is_no_json_comes_from_a_file() -> None:
    forms = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    operation = {"requestBody": {"content": forms}, "responses": {}}
    text = read(render({"info": {"title": "Things"}, "paths": {"/api/files": {"post": operation}}})).text
    assert "-H 'Content-Type: application/octet-stream' \\\n  --data-binary @FILE" in text
    assert "bytes" in text


def test_a_form_is_sent_as_one() -> None:
    form = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}
    operation = {"requestBody": {"content": {"multipart/form-data": {"schema": form}}}, "responses": {}}
    text = read(render({"info": {"title": "Things"}, "paths": {"/api/files": {"post": operation}}})).text
    assert "/api/files \\\n  -F file=@FILE" in text


def test_the_example_calls_where_it_is_served() -> None:
    text = read(render(documented(), "http://memory.example:9000/")).text
    assert "curl http://memory.example:9000/api/secret" in text
    assert "8787" not in text
    elsewhere = {**documented(), "servers": [{"url": "https://named.example"}]}
    assert "curl https://named.example/api/secret" in read(render(elsewhere, "http://memory.example:9000")).text


def test_answers_come_in_order_and_the_usual_errors_share_a_line() -> None:
    document = documented()
    problem = {"content": {"application/problem+json": {"schema": {"type": "object"}}}}
    usual = {"503": "Service Unavailable", "401": "Unauthorized", "400": "Bad Request"}
    document["paths"]["/api/secret"]["get"]["responses"] = {
        **{status: {"description": phrase, **problem} for status, phrase in usual.items()},
        "410": {"description": "It was here.", **problem},
        "409": {"description": "Conflict", "content": {"application/json": {"schema": {"type": "string"}}}},
        "202": {"description": "Later."},
        "200": {"description": "Now."},
    }
    text = re.sub(r"\s+", " ", read(render(document)).text)
    assert "200 Now. 202 Later. 409 Conflict (text) 410 It was here. (object) Errors: 400 401 503, as problem" in text


def test_every_link_leads_somewhere_on_the_page() -> None:
    page = read(render(documented()))
    anchors = {value for name, value in page.attributes if name == "id"}
    links = [value for name, value in page.attributes if name == "href"]
    assert links
    assert {link.removeprefix("#") for link in links if link} <= {anchor for anchor in anchors if anchor}


def test_nothing_is_run_and_nothing_is_loaded() -> None:
    page = read(render(documented()))
    assert page.tags.isdisjoint({"script", "link", "img", "iframe", "object", "form", "base"})
    assert {name for name, _ in page.attributes} <= {
        *("lang", "charset", "name", "content", "id", "class", "href", "aria-label", "scope"),
    }
    style = render(documented()).partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style


def poisoned(value: Any) -> Any:
    """Write mischief into every text of a document, and into every name."""
    if isinstance(value, dict):
        keep = ("openapi", "$ref", "type", "in")
        return {
            name if name in STRUCTURE else name + EVIL: inner if name in keep else poisoned(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [poisoned(inner) for inner in value]
    return value + EVIL if isinstance(value, str) else value


STRUCTURE = frozenset(
    re.findall(
        r"\S+",
        "openapi info title version description paths get post tags summary parameters name in required schema "
        "requestBody content responses components schemas properties items anyOf type enum default examples $ref "
        "maxLength minLength minimum maximum maxItems security",
    )
)


def test_nothing_in_a_document_is_anything_but_text() -> None:
    page = read(render(poisoned(documented())))
    assert page.tags.isdisjoint({"script", "img"})
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "<script>alert(1)</script>" in page.text


def test_an_empty_document_is_a_page_too() -> None:
    assert "Reference" in read(render({})).text


@every(
    ("schema", "words", "limits", "sample"),
    [
        ({}, "anything", [], "text"),
        ({"type": ["string", "null"], "maxLength": 3}, "text or null", ["at most 3 characters"], "text"),
        ({"type": "array", "items": {"type": "number", "minimum": 0}}, "list of number", ["each at least 0"], [0.5]),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "object of boolean", [], {}),
        ({"const": 1}, "anything", ["always 1"], 1),
        ({"type": "string", "format": "date-time"}, "text", ["date-time"], "2026-01-31T12:00:00Z"),
        ({"allOf": [{"$ref": "#/a/A"}, {"$ref": "#/a/B"}]}, "A and B", [], {"b": 1}),
        ({"type": "integer", "exclusiveMinimum": 0}, "whole number", ["more than 0"], 1),
    ],
)
def test_schemas_in_words(schema: dict[str, Any], words: str, limits: list[str], sample: object) -> None:
    models = {"A": {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}}
    assert "".join(piece for piece, _ in describe_type(schema)) == words
    assert list(describe_bounds(schema)) == limits
    assert make_example(schema, models) == sample


def test_a_model_that_holds_itself_has_an_example() -> None:
    tree = {"type": "object", "properties": {"in": {"$ref": "#/x/Tree"}}, "required": ["in"]}
    assert isinstance(make_example({"$ref": "#/x/Tree"}, {"Tree": tree}), dict)
