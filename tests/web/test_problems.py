"""Problem documents: what they carry, and what they do not repeat."""

import json
from http import HTTPStatus

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from recollect.web.problems import RequestRefused, add_error_handlers, problem
from tests.web.conftest import LOCAL, ask


class Strict(BaseModel):
    """A body that takes nothing else."""

    model_config = ConfigDict(extra="forbid")

    count: int


def failing() -> FastAPI:
    app = FastAPI()
    add_error_handlers(app, "GET /docs tells")

    @app.get("/refused")
    async def refused() -> None:
        raise RequestRefused(
            HTTPStatus.CONFLICT, "It is so already.", headers={"ETag": '"1"'}, members={"id": "m1", "type": "/taken"}
        )

    @app.get("/unnamed")
    async def unnamed() -> None:
        raise HTTPException(499, "Odd.")

    @app.post("/strict")
    async def strict(body: Strict) -> int:
        return body.count

    return app


def test_a_refusal_carries_headers_and_members() -> None:
    answer = ask(failing(), path="/refused")
    assert (answer.status, answer.headers["etag"]) == (409, '"1"')
    assert json.loads(answer.body) == {
        "type": "/taken",
        "title": "Conflict",
        "status": 409,
        "detail": "It is so already.",
        "id": "m1",
    }


def test_a_status_without_a_name_is_no_failure() -> None:
    assert json.loads(ask(failing(), path="/unnamed").body)["title"] == "Error"
    assert problem(499, "Odd.").status_code == 499


def test_the_lost_are_told_what_there_is() -> None:
    answer = ask(failing(), path="/nowhere")
    assert (answer.status, answer.headers["content-type"]) == (404, "application/problem+json")
    assert json.loads(answer.body)["detail"] == "There is nothing here. What there is: GET /docs tells."


def test_an_endless_name_is_cut() -> None:
    body = json.dumps({"count": 1, "x" * 100_000: 2}).encode()
    answer = ask(failing(), "POST", "/strict", (*LOCAL, (b"content-type", b"application/json")), [body])
    assert answer.status == 422
    assert len(answer.body) < 1_000
