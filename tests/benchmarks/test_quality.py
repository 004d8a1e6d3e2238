"""The figures mean what they say: scores computed by hand, and sets that are refused for a stated reason."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import isclose, log2
from pathlib import Path

import pytest
from benchmarks.quality import (
    COLUMNS,
    OWN_SET,
    BadSet,
    Found,
    Line,
    Query,
    answerable,
    auc,
    below_best,
    load,
    main,
    score,
    tabulate,
)

from tests.rows import every

LINES: Sequence[Mapping[str, object]] = (
    {"id": "c1", "user": "anna", "session": "s", "turn": 0, "timestamp": "2025-03-08T10:00:00", "speaker": "Anna",
     "text": "I sold the bicycle.", "caption": "a blue bicycle"},
    {"id": "c2", "user": "anna", "session": "s", "turn": 1, "timestamp": "2025-03-08T12:00:00+02:00",
     "speaker": "Assistant", "text": "For how much?", "caption": None},
    {"id": "c3", "user": "anna", "session": "s", "turn": 2, "timestamp": None, "speaker": "User", "text": "Ninety."},
    {"id": "c4", "user": "anna", "session": None, "turn": 0, "timestamp": None, "speaker": None, "text": "Likes tea"},
    {"id": "c5", "user": "petr", "session": None, "turn": 0, "timestamp": None, "speaker": None, "text": "Likes tea"},
)  # fmt: skip
QUERIES: Sequence[Mapping[str, object]] = (
    {"id": "q1", "user": "anna", "text": "blue bicycle", "category": "photo", "relevant": ["c1"], "answer": None},
    {"id": "q2", "user": "anna", "text": "tea", "category": "taste", "relevant": ["c4"], "answer": 1},
    {"id": "q3", "user": "petr", "text": "tea", "category": "taste", "relevant": ["c5"], "answer": "yes"},
    {"id": "q4", "user": "petr", "text": "coffee", "category": "adversarial", "relevant": ["gone"], "answer": None},
    {"id": "q5", "user": "petr", "text": "coffee", "category": "taste", "relevant": [], "answer": None},
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of five lines."""
    write(tmp_path / "corpus.jsonl", LINES)
    write(tmp_path / "queries.jsonl", QUERIES)
    return tmp_path


