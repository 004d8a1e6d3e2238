"""Renders an OpenAPI document as a page (`reference.html`): no script, nothing loaded, everything escaped.

Its JSON schemas are put into words: types, bounds and examples.
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from http import HTTPStatus
from pathlib import Path
from string import Template
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode

from recollect.web.problems import MEDIA_TYPE

OpenApiSchema: TypeAlias = Mapping[str, Any]
LinkedText: TypeAlias = tuple[str, str]  # words, and the model they link to, or ''

_DEEPEST: Final = 6
_RANGES: Final = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)
_BOUNDS: Final = {
    "exclusiveMinimum": "more than ",
    "exclusiveMaximum": "less than ",
    "pattern": "matches ",
    "format": "",
}
_SAMPLES: Final[Mapping[str, object]] = {"integer": 1, "number": 0.5, "boolean": True, "null": None}
_FORMATTED: Final = {"date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "uri": "https://example.org/"}


_WORDS: Final = {"string": "text", "integer": "whole number"}

_METHODS: Final = ("get", "post", "put", "patch", "delete")
_JSON: Final = "application/json"
_FORM: Final = "multipart/form-data"
_HERE: Final = "http://127.0.0.1:8787"
_ERRORS: Final = {str(status.value): status.phrase for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST}
_CODE: Final = re.compile(r"`([^`]+)`")
_ITEM: Final = re.compile(r"[-*] +")
_PAGE: Final = Template(Path(__file__).with_name("reference.html").read_text(encoding="utf-8"))


def describe_type(schema: OpenApiSchema) -> list[LinkedText]:
    """Say what a schema describes: `text`, `list of Hit`, `number or null`."""
    if "$ref" in schema:
        name = model_name(schema)
        return [(name, name)]
    for joined, word in (("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")):
        if schema.get(joined):
            return _joined([describe_type(part) for part in schema[joined]], word)
    named: Any = schema.get("type", "anything")
    if isinstance(named, list):
        return _joined([describe_type({**schema, "type": each}) for each in named], " or ")
    if named == "array":
        return [("list of ", ""), *describe_type(_inner(schema, "items"))]
    if named == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return [("object of ", ""), *describe_type(_inner(schema, "additionalProperties"))]
    shown = "bytes" if schema.get("format") == "binary" else _WORDS.get(named, named)
    return [(shown, "")]


def describe_bounds(schema: OpenApiSchema) -> Iterator[str]:
    """Say what a value has to keep to, and what it is when it is left out."""
    options = [schema, *(part for joined in ("anyOf", "oneOf", "allOf") for part in schema.get(joined, ()))]
    for option in options:
        if "enum" in option:
            yield "one of " + ", ".join(to_json(value) for value in option["enum"])
        if "const" in option:
            yield f"always {to_json(option['const'])}"
        yield from _ranges(option)
        yield from (f"{words}{option[name]}" for name, words in _BOUNDS.items() if name in option)
        if isinstance(option.get("items"), Mapping):
            yield from (f"each {words}" for words in describe_bounds(option["items"]))
    if schema.get("default") is not None:
        yield f"default {to_json(schema['default'])}"


def make_example(schema: OpenApiSchema, models: Mapping[str, OpenApiSchema], depth: int = 0) -> object:
    """Make a value that a schema describes: the one it gives itself, or else the plainest with what is required."""
    if schema.get("examples"):
        return schema["examples"][0]
    for said in ("example", "const", "default"):
        if schema.get(said) is not None:
            return schema[said]
    if "$ref" in schema:
        return make_example(models.get(model_name(schema), {}), models, depth + 1) if depth < _DEEPEST else {}
    for joined in ("anyOf", "oneOf", "allOf"):
        if schema.get(joined):
            return make_example(schema[joined][0], models, depth + 1)
    return _plainest(schema, models, depth)


def model_name(schema: OpenApiSchema) -> str:
    """Give the name of the model that a reference means."""
    return str(schema["$ref"]).rpartition("/")[2]


def list_fields(schema: OpenApiSchema, models: Mapping[str, OpenApiSchema]) -> list[tuple[str, OpenApiSchema, bool]]:
    """Give the fields of an object, or of the model that is meant, and whether each has to be there."""
    if "$ref" in schema:
        schema = models.get(model_name(schema), {})
    required = schema.get("required", ())
    return [(name, inner, name in required) for name, inner in schema.get("properties", {}).items()]


def to_json(value: object) -> str:
    """Write a value as it stands in JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _plainest(schema: OpenApiSchema, models: Mapping[str, OpenApiSchema], depth: int) -> object:
    if schema.get("enum"):
        return schema["enum"][0]
    named = schema.get("type", "object" if "properties" in schema else "string")
    named = named[0] if isinstance(named, list) else named
    if named == "object":
        wanted = [
            (name, inner)
            for name, inner, required in list_fields(schema, models)
            if required or inner.get("examples") or inner.get("example") is not None
        ]
        return {name: make_example(inner, models, depth + 1) for name, inner in wanted}
    if named == "array":
        return [make_example(_inner(schema, "items"), models, depth + 1)] if depth < _DEEPEST else []
    return _SAMPLES.get(named, _FORMATTED.get(schema.get("format", ""), "text"))


