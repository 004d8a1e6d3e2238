"""The sessions of browsers: log in with a one-time link or a key, see which there are, end them."""

from functools import partial
from http import HTTPStatus
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Body, Request, Response

from recollect._version import __version__
from recollect.api.memory import Memory
from recollect.authorization import Key
from recollect.errors import NotFound
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.authentication import SESSION_PATH, csrf_token, end_session, give_session, read_session
from recollect.service.request_context import ApiCall, ReadCall

router = APIRouter(tags=["Sessions"])


@router.post(SESSION_PATH, response_model=out.PageLoginBody)
async def log_in(body: Annotated[requests.LogInBody, Body()], request: Request) -> Response:
    """Open a session for a browser with a one-time link or a key.

    The answer sets a cookie that scripts cannot read, and names the token that each request of the session that may
    change something must carry in `X-Recollect-CSRF`. A link works once, within ten minutes. Needs no key.
    """
    memory: Memory = request.app.state.memory
    opened = await to_thread.run_sync(partial(memory.keys.open_session, body.secret))
    response = out.answer(out.PageLoginBody, _login(memory, opened.key, opened.secret))
    give_session(response, opened.secret, secure=request.url.scheme == "https")
    return response


@router.get(SESSION_PATH, response_model=out.PageLoginBody)
def get_session(call: ReadCall, request: Request) -> Response:
    """Tell a page whose session it has. With a key instead of a session there is none: 404."""
    key = _own_key(call)
    return out.answer(out.PageLoginBody, _login(call.memory, key, read_session(request.headers)))


@router.delete(SESSION_PATH, status_code=HTTPStatus.NO_CONTENT)
def log_out(call: ReadCall, request: Request) -> Response:
    """End the session of this browser."""
    call.memory.keys.revoke(_own_key(call).id, actor=call.principal.id)
    response = Response(status_code=HTTPStatus.NO_CONTENT)
    end_session(response, secure=request.url.scheme == "https")
    return response


@router.get("/api/sessions", response_model=out.SessionsBody)
def list_sessions(call: ReadCall) -> Response:
    """List the sessions that are open: the user's own, and for an admin those of all users."""
    sessions = [
        {
            "id": key.id,
            "name": key.name,
            "user": key.user_id,
            "opened_at": key.created_at,
            "expires_at": key.expires_at,
            "last_used_at": key.last_used_at,
            "this_one": key.id == call.principal.id,
        }
        for key in _open_sessions(call)
    ]
    return out.answer(out.SessionsBody, out.Items(sessions))


@router.delete("/api/sessions/{id}", status_code=HTTPStatus.NO_CONTENT)
def revoke_session(id: str, call: ReadCall) -> Response:
    """End a session: one of the user's own, or as an admin any."""
    if all(key.id != id for key in _open_sessions(call)):
        raise NotFound(f"No open session {id}.")
    call.memory.keys.revoke(id, actor=call.principal.id)
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _open_sessions(call: ApiCall) -> list[Key]:
    mine = call.principal.user_id
    return [key for key in call.memory.keys.open_sessions() if not mine or key.user_id == mine]


def _own_key(call: ApiCall) -> Key:
    for key in _open_sessions(call):
        if key.id == call.principal.id:
            return key
    raise NotFound("This request was made with a key, not in a session.")


def _login(memory: Memory, key: Key, session: str) -> dict[str, object]:
    """Give what the page must know of its session. `user` is '' for an admin, who may choose one."""
    told = {"user": key.user_id, "default_user": memory.settings.user, "scopes": key.scopes, "version": __version__}
    return {**told, "csrf": csrf_token(session), "expires_at": key.expires_at}
