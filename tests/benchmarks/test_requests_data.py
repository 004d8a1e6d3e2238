"""Each set of requests is whole: it loads, is large enough, and most requests share no word with their instructions."""

import re
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.quality import QualitySet, load

DATA = Path(__file__).parents[2] / "benchmarks" / "data"
LANGUAGES = ("en", "de", "cs", "ru")


@pytest.fixture(scope="module", params=["requests", "requests-2"])
def requests(request: pytest.FixtureRequest) -> QualitySet:
    return load(DATA / request.param)


def words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"\w{4,}", text.casefold())}


def test_the_set_is_large_enough(requests: QualitySet) -> None:
    applying = {line_id for query in requests.queries for line_id in query.relevant}

    assert len(requests.queries) >= 72
    assert len(requests.lines) - len(applying) >= 500


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_asks_about_a_quarter(language: str, requests: QualitySet) -> None:
    asked = Counter(query.category.split("-")[0] for query in requests.queries)

    assert 0.2 <= asked[language] / len(requests.queries) <= 0.3
    assert any(query.category.startswith(f"{language}-") for query in requests.queries)


def test_requests_have_one_to_three_instructions_of_the_user(requests: QualitySet) -> None:
    roles = {line.id: line.role for line in requests.lines}

    assert {len(query.relevant) for query in requests.queries} <= {1, 2, 3}
    assert {roles[line_id] for query in requests.queries for line_id in query.relevant} == {"user"}


def test_at_least_half_of_the_requests_share_no_word_with_an_instruction(requests: QualitySet) -> None:
    texts = {line.id: line.content for line in requests.lines}
    apart = [
        query
        for query in requests.queries
        if all(words(query.text).isdisjoint(words(texts[line_id])) for line_id in query.relevant)
    ]

    assert 2 * len(apart) >= len(requests.queries)


def test_no_text_is_there_twice(requests: QualitySet) -> None:
    texts = Counter(line.content.casefold() for line in requests.lines)
    texts.update(query.text.casefold() for query in requests.queries)

    assert [text for text, times in texts.items() if times > 1] == []


def test_sessions_go_forward_in_time(requests: QualitySet) -> None:
    sessions: dict[str | None, list[float]] = {}
    for line in requests.lines:
        assert line.said_at is not None
        sessions.setdefault(line.session, []).append(line.said_at.timestamp())

    assert [name for name, moments in sessions.items() if moments != sorted(set(moments))] == []
