"""What the batch APIs have in common: texts made ready, one vector at a time read, and what came of a batch."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPMethod
from typing import Final, TypeVar

from recollect.embedding.check_response import unit_rows
from recollect.embedding.provider import ProviderProfile, blamed, prepared
from recollect.errors import EmbeddingError
from recollect.http_client import Endpoint, HttpRequest, HttpResponse, RemoteError
from recollect.model.memories import Vector
from recollect.ports import BulkOutcome, Tokenizer

Answer = TypeVar("Answer")

_ROOM: Final = 1_000_000
_GONE: Final = 404
_ID = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)


@dataclass(slots=True)
class BatchResults:
    """Collects what a batch brought, one text at a time."""

    dimensions: int | None
    host: str
    vectors: dict[str, Vector] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)

    def take(self, name: str, raw: object, tokens: int | None) -> None:
        """Keep a vector; one that makes no sense is a failure of its text."""
        self.tokens[name] = tokens or 0
        try:
            row = unit_rows([raw], self.dimensions, self.host)[0]
        except EmbeddingError as error:
            self.failed[name] = str(error)
            return
        self.dimensions = len(row)
        self.vectors[name] = row

    def outcome(self) -> BulkOutcome:
        """Give all of it."""
        return BulkOutcome(self.vectors, self.failed, self.tokens)


@dataclass(frozen=True, slots=True)
class BatchSubmission:
    """Where batches are handed in and fetched."""

    profile: ProviderProfile
    endpoint: Endpoint
    tokenizer: Tokenizer

    def ready(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Give passages as they are sent."""
        count = self.tokenizer.count
        return {name: prepared(text, "passage", self.profile, count) for name, text in texts.items()}

    def ask(self, request: HttpRequest, read: Callable[[HttpResponse], Answer]) -> Answer:
        """Ask, and say in the terms of the port what went wrong."""
        try:
            return self.endpoint.ask(request, read)
        except RemoteError as error:
            raise blamed(error) from error

    def fetch(self, request: HttpRequest, read: Callable[[HttpResponse], Answer]) -> Answer:
        """Ask for something that has to be there. If it is gone, asking again does not help: EmbeddingError."""
        try:
            return self.endpoint.ask(request, read)
        except RemoteError as error:
            raise (EmbeddingError(error.reason) if error.status == _GONE else blamed(error)) from error

    def remove(self, path: str) -> None:
        """Ask for something to be deleted, once; what cannot be deleted stays."""
        with suppress(RemoteError):
            request = HttpRequest(path, _ROOM, method=HTTPMethod.DELETE, repeatable=False)
            self.endpoint.ask(request, lambda received: received.content)

    def harvest(self) -> BatchResults:
        """Begin to collect."""
        return BatchResults(self.profile.dimensions, self.endpoint.host)


def checked_id(batch: str) -> str:
    """Give a batch's id, if it can be part of an address."""
    if not _ID.fullmatch(batch) or ".." in batch:
        raise EmbeddingError(f"{batch[:80]!r} is no id of a batch. Expected letters, digits, - and _.")
    return batch


def given_id(found: object, host: str) -> str:
    """Read an id that a provider gave to something. Raises EmbeddingError when it gave none."""
    if not isinstance(found, str) or not _ID.fullmatch(found) or ".." in found:
        raise EmbeddingError(f"{host} took a batch, but gave no id for it. Check at the provider what became of it.")
    return found