def _ranges(schema: OpenApiSchema) -> Iterator[str]:
    for low, high, unit in _RANGES:
        least, most = (f"{schema[end]:,}".removesuffix(".0") if end in schema else "" for end in (low, high))
        if least and most:
            yield f"{least} to {most}{unit}"
        elif least or most:
            yield f"at least {least}{unit}" if least else f"at most {most}{unit}"


def _inner(schema: OpenApiSchema, name: str) -> OpenApiSchema:
    found = schema.get(name, {})
    return found if isinstance(found, Mapping) else {}


def _joined(parts: list[list[LinkedText]], word: str) -> list[LinkedText]:
    joined: list[LinkedText] = []
    for part in parts:
        joined += [(word, ""), *part] if joined else part
    return joined


class _Route(NamedTuple):
    """One method of one path, with the parameters it shares with the other methods there."""

    method: str
    path: str
    operation: Mapping[str, Any]
    parameters: list[Mapping[str, Any]]

    @property
    def anchor(self) -> str:
        return _anchor("route", f"{self.method}-{self.path}")

    @property
    def tag(self) -> str:
        return str(next(iter(self.operation.get("tags", ())), "other"))

    @property
    def body(self) -> OpenApiSchema | None:
        return _content(self.operation.get("requestBody", {}))


def render(openapi: Mapping[str, Any], base_url: str = _HERE) -> str:
    """Show an OpenAPI document: the routes by what they are about, and the models they speak of.

    The examples call `base_url`, unless the document says where it is served.
    """
    openapi = {**openapi, "servers": openapi.get("servers") or [{"url": base_url}]}
    info = openapi.get("info", {})
    title = escape(str(info.get("title", "Reference")))
    by_tag: dict[str, list[_Route]] = {str(tag["name"]): [] for tag in openapi.get("tags", ())}
    for route in _routes(openapi):
        by_tag.setdefault(route.tag, []).append(route)
    by_tag = {tag: routes for tag, routes in by_tag.items() if routes}
    about = {str(tag["name"]): str(tag.get("description", "")) for tag in openapi.get("tags", ())}
    sections = []
    for tag, routes in by_tag.items():
        articles = "\n".join(_article(route, openapi) for route in routes)
        heading = f'<h2 id="{_anchor("tag", tag)}">{escape(tag)}</h2>{_prose(about.get(tag, ""))}'
        sections.append(f"<section>{heading}\n{articles}</section>")
    return _PAGE.substitute(
        title=title,
        version=escape(str(info.get("version", ""))),
        description=_prose(info.get("description", "")),
        contents=_contents(by_tag),
        sections="\n".join([*sections, *_model_section(_models(openapi))]),
    )


def _routes(openapi: Mapping[str, Any]) -> Iterator[_Route]:
    for path, methods in openapi.get("paths", {}).items():
        for method in _METHODS:
            if method in methods:
                shared = [*methods.get("parameters", ()), *methods[method].get("parameters", ())]
                yield _Route(method.upper(), path, methods[method], shared)