def write(path: Path, entries: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")


def test_one_answer_in_the_third_place() -> None:
    row = score(["a", "b", "x"], frozenset({"x"}))
    assert [row[f"R@{depth}"] for depth in (1, 5, 10, 20, 50)] == [0, 1, 1, 1, 1]
    assert row["hit@10"] == 1
    assert isclose(row["MRR"], 1 / 3)
    assert isclose(row["nDCG@10"], 1 / log2(4))


def test_two_answers_in_the_first_and_the_twelfth_place() -> None:
    row = score(["x", *"abcdefghij", "y"], frozenset({"x", "y"}))
    assert [row[f"R@{depth}"] for depth in (1, 5, 10, 20, 50)] == [0.5, 0.5, 0.5, 1, 1]
    assert row["MRR"] == 1
    assert isclose(row["nDCG@10"], 1 / (1 + 1 / log2(3)))


def test_what_comes_twice_counts_once() -> None:
    assert score(["a", "a", "x"], frozenset({"x"}))["MRR"] == 0.5
    assert score(["x", "x"], frozenset({"x", "y"}))["R@10"] == 0.5


def test_nothing_found_scores_nothing() -> None:
    assert set(score([], frozenset({"x"})).values()) == {0.0}


def test_a_table_has_percents_of_all_and_of_each_category() -> None:
    queries = [Query(f"q{i}", "u", "?", "odd" if i % 2 else "even", frozenset({"x"})) for i in range(3)]
    table = tabulate(queries, {"q0": found("x"), "q1": found("a", "x"), "q2": found("a", "b", "x")})
    assert list(table) == ["all", "even", "odd"]
    assert [table[name]["n"] for name in table] == [3, 2, 1]
    assert [table[name]["R@1"] for name in table] == [33.3, 50.0, 0.0]
    assert [table[name]["MRR"] for name in table] == [61.1, 66.7, 50.0]


def found(*lines: str, answerable: float | None = None) -> Found:
    return Found(lines, answerable)


def test_a_fusion_below_one_of_its_channels_is_told() -> None:
    fused = {"all": flat(50.0, 40), "few": flat(10.0, 39)}
    channels = {"text": {"all": flat(20.0, 40), "few": flat(90.0, 39)}, "vector": {"all": flat(50.6, 40)}}
    (figure,) = below_best(fused, channels)
    assert (figure.ratio, figure.reached) == (0.6, False)
    assert figure.line().startswith("MISS all, fusion below its best channel: 0.6 (at most 0.5)")


def flat(percent: float, n: int) -> Mapping[str, float]:
    return {"n": n, **dict.fromkeys(COLUMNS, percent)}


def test_auc_is_the_chance_of_being_above() -> None:
    assert auc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auc([0.5], [0.5]) == 0.5
    assert auc([0.9, 0.1], [0.5, 0.1]) == 0.625


def test_answers_that_know_that_they_are_are_told_from_others() -> None:
    own, strangers = {"q0": found(answerable=0.75)}, {"q0": found(answerable=0.25)}
    assert answerable(own, strangers) == ("answerable: AUC 1.000 | 0.75 for the own user, 0.25 for another, 1 queries")
    assert answerable(own, {"q0": found()}) == "answerable: this version does not say"


@every(
    ("speaker", "role", "person"),
    [
        ("", "user", ""),
        ("Human", "user", ""),
        ("USER", "user", ""),
        ("AI Assistant", "assistant", ""),
        ("system", "assistant", ""),
        ("Agent Smith", "user", "Agent Smith"),
        ("Caroline", "user", "Caroline"),
    ],
)
def test_who_speaks(speaker: str, role: str, person: str) -> None:
    line = Line("c", "u", "s", None, speaker, "Hello")
    assert (line.role, line.person) == (role, person)


def test_a_set_is_read(folder: Path) -> None:
    found = load(folder)
    first, second, third, *_ = found.lines
    assert first.content == "I sold the bicycle.\n[image: a blue bicycle]"
    assert first.said_at == second.said_at == datetime(2025, 3, 8, 10, tzinfo=UTC)
    assert third.said_at is None
    assert [query.id for query in found.queries] == ["q1", "q2", "q3"]
    assert found.users == ("anna", "petr")


def test_the_set_of_our_own_is_whole() -> None:
    found = load(OWN_SET)
    assert len(found.users) == 2
    assert len(found.queries) >= 40


def without(entry: Mapping[str, object], **changed: object) -> str:
    return json.dumps({**entry, **changed})


@pytest.mark.parametrize(
    ("file", "line", "found"),
    [
        ("corpus.jsonl", "{", "not JSON"),
        ("corpus.jsonl", "[1]", "expected an object"),
        ("corpus.jsonl", without(LINES[0]), "'c1' was given to an earlier line"),
        ("corpus.jsonl", without(LINES[0], id=None), "id is missing"),
        ("corpus.jsonl", without(LINES[0], id="c6", text=7), "text is 7; it must be a text"),
        ("corpus.jsonl", without(LINES[0], id="c6", timestamp="soon"), "timestamp is 'soon'"),
        ("queries.jsonl", without(QUERIES[0]), "'q1' was given to an earlier query"),
        ("queries.jsonl", without(QUERIES[0], id="q6", relevant=["c9"]), "relevant id 'c9' is no line of user 'anna'"),
        ("queries.jsonl", without(QUERIES[0], id="q6", relevant=["c5"]), "relevant id 'c5' is no line of user 'anna'"),
        ("queries.jsonl", without(QUERIES[0], id="q6", relevant="c1"), "it must be a list of ids"),
    ],
)
def test_a_wrong_line_is_named(
    folder: Path, file: str, line: str, found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with (folder / file).open("a", encoding="utf-8") as wrong:
        wrong.write(f"\n{line}\n")
    assert main(["--data", str(folder)]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith(f"quality: {folder / file}, line 7: ")
    assert found in message


def test_bytes_that_are_no_text_are_named(folder: Path) -> None:
    (folder / "corpus.jsonl").write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(BadSet, match=r"corpus\.jsonl, line 1: not JSON"):
        load(folder)


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl"])
def test_a_missing_file_is_named(folder: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / file).unlink()
    assert main(["--data", str(folder)]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith(f"quality: {folder / file}: cannot be read")


def test_nothing_to_ask_is_told(folder: Path) -> None:
    write(folder / "queries.jsonl", QUERIES[3:])
    with pytest.raises(BadSet, match="nothing to measure"):
        load(folder)


def test_a_run_from_end_to_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = folder / "run.jsonl"
    assert main(["--data", str(folder), "--store", "sqlite", "--embedder", "none", "--run-out", str(run)]) == 0
    ranked = {one["id"]: one["ranked"] for one in map(json.loads, run.read_text(encoding="utf-8").splitlines())}
    assert {query: found[0] for query, found in ranked.items()} == {"q1": "c1", "q2": "c4", "q3": "c5"}
    printed = capsys.readouterr().out
    assert printed.splitlines()[1].split() == ["all", "3", *["100.0"] * len(COLUMNS)]
    assert [line.split()[0] for line in printed.splitlines() if line] == [
        "fusion", "all", "photo", "taste", "text", "all", "photo", "taste", "answerable:",
    ]  # fmt: skip


def test_some_queries_are_taken_from_all_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--embedder", "none", "--limit-queries", "2"]) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:4]] == [
        ["all", "2"], ["photo", "1"], ["taste", "1"],
    ]  # fmt: skip
