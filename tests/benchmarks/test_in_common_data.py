"""The set about what people have in common is whole: each question is answered by memories of its user."""

from collections import Counter
from pathlib import Path

import pytest
from benchmarks.quality import QualitySet, load

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "in-common"
LANGUAGES = ("en", "de", "cs", "ru")


@pytest.fixture(scope="module")
def chosen() -> QualitySet:
    return load(DATA)


def test_each_language_has_as_many_questions(chosen: QualitySet) -> None:
    assert Counter(query.user for query in chosen.queries) == dict.fromkeys(LANGUAGES, 16)
    assert {query.category for query in chosen.queries} == {
        f"{language}-{about}" for language in LANGUAGES for about in ("open", "topic")
    }


def test_each_question_is_answered_by_several_memories_of_its_user(chosen: QualitySet) -> None:
    user_of = {line.id: line.user for line in chosen.lines}

    for query in chosen.queries:
        assert 2 <= len(query.relevant) <= 8
        assert {user_of[line_id] for line_id in query.relevant} == {query.user}


def test_no_memory_is_there_twice(chosen: QualitySet) -> None:
    texts = Counter(line.content.casefold() for line in chosen.lines)

    assert [text for text, times in texts.items() if times > 1] == []
