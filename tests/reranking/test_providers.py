"""Rerankers behind a network: what they are asked, how their scores are read, and what becomes of a bad answer."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from recollect.errors import RerankerError, SettingsError
from recollect.ports import RerankText
from recollect.reranking import ProviderReranker, as_logits, create_reranker
from recollect.settings import RerankSettings
from tests.reranking.server import PATHS, RerankServer
from tests.rows import every

KEY = "rk-0123456789"
QUESTION = "where is the spare key"
TEXTS = [
    RerankText("the dog sleeps"),
    RerankText("under the pot", "Ann: where is the key?"),
    RerankText("the spare key is in the shed"),
]
EXPECTED = [-2.0, 4.0, 4.0]


@pytest.fixture
def server() -> Iterator[RerankServer]:
    with RerankServer() as running:
        yield running


MakeReranker = Callable[..., ProviderReranker]


@pytest.fixture
def make(server: RerankServer) -> Iterator[MakeReranker]:
    """Make rerankers that ask the test's server, and close them."""
    with ExitStack() as opened:

        def reranker(provider: str, **more: Any) -> ProviderReranker:
            usual = {"provider": provider, "url": server.url(provider), "api_key": KEY, "retries": 0}
            made = create_reranker(RerankSettings(**{**usual, **more}))
            opened.callback(made.close)
            return made

        yield reranker


@pytest.mark.parametrize("provider", PATHS)
def test_texts_are_scored_in_their_own_order(server: RerankServer, make: MakeReranker, provider: str) -> None:
    reranker = make(provider, model="" if provider == "tei" else "a-model")
    reranker.prepare()
    assert reranker.score(QUESTION, TEXTS, 30.0) == pytest.approx(EXPECTED)
    assert reranker.score(QUESTION, []) == []
    ((path, headers, body),) = server.requests
    assert path == f"{PATHS[provider]}/rerank"
    assert headers["Authorization"] == f"Bearer {KEY}"
    shown = ["the dog sleeps", "Ann: where is the key?\nunder the pot", "the spare key is in the shed"]
    if provider == "tei":
        assert body == {"query": QUESTION, "texts": shown, "raw_scores": True, "truncate": True}
    else:
        assert (body["query"], body["documents"], body["top_n"], body["model"]) == (QUESTION, shown, 3, "a-model")
    assert reranker.name == ("tei" if provider == "tei" else f"{provider}/a-model")
    assert (reranker.is_remote, KEY in repr(reranker)) == (True, False)
    reranker.close()


@pytest.mark.parametrize("provider", ["cohere", "tei"])
@pytest.mark.parametrize("fault", ["few", "twice", "beyond", "no index", "nan", "text", "html", "empty", "huge"])
def test_an_answer_that_makes_no_sense_is_refused(
    server: RerankServer, make: MakeReranker, provider: str, fault: str
) -> None:
    reranker = make(provider)
    server.fault = fault
    with pytest.raises(RerankerError) as caught:
        reranker.score(QUESTION, TEXTS, 30.0)
    assert str(caught.value).startswith("127.0.0.1")
    server.fault = ""
    assert reranker.score(QUESTION, TEXTS, 30.0) == pytest.approx(EXPECTED)


def test_a_redirect_is_not_followed_and_a_wrong_key_is_named(server: RerankServer, make: MakeReranker) -> None:
    reranker = make("jina")
    server.fault = "redirect"
    with pytest.raises(RerankerError, match="redirect"):
        reranker.score(QUESTION, TEXTS, 30.0)
    assert len(server.requests) == 1
    server.fault = "unauthorized"
    with pytest.raises(RerankerError, match=r"rerank\.api_key") as caught:
        reranker.score(QUESTION, TEXTS, 30.0)
    assert KEY not in str(caught.value)


def test_a_failure_is_tried_again_within_the_budget_only(server: RerankServer, make: MakeReranker) -> None:
    reranker = make("tei", retries=1)
    server.fault, server.times = "busy", 1
    assert reranker.score(QUESTION, TEXTS, 30.0) == EXPECTED
    assert len(server.requests) == 2
    server.times = 1
    with pytest.raises(RerankerError):
        reranker.score(QUESTION, TEXTS, 0.0)
    assert len(server.requests) == 2


def test_a_server_that_hangs_is_given_up_at_the_end_of_the_budget(server: RerankServer, make: MakeReranker) -> None:
    server.fault = "hangs"
    with pytest.raises(RerankerError, match="did not answer within"):
        make("tei", retries=3).score(QUESTION, TEXTS, 0.2)
    assert len(server.requests) == 1


def test_a_server_that_keeps_failing_is_left_in_peace(server: RerankServer, make: MakeReranker) -> None:
    reranker = make("tei")
    server.fault = "busy"
    for _ in range(20):
        with pytest.raises(RerankerError):
            reranker.score(QUESTION, TEXTS, 30.0)
    assert len(server.requests) < 20


def test_long_texts_are_cut(server: RerankServer, make: MakeReranker) -> None:
    reranker = make("tei")
    reranker.score("q" * 5_000, [RerankText("t" * 5_000, "p" * 5_000), RerankText("\ud83d")], 30.0)
    ((_, _, body),) = server.requests
    assert (len(body["query"]), [len(text) for text in body["texts"]]) == (1_000, [2_301, 1])


def test_probabilities_become_logits_and_other_numbers_stay() -> None:
    assert as_logits([0.5, 1.0, 0.0]) == pytest.approx([0.0, 11.5, -11.5], abs=0.1)
    assert as_logits([-3.0, 0.5, 7.5]) == [-3.0, 0.5, 7.5]


@every(
    ("given", "missing"),
    [
        ({"provider": "compatible"}, r"rerank\.url"),
        ({"provider": "cohere"}, r"rerank\.api_key"),
        ({"provider": "jina"}, r"rerank\.api_key"),
        ({"provider": "tei", "url": "ftp://example.org"}, "not a URL"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, Any], missing: str) -> None:
    with pytest.raises(SettingsError, match=missing):
        create_reranker(RerankSettings(**given))
