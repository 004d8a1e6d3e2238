"""What is meant in each language, and what is no time, as the tables beside this say."""

from pathlib import Path

from tests.rows import every
from tests.text.time_expressions.reading import Case, found, read_cases, read_lines

TABLES = Path(__file__).parent
LANGUAGES = ("czech", "english", "german", "russian")
MEANT = {language: read_cases((TABLES / f"{language}.txt").read_text("utf-8")) for language in LANGUAGES}
NO_TIME = {language: read_lines((TABLES / f"{language}_no_time.txt").read_text("utf-8")) for language in LANGUAGES}


@every("case", [case for cases in MEANT.values() for case in cases])
def test_what_is_meant(case: Case) -> None:
    assert found(case.query, case.now) == [case.expected]


@every("query", [query for queries in NO_TIME.values() for query in queries])
def test_what_is_no_time(query: str) -> None:
    assert found(query) == []


@every("language", LANGUAGES)
def test_the_cases_are_many(language: str) -> None:
    assert len(MEANT[language]) >= 60
    assert len(NO_TIME[language]) >= 40