def _models(openapi: Mapping[str, Any]) -> Mapping[str, OpenApiSchema]:
    found: Mapping[str, OpenApiSchema] = openapi.get("components", {}).get("schemas", {})
    return found


def _contents(by_tag: Mapping[str, list[_Route]]) -> str:
    lines = ['<nav aria-label="Routes">']
    for tag, routes in by_tag.items():
        items = (f'<li><a href="#{route.anchor}">{_signature(route)}</a></li>' for route in routes)
        lines.append(f'<p><a href="#{_anchor("tag", tag)}">{escape(tag)}</a></p><ul>{"".join(items)}</ul>')
    return "\n".join([*lines, "</nav>"])


def _article(route: _Route, openapi: Mapping[str, Any]) -> str:
    models, operation = _models(openapi), route.operation
    parameters = [
        (
            f"{given['name']}",
            given.get("in", ""),
            {**given.get("schema", {}), **{name: given[name] for name in ("description",) if given.get(name)}},
            given.get("required"),
        )
        for given in route.parameters
    ]
    body = [(name, "", inner, required) for name, inner, required in list_fields(route.body or {}, models)]
    parts = [
        f'<article id="{route.anchor}"><h3>{_signature(route)}</h3>',
        f"<p>{escape(str(operation.get('summary', '')))}</p>",
        _prose(operation.get("description", "")),
        _table("Parameters", parameters),
        _table("Body", body) or (f"<h4>Body</h4><p>{_kind(route.body)}</p>" if route.body else ""),
        f"<h4>Example</h4><pre>{escape(_curl(route, openapi))}</pre>",
        "<h4>Answers</h4><ul>",
        *_answers(operation.get("responses", {})),
        "</ul></article>",
    ]
    return "\n".join(part for part in parts if part)


def _table(caption: str, rows: Iterable[tuple[str, str, OpenApiSchema, object]]) -> str:
    lines = []
    for name, where, schema, required in rows:
        place = f' <span class="dim">({escape(where)})</span>' if where else ""
        limits = "; ".join(["required", *describe_bounds(schema)] if required else describe_bounds(schema))
        lines.append(
            f'<tr><th scope="row"><code>{escape(name)}</code>{place}</th><td>{_kind(schema)}</td>'
            f'<td><span class="dim">{escape(limits)}</span>{_prose(schema.get("description", ""))}</td></tr>'
        )
    if not lines:
        return ""
    return f'<div class="wide"><table><caption>{escape(caption)}</caption>{"".join(lines)}</table></div>'


