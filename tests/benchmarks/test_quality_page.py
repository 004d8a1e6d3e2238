"""`make quality`: intervals that mean what they say, results that are measured once, and a page made of them alone."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from benchmarks.quality import Found, Query, runs, score
from benchmarks.quality.intervals import bootstrap
from benchmarks.quality.models import CachedEmbedder
from benchmarks.quality.others import of_one_user, other_turns
from benchmarks.quality.page import COLUMNS, SETS_PLOT, SIZES_PLOT, descriptions, page
from benchmarks.quality.publish import OWN_SETS, main
from benchmarks.quality.results import Answered, Case, Conditions, Result, ResultFiles, answered
from benchmarks.quality.sets import Line, QualitySet

from recollect.embedding import LocalEmbedder
from recollect.embedding.known_models import LATEST
from tests.rows import every

ROOT = Path(__file__).parents[2]
CONDITIONS = Conditions("2026-01-02", "1.2.3", "abc1234", "2 cores of a machine", "sqlite")
SVG = "{http://www.w3.org/2000/svg}"
_SHOWN = re.compile(r"(\d+\.\d) \((\d+\.\d) to (\d+\.\d)\)")


def result(case: Case, *places: Sequence[int]) -> Result:
    return Result(case, 3, 1, [Answered("plain", 1, one) for one in places], CONDITIONS, 60.0)


RESULTS = [
    result(Case("notes", "encoder-3", "words"), [0], [3], []),
    result(Case("notes", "encoder-3", "fused"), [0], [0], [1]),
    result(Case("notes", "encoder-3", "fused", "auto"), [0], [0], [0]),
    result(Case("notes", "encoder-1", "fused"), [0], [1], [1]),
    result(Case("a & b", "encoder-3", "words"), [], [], []),
    result(Case("notes", "encoder-3", "fused", others=1_000), [0], [0], [12]),
    result(Case("notes", "encoder-3", "fused", others=10_000), [0], [9], []),
]


@cache
def written() -> Mapping[str, str]:
    """Give the page of these results and its plots: the intervals of a page take a second."""
    return page(RESULTS, "make quality")


def table(text: str, first: str) -> Sequence[Mapping[str, str]]:
    """Read the Markdown table whose head begins with these cells, by the names of its columns."""
    lines = text[text.index(f"| {first} |") :].partition("\n\n")[0].splitlines()
    head, rule, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    assert set(rule) == {"---"}
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_an_interval_is_about_two_standard_errors_wide() -> None:
    values = [float(number % 2) for number in range(400)]
    interval = bootstrap(values)
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.006)
    assert interval.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.006)
    assert bootstrap(values) == interval


def test_an_interval_without_values_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        bootstrap([])


@every("ranked", [["a", "x", "b", "x", "y"], ["x"], ["a", "b"], []])
def test_saved_places_give_the_scores_of_the_ranking(ranked: Sequence[str]) -> None:
    query = Query("q", "u", "?", "plain", frozenset({"x", "y", "z"}))
    assert answered(query, Found(ranked, None)).scores == score(ranked, query.relevant)


def test_a_saved_result_counts_for_its_key_only(tmp_path: Path) -> None:
    files = ResultFiles(tmp_path / "made")
    files.save(RESULTS[0], "key")
    assert files.load(RESULTS[0].case, "key") == RESULTS[0]
    assert files.load(RESULTS[0].case, "other") is None
    assert files.load(RESULTS[1].case, "key") is None


def test_the_page_has_every_result_with_its_interval() -> None:
    text = written()["quality.md"]
    rows = table(text, "set | n | model")
    assert [(row["set"], row["n"], row["model"], row["search"], row["R@1"][:5]) for row in rows] == [
        ("notes", "3", "any", "words", "33.3 "),
        ("notes", "3", "encoder-3", "fused", "66.7 "),
        ("notes", "3", "encoder-3", "fused + reranker", "100.0"),
        ("notes", "3", "encoder-1", "fused", "33.3 "),
        ("a & b", "3", "any", "words", "0.0 ("),
    ]
    grown = table(text, "set | n | other turns")
    assert [(row["other turns"], row["R@10"].split()[0]) for row in grown] == [("1,000", "66.7"), ("10,000", "66.7")]
    for row in (*rows, *grown):
        for column in COLUMNS:
            mean, low, high = map(float, _numbers(row[column]))
            assert 0 <= low <= mean <= high <= 100
    assert "2026-01-02 with Recollect 1.2.3 (abc1234) on sqlite; 2 cores of a machine" in text


def _numbers(cell: str) -> Sequence[str]:
    found = _SHOWN.fullmatch(cell)
    assert found, cell
    return found.groups()


def test_the_plots_are_drawings_with_all_series() -> None:
    files = written()
    sets, sizes = ET.fromstring(files[SETS_PLOT]), ET.fromstring(files[SIZES_PLOT])  # noqa: S314 - made here
    labels = {text.text for text in sets.iter(f"{SVG}text")}
    assert {"notes", "a & b", "words", "fused", "fused + reranker", "fused, encoder-1", "100 %"} <= labels
    assert len([*sets.iter(f"{SVG}circle")]) == 4 + 5  # the legend, and a mark per result
    assert {"1,000", "10,000"} <= {text.text for text in sizes.iter(f"{SVG}text")}
    assert len([*sizes.iter(f"{SVG}polyline")]) == 1 + 2  # the line of the series, and an interval per size


def test_other_turns_are_distinct_and_the_first_ones_stay() -> None:
    lines = [Line("c1", "u", None, None, "", "Likes tea"), Line("c2", "v", None, None, "", "Likes coffee")]
    queries = [Query(f"q{number}", "v" if number else "u", "?", "plain", frozenset({"c2"})) for number in range(3)]
    chosen = of_one_user(QualitySet(lines, queries))
    assert (chosen.users, len(chosen.queries)) == (("v",), 2)
    turns = other_turns(chosen, 300)
    assert len({turn.content for turn in turns}) == len({turn.id for turn in turns}) == 300
    assert {turn.user for turn in turns} == {"v"}
    assert [*other_turns(chosen, 20)] == turns[:20]


def write_set(folder: Path, amount: int) -> Path:
    """Write a set of notes on numbered boxes."""
    folder.mkdir()
    lines = [{"id": f"c{n}", "user": "u", "text": f"Box {n}x holds the thing number {n}"} for n in range(amount)]
    asked = [
        {"id": f"q{n}", "user": "u", "text": f"box {n}x", "category": "plain", "relevant": [f"c{n}"]}
        for n in range(amount)
    ]
    for name, entries in (("corpus.jsonl", lines), ("queries.jsonl", asked)):
        (folder / name).write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return folder


def test_a_set_is_measured_once_and_its_path_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notes, others = write_set(tmp_path / "notes", 3), write_set(tmp_path / "more", 30)
    docs = tmp_path / "docs"
    docs.mkdir()
    command = [str(notes), "--models", "none", "--sizes", "20,40", "--others", str(others)]
    command += ["--cache", str(tmp_path / "cache"), "--docs", str(docs)]
    assert main(command) == 0
    assert "notes/none/words/among-40" in capsys.readouterr().out
    written = (docs / "quality.md").read_text(encoding="utf-8")
    rows = table(written, "set | n | model")
    assert [(row["set"], row["n"], row["R@1"]) for row in rows] == [("notes", "3", "100.0 (100.0 to 100.0)")]
    assert [row["other turns"] for row in table(written, "set | n | other turns")] == ["20", "40"]
    assert str(tmp_path) not in "".join(file.read_text(encoding="utf-8") for file in docs.iterdir())
    assert "the texts of more, then made-up sentences" in written

    monkeypatch.setattr(runs, "prepared", None)  # a second measurement would call it
    (docs / "quality.md").unlink()
    assert main(command) == 0
    assert (docs / "quality.md").read_text(encoding="utf-8") == written
    with (notes / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write('{"id": "c9", "user": "u", "text": "One more"}\n')
    assert main([*command, "--report"]) == 2  # nothing is saved for the changed set
    assert "there are no results" in capsys.readouterr().err


@every(
    ("arguments", "message"),
    [
        (["--models", "encoder-0"], "encoder-0 is not installed; there are encoder-4"),
        (["--grow", "nowhere"], "nowhere is none of the sets (quality, requests, requests-2, in-common)"),
        (["--rerank", "maybe"], "'maybe' is none of off, auto, always"),
        (["--sizes", "0"], "'0' is not a whole number above 0"),
        ([str(OWN_SETS[0]), str(OWN_SETS[0])], "two sets have the same folder name"),
        (["--docs", "nowhere"], "there is no folder nowhere"),
    ],
)
def test_wrong_arguments_are_told(arguments: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_a_missing_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "gone"), "--cache", str(tmp_path)]) == 2
    assert "gone/corpus.jsonl: cannot be read" in capsys.readouterr().err


def test_cached_vectors_are_those_of_the_encoder(tmp_path: Path) -> None:
    texts = ["The roof leaks", "Dach", "The roof leaks"]
    expected = LocalEmbedder().embed(texts, "passage")
    for _ in range(2):  # made, then read
        embedder = CachedEmbedder(LATEST, tmp_path)
        assert np.array_equal(embedder.embed(texts, "passage"), expected)
        embedder.close()


def test_the_published_page_can_be_read() -> None:
    text = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    rows = table(text, "set | n | model")
    assert {folder.name for folder in OWN_SETS} <= {row["set"] for row in rows}
    for row in rows:
        assert int(row["n"]) > 0
        for column in COLUMNS:
            _numbers(row[column])
    for name in re.findall(r"\]\((quality-\w+\.svg)\)", text):
        ET.parse(ROOT / "docs" / name)  # noqa: S314 - our own file


def test_own_sets_are_described() -> None:
    known = descriptions()
    assert all(folder.name in known and not known[folder.name].elsewhere for folder in OWN_SETS)
    assert all(known[folder.name].tuned is not None for folder in OWN_SETS)
