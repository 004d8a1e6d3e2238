"""The command line, run in this process on a real store: the same code as in a shell, without the start of Python."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import pytest
import typer.testing

import recollect.api.composition
import recollect.api.memory
import recollect.cli.runner
from recollect.cli import app
from recollect.model.memories import Space, Vector
from recollect.ports import Embedder, Role
from tests.providers.server import ProviderServer

# Nothing of the machine on which the tests run may show: no configuration file, no settings.
PLAIN_ENVIRONMENT = {
    "RECOLLECT_CONFIG": os.devnull,
    "RECOLLECT_EMBEDDING_PROVIDER": "none",
    "RECOLLECT_PLACES_GEOCODER": "none",
    "RECOLLECT_RECALL_DEADLINE_S": "600",
    "RECOLLECT_RECALL_RERANK": "off",
    "RECOLLECT_HOOKS_BUDGET_S": "60",
    "RECOLLECT_SQLITE_BUSY_TIMEOUT_S": "300",
    "TERM": "dumb",
}

# Larger places are enough for a test, and the table of them is made in a moment, once for all tests.
OFFLINE = {"RECOLLECT_PLACES_GEOCODER": "offline", "RECOLLECT_PLACES_SMALLEST": "15000"}


# Building the commands takes five times as long as most take to run; a shell builds them once, and so do the tests.
typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]


class Outcome(NamedTuple):
    """What a command printed, and how it ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output; whatever else stood there would fail here."""
        return json.loads(self.stdout)


class Cli:
    """Types commands."""

    def __init__(self, *shared: str) -> None:
        self._shared = shared
        self.environment: dict[str, str | None] = {**PLAIN_ENVIRONMENT}

    def __call__(self, *typed: str, standard_input: str | bytes | None = None) -> Outcome:
        """Run a command, however it may end."""
        words = [*self._shared, *typed]
        result = typer.testing.CliRunner().invoke(
            app, words, input=standard_input, env=self.environment, catch_exceptions=False, prog_name="recollect"
        )
        return Outcome(result.exit_code, result.stdout, result.stderr)

    def ok(self, *typed: str, standard_input: str | bytes | None = None) -> str:
        """Run a command that must succeed, and give what it says to people."""
        outcome = self(*typed, standard_input=standard_input)
        assert (outcome.exit_code, outcome.stderr) == (0, "")
        return outcome.stdout

    def json(self, *typed: str, standard_input: str | bytes | None = None) -> Any:
        """Run a command that must succeed, and give what it says to programs."""
        outcome = self(*typed, "--json", standard_input=standard_input)
        assert (outcome.exit_code, outcome.stderr) == (0, "")
        return outcome.document

    def store(self, text: str, *options: str) -> str:
        """Store something and give its id."""
        made = self.json("store", text, *options)
        assert isinstance(made["id"], str)
        return made["id"]


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the settings in the environment."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_") or name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "NOMINATIM_URL"):
            monkeypatch.delenv(name)


class SteadyClock:
    """A clock that goes on by a millisecond whenever it is asked, however long a test takes."""

    _now = datetime.now(UTC)

    def now(self) -> datetime:
        """Give the next moment; all clocks of a test share one time."""
        SteadyClock._now += timedelta(milliseconds=1)
        return SteadyClock._now


@pytest.fixture
def steady_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what a test has done be done just now, also on a machine that takes minutes for it."""
    monkeypatch.setattr(SteadyClock, "_now", datetime.now(UTC))
    for module in (recollect.api.memory, recollect.cli.runner):
        monkeypatch.setattr(module, "SystemClock", SteadyClock)


@pytest.fixture
def cli(database: str) -> Cli:
    """The command line on an empty store; recall goes by words."""
    return Cli("--database", database)


@pytest.fixture
def located(cli: Cli) -> Cli:
    """The command line on an empty store, with somebody who knows what places are called."""
    cli.environment |= OFFLINE
    return cli


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """Somebody who makes vectors, on loopback."""
    with ProviderServer() as running:
        yield running


def within_reach(provider: ProviderServer) -> dict[str, str]:
    """Give the environment in which this provider can be asked; once only, should it be away."""
    return {
        "RECOLLECT_EMBEDDING_OPENAI_ENDPOINT": provider.url("openai"),
        "RECOLLECT_EMBEDDING_OPENAI_API_KEY": "sk-of-a-test",
        "RECOLLECT_EMBEDDING_RETRIES": "0",
    }


def asking(provider: ProviderServer) -> dict[str, str]:
    """Give the environment in which this provider is asked."""
    return {"RECOLLECT_EMBEDDING_PROVIDER": "openai", **within_reach(provider)}


@pytest.fixture
def remote(cli: Cli, provider: ProviderServer) -> Cli:
    """The command line on an empty store whose vectors a provider makes."""
    cli.environment |= asking(provider)
    return cli


class LastingEncoder:
    """The real encoder, which stays loaded when a command closes its store."""

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder

    @property
    def space(self) -> Space | None:
        """The encoder's space."""
        return self._encoder.space

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages that the encoder has learned."""
        return self._encoder.languages

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Let the encoder work."""
        return self._encoder.embed(texts, role)

    def close(self) -> None:
        """Stay loaded."""


@pytest.fixture
def with_meaning(encoder: Embedder, monkeypatch: pytest.MonkeyPatch) -> Callable[[Cli], Cli]:
    """Let a command line recall by meaning, without loading the encoder for each command."""
    monkeypatch.setattr(
        recollect.api.composition, "create_embedding_provider", lambda *_, **__: LastingEncoder(encoder)
    )

    def arrange(cli: Cli) -> Cli:
        cli.environment.pop("RECOLLECT_EMBEDDING_PROVIDER")
        return cli

    return arrange