def _answers(responses: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Show answers in order, those that say yes first; the errors of which there is nothing to say share a line."""
    in_order = sorted((str(status), answer) for status, answer in responses.items())
    usual = [status for status, answer in in_order if _is_usual_error(status, answer)]
    for status, answer in in_order:
        if status not in usual:
            schema = _content(answer)
            shown = f" ({_kind(schema)})" if schema else ""
            yield f"<li><code>{escape(status)}</code> {_inline(str(answer.get('description', '')))}{shown}</li>"
    if usual:
        codes = " ".join(f"<code>{escape(status)}</code>" for status in usual)
        yield f"<li>Errors: {codes}, as problem documents</li>"


def _is_usual_error(status: str, answer: Mapping[str, Any]) -> bool:
    """Tell whether an answer is a problem document, described by nothing but the name of its status."""
    if status not in _ERRORS or set(answer.get("content", ())) != {MEDIA_TYPE}:
        return False
    return str(answer.get("description", "")) in {"", _ERRORS[status]}


def _model_section(models: Mapping[str, OpenApiSchema]) -> Iterator[str]:
    if not models:
        return
    yield '<section><h2 id="models">Models</h2>'
    for name, schema in models.items():
        yield f'<article id="{_anchor("model", name)}"><h3><code>{escape(name)}</code></h3>'
        yield _prose(schema.get("description", ""))
        rows = [(field, "", inner, required) for field, inner, required in list_fields(schema, models)]
        yield (
            _table("Fields", rows) or f'<p class="dim">{escape("; ".join(describe_bounds(schema)))} {_kind(schema)}</p>'
        )
        yield "</article>"
    yield "</section>"


def _kind(schema: OpenApiSchema) -> str:
    return "".join(
        f'<a href="#{_anchor("model", model)}">{escape(words)}</a>' if model else escape(words)
        for words, model in describe_type(schema)
    )


def _curl(route: _Route, openapi: Mapping[str, Any]) -> str:
    """Write the request as a command, with what is required and what has an example."""
    models = _models(openapi)
    path, asked, lines = route.path, {}, []
    for given in route.parameters:
        name, schema = given["name"], {**given.get("schema", {}), **_shown(given)}
        sample, has_example = make_example(schema, models), "example" in schema or "examples" in schema
        is_shown = given.get("required") or has_example
        if given.get("in") == "path":
            path = path.replace(f"{{{name}}}", quote(str(sample), safe="") if has_example else name.upper())
        elif given.get("in") == "query" and is_shown:
            asked[name] = sample if isinstance(sample, str) else to_json(sample)
        elif given.get("in") == "header" and is_shown:
            lines.append(f"-H {shlex.quote(f'{name}: {sample}')}")
    url = f"{openapi['servers'][0]['url'].rstrip('/')}{path}" + (f"?{urlencode(asked)}" if asked else "")
    if route.operation.get("security", openapi.get("security")):
        lines.insert(0, '-H "Authorization: Bearer $RECOLLECT_KEY"')
    if route.body is not None:
        lines.extend(_sent(route, models))
    method = "" if route.method == "GET" else f"-X {route.method} "
    return " \\\n  ".join([f"curl {method}{shlex.quote(url)}", *lines])


def _sent(route: _Route, models: Mapping[str, OpenApiSchema]) -> tuple[str, ...]:
    """Show a body as a command sends it: what is no JSON comes from a file."""
    form = next(iter(route.operation["requestBody"]["content"]))
    if form == _FORM:
        return (*(f"-F {shlex.quote(f'{name}=@FILE')}" for name, _, _ in list_fields(route.body or {}, models)),)
    describe_type = f"-H {shlex.quote(f'Content-Type: {form}')}"
    if form != _JSON:
        return describe_type, "--data-binary @FILE"
    return describe_type, f"-d {shlex.quote(to_json(_sample_body(route, models)))}"


def _sample_body(route: _Route, models: Mapping[str, OpenApiSchema]) -> object:
    content: Mapping[str, Any] = next(iter(route.operation["requestBody"]["content"].values()))
    for named in content.get("examples", {}).values():
        return named.get("value")
    return content["example"] if "example" in content else make_example(route.body or {}, models)


def _content(holder: Mapping[str, Any]) -> OpenApiSchema | None:
    """Give the schema of what a request or an answer holds, in the first form it comes in."""
    for form in holder.get("content", {}).values():
        schema: OpenApiSchema = form.get("schema", {})
        return schema
    return None


def _shown(given: Mapping[str, Any]) -> dict[str, Any]:
    named = [each["value"] for each in given.get("examples", {}).values() if "value" in each]
    return {"example": given["example"]} if "example" in given else {"examples": named} if named else {}


def _signature(route: _Route) -> str:
    return f'<code><span class="method">{escape(route.method)}</span> {escape(route.path)}</code>'


def _anchor(what: str, name: str) -> str:
    return f"{what}-{quote(re.sub(r'[^A-Za-z0-9_.-]+', '-', name).strip('-'), safe='')}"


def _prose(text: object) -> str:
    """Show paragraphs and lists as such, and what stands in backticks as code."""
    shown = []
    for paragraph in re.split(r"\n\s*\n", str(text or "").strip()):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        if lines and all(_ITEM.match(line) for line in lines):
            items = (f"<li>{_inline(_ITEM.sub('', line, count=1))}</li>" for line in lines)
            shown.append(f"<ul>{''.join(items)}</ul>")
        elif lines:
            shown.append(f"<p>{_inline(' '.join(lines))}</p>")
    return "".join(shown)


def _inline(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))
