"""Whatever is wrong with a provider, nothing is lost, nothing wrong is kept, and it passes: every fault, every verb.

The fault is met by a process of its own; where the fault is a long silence, by one with little patience. What comes
before and after is done by another process, so that no figure of a busy machine decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event

import pytest

from recollect import EmbeddingError, Memory
from recollect.embedding.local import LocalTokenizer
from recollect.embedding.protocols import OpenAiProtocol
from recollect.embedding.provider import ProviderEmbedder, ProviderProfile, provider_endpoint
from recollect.http_client import ApiKey, CircuitBreaker
from tests.embedding_service.conftest import DIMENSIONS
from tests.embedding_service.looking import (
    KEY,
    assert_all_is_well,
    assert_right_vectors,
    expected_cosine,
    found_by_words,
    paid_for,
)
from tests.fixtures import OpenMemory, SteppingClock
from tests.providers.server import FAULTS, ProviderServer
from tests.reliability.figures import figure
from tests.rows import slow_but
from tests.waiting import eventually

KNOWN = ("The ladder stands behind the shed", "Grandmother was born in Olomouc", "Coffee is bought on Thursdays")
NEW = ("The violin hangs above the piano", "Passports expire in October", "Rosa feeds the hedgehog")
HARMLESS = frozenset({"swapped"})  # the protocol says which vector is whose
SILENT = frozenset({"slow", "hang"})
# What a fault is called is known below (`tests/embedding/test_provider_faults.py`). By day a worker meets all of them,
# and the others one of each kind.
KINDS = ("down", "hang", "error_500", "nan", "swapped")
USER = "me"
MODEL = "text-embedding-3-small"


@dataclass(frozen=True)
class Trouble:
    """A store with a few memories, a process that meets the fault, and one that never did."""

    provider: ProviderServer
    fault: str
    victim: Memory
    healthy: Memory

    @property
    def missing(self) -> tuple[str, ...]:
        """What an answer says is missing from it while the provider misbehaves."""
        return () if self.fault in HARMLESS else ("vector",)

    @property
    def embeds(self) -> bool:
        """Whether vectors can be had in spite of the fault."""
        return self.fault in HARMLESS


@pytest.fixture(params=FAULTS)
def trouble(request: pytest.FixtureRequest, open_service: OpenMemory, provider: ProviderServer) -> Trouble:
    fault: str = request.param
    healthy = open_service(embedding__concurrency=1)
    assert [one.degraded for one in healthy.user(USER).remember_many(KNOWN, wait=True)] == [()] * len(KNOWN)
    victim = open_service(embedding__timeout_s=0.25 if fault in SILENT else 60.0, embedding__concurrency=1)
    return Trouble(provider, fault, victim, healthy)


of_each_kind = pytest.mark.parametrize("trouble", slow_but(FAULTS, *KINDS), indirect=True)


def assert_it_passes(trouble: Trouble, texts: tuple[str, ...]) -> None:
    """When the provider is well again, a worker makes up for everything."""
    trouble.provider.fault = None
    worked = trouble.healthy.embed_waiting()
    assert (worked.parked, worked.unavailable) == (0, "")
    assert_all_is_well(trouble.healthy, USER, texts)
    figure(6, trouble.fault, cases=1, lost=0)


@pytest.mark.slow  # what stores one text stores many: the next one holds it every day
def test_remember(trouble: Trouble) -> None:
    me = trouble.victim.user(USER)
    trouble.provider.fault = trouble.fault
    stored = me.remember(NEW[0], wait=True)
    assert (stored.action, stored.degraded) == ("created", trouble.missing)
    assert me.get(stored.id).content == NEW[0]
    assert found_by_words(me, NEW[0])
    assert_right_vectors(trouble.healthy, USER, (*KNOWN, *NEW[: trouble.embeds]))
    assert_it_passes(trouble, (*KNOWN, NEW[0]))


@of_each_kind
def test_remember_many(trouble: Trouble) -> None:
    me = trouble.victim.user(USER)
    trouble.provider.fault = trouble.fault
    stored = me.remember_many(NEW, wait=True)
    assert [(one.action, one.degraded) for one in stored] == [("created", trouble.missing)] * len(NEW)
    assert [me.get(one.id).content for one in stored] == [*NEW]
    assert found_by_words(me, NEW[2])
    assert_right_vectors(trouble.healthy, USER, (*KNOWN, *(NEW if trouble.embeds else ())))
    assert_it_passes(trouble, (*KNOWN, *NEW))


@of_each_kind
def test_recall(trouble: Trouble) -> None:
    me, space = trouble.victim.user(USER), trouble.healthy.status().space
    assert space is not None
    trouble.provider.fault = trouble.fault
    for asked in ("ladder", "ladder", "something behind the shed"):
        answer = me.recall(asked)
        assert (answer.hits[0].content, answer.degraded) == (KNOWN[0], trouble.missing)
        cosine = answer.hits[0].similarity
        assert cosine == (pytest.approx(expected_cosine(KNOWN[0], asked, space), abs=1e-5) if trouble.embeds else None)
    trouble.provider.fault = None
    answer = trouble.healthy.user(USER).recall("ladder")
    assert answer.degraded == ()
    assert answer.hits[0].similarity == pytest.approx(expected_cosine(KNOWN[0], "ladder", space), abs=1e-5)
    assert_it_passes(trouble, KNOWN)


def test_worker(trouble: Trouble) -> None:
    me = trouble.victim.user(USER)
    stored = me.remember_many(NEW, wait=False)
    assert [one.degraded for one in stored] == [()] * len(NEW)
    trouble.provider.fault = trouble.fault
    for turn in range(3):
        worked = trouble.victim.embed_waiting()
        assert worked.embedded == (len(NEW) if trouble.embeds and turn == 0 else 0)
        assert (worked.parked, bool(worked.unavailable)) == (0, not trouble.embeds)
    coverage = trouble.victim.status().coverage[0]
    assert (coverage.waiting, coverage.parked) == (0 if trouble.embeds else len(NEW), 0)
    assert [me.get(one.id).content for one in stored] == [*NEW]
    assert found_by_words(me, NEW[1])
    assert_it_passes(trouble, (*KNOWN, *NEW))


@of_each_kind
def test_reembed(trouble: Trouble) -> None:
    many = tuple(f"Parcel {number} lies in room {number % 7}" for number in range(300))
    me, provider = trouble.victim.user(USER), trouble.provider
    trouble.healthy.user(USER).remember_many(many, wait=True)
    old = trouble.victim.status().space
    assert_it_does_not_begin(trouble)
    provider.fault = None
    provider.requests.clear()

    stop = Event()
    trouble.healthy.models.reembed(dimensions=40, stop=stop, tell=lambda _: stop.set())
    provider.fault = trouble.fault
    changed = trouble.victim.models.reembed()
    assert (changed.state, changed.previous) == ("finished" if trouble.embeds else "building", old)
    assert bool(changed.unavailable) != trouble.embeds
    assert 0 < changed.coverage[0].vectors <= changed.coverage[0].items == len(many) + len(KNOWN)
    assert (trouble.victim.status().space == old) != trouble.embeds
    answer = me.recall("Olomouc")
    assert (answer.hits[0].content, answer.degraded) == (KNOWN[1], trouble.missing)
    provider.fault = None
    done = trouble.healthy.models.reembed(dimensions=40)
    assert (done.state, done.coverage[0].share) == ("finished", 1.0)
    assert trouble.healthy.status().space != old
    assert paid_for(provider, many[:1]).total() == 1, "what had its vector already was paid for again"
    assert_it_passes(trouble, (*KNOWN, *many))


def assert_it_does_not_begin(trouble: Trouble) -> None:
    """A provider that cannot be tried is no reason to change anything."""
    if trouble.embeds:
        return
    before = trouble.victim._engine.store.spaces()
    trouble.provider.fault = trouble.fault
    with pytest.raises(EmbeddingError):
        trouble.victim.models.reembed(dimensions=40)
    assert trouble.victim._engine.store.spaces() == before
    assert found_by_words(trouble.victim.user(USER), KNOWN[2])


@pytest.fixture
def breakable(provider: ProviderServer) -> Iterator[ProviderEmbedder]:
    """An embedder whose provider is left in peace for a moment when it has failed twice."""
    breaker = CircuitBreaker(failures=2, first_pause_s=0.05, longest_pause_s=0.1)
    endpoint = provider_endpoint(provider.url("openai"), ApiKey(KEY), {}, timeout_s=60.0, retries=0, breaker=breaker)
    profile = ProviderProfile("openai", MODEL, "none", "none", DIMENSIONS, 2048, 300_000, 8191, None)
    embedder = ProviderEmbedder(profile, OpenAiProtocol(MODEL, "base64", DIMENSIONS), endpoint, LocalTokenizer())
    yield embedder
    embedder.close()


@pytest.mark.parametrize("fault", ["down", "error_500", "html", "nan"])
def test_the_same_process_goes_on_after_a_pause(
    open_service: OpenMemory, provider: ProviderServer, breakable: ProviderEmbedder, clock: SteppingClock, fault: str
) -> None:
    settings = open_service().settings
    with Memory.open(settings=settings, clock=clock, embedder=breakable) as memory:
        me = memory.user(USER)
        provider.fault = fault
        stored = [me.remember(text, wait=True) for text in (*KNOWN, *NEW)]
        assert [one.degraded for one in stored] == [("vector",)] * len(stored)
        assert me.recall("ladder").degraded == ("vector",)
        provider.fault = None
        assert eventually(lambda: memory.embed_waiting().unavailable == "")
        assert_all_is_well(memory, USER, (*KNOWN, *NEW))
