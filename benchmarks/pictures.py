"""The pictures of docs/search-by-meaning.md, drawn from what the models and the ranking really answer.

`python -m benchmarks.pictures` writes them anew; nothing in them is typed by hand but the texts.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from benchmarks import svg
from recollect import Hit, Memory, load_settings
from recollect.embedding.local import LocalEmbedder
from recollect.model.memories import TextCandidate, TextCandidates
from recollect.ranking import bm25, factors

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

_TOPICS = {
    "animals": ("The dog sleeps by the stove", "Pes spí u kamen", "Кошка спит на печке"),
    "money": ("The rent is due on the first", "Nájem se platí prvního", "Die Miete ist am Ersten fällig"),
    "health": ("My knee hurts when I climb stairs", "Bolí mě koleno do schodů", "Болит колено на лестнице"),
    "food": ("She bakes rye bread on Sundays", "V neděli peče žitný chléb", "Sonntags backt sie Roggenbrot"),
}
_QUESTION = "Which pet do we have?"
_MEMORIES = (
    "A beagle called Bruno lives with us",
    "The pet shop closes at six",
    "We have a garden behind the house",
    "Anna is allergic to cats",
    "The car needs new tyres",
)
_LEFT, _ROW = 330, 34


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    embedder = LocalEmbedder()
    for name, picture in _pictures(embedder):
        (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")


def _pictures(embedder: LocalEmbedder) -> Iterator[tuple[str, str]]:
    yield "meaning", _meaning(embedder)
    yield "cosine", _cosines(embedder)
    yield "words", _word_counts()
    with tempfile.TemporaryDirectory() as folder:
        fused, reranked = (_hits(Path(folder) / "memory.db", rerank) for rerank in ("off", "always"))
    yield "fusion", _fusion(fused)
    yield "reranking", _reranking([hit.content for hit in fused], [hit.content for hit in reranked])
    yield "decay", _decay()


def _hits(database: Path, rerank: str) -> tuple[Hit, ...]:
    """Ask among the memories, with or without the reranker."""
    overrides = {"database": str(database), "recall.rerank": rerank, "rerank.budget_s": 60}
    with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides)) as memory:
        memory.me.remember_many(_MEMORIES)  # which it knows the second time
        return memory.me.recall(_QUESTION, min_score=0).hits


def _meaning(embedder: LocalEmbedder) -> str:
    """Draw sentences where their first two principal components are."""
    texts = [text for topic in _TOPICS.values() for text in topic]
    vectors = embedder.embed(texts, "passage")
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    flat = centred @ axes[:2].T
    low, high = flat.min(axis=0), flat.max(axis=0)
    places = [(30 + 460 * float(x), 70 + 270 * float(y)) for x, y in (flat - low) / (high - low)]
    parts = [svg.dot(number // 3 + 1, x, y) for number, (x, y) in enumerate(places)]
    for first in range(0, len(texts), 3):  # beside each group, for its dots lie too close together for three texts
        group = places[first : first + 3]
        right, middle = max(x for x, _ in group), sum(y for _, y in group) / 3
        for number, text in enumerate(texts[first : first + 3]):
            parts.append(svg.text(right + 12, middle + 15 * (number - 1) + 4, text, kind="small"))
    return svg.document("Twelve sentences, where the encoder puts them (two of 384 directions)", 390, parts)


def _cosines(embedder: LocalEmbedder) -> str:
    (question,) = embedder.embed([_QUESTION], "query")
    cosines = embedder.embed(list(_MEMORIES), "passage") @ question
    rows = {text: {"": float(cosine)} for text, cosine in zip(_MEMORIES, cosines, strict=True)}
    return _bars(f"How near each memory is to “{_QUESTION}”: the cosine", rows)


def _bars(title: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    """Draw a stacked bar for each text, the longest first."""
    ranked = sorted(rows.items(), key=lambda row: -sum(row[1].values()))
    widest = max(sum(parts.values()) for parts in rows.values())
    names = [name for name in ranked[0][1] if name]
    drawn = []
    for number, name in enumerate(names):
        drawn += [svg.dot(number + 1, _LEFT + 90 * number, 40), svg.text(_LEFT + 10 + 90 * number, 44, name)]
    for row, (text, parts) in enumerate(ranked):
        top, x = 60 + _ROW * row, float(_LEFT)
        drawn.append(svg.text(_LEFT - 10, top + 16, text, "end"))
        for number, amount in enumerate(parts.values()):
            width = 360 * max(0.0, amount) / widest
            drawn.append(svg.bar(number + 1, x, top, width, 22))
            x += width
        drawn.append(svg.text(x + 6, top + 16, f"{sum(parts.values()):.2f}", kind="small"))
    return svg.document(title, 80 + _ROW * len(rows), drawn)


def _word_counts() -> str:
    """Draw what one word adds that a text holds so often, for a rare word and a common one among 1,000 texts."""
    series = {"a word in 3 of 1,000 texts": 3, "in 100": 100, "in 500": 500}
    counts = range(11)
    scores = {name: [_score(count, holders) for count in counts] for name, holders in series.items()}
    return _lines("What a word proves: BM25 by how often a text of ten words holds it", counts, scores, "times")


def _score(count: int, holders: int) -> float:
    terms = ["beagle"] * count + ["other"] * (10 - count)
    candidates = TextCandidates([TextCandidate("row", terms)], {"beagle": holders}, 1_000)
    return bm25.score(candidates, ["beagle"]).scores["row"]


def _lines(title: str, xs: Sequence[int], series: Mapping[str, Sequence[float]], unit: str, lowest: float = 0.0) -> str:
    left, bottom, top = 60, 300, 60
    highest = max(max(values) for values in series.values())

    def point(x: float, value: float) -> tuple[float, float]:
        return left + (svg.WIDTH - left - 40) * x / xs[-1], bottom - (bottom - top) * (value - lowest) / (
            highest - lowest
        )

    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        value = lowest + share * (highest - lowest)
        _, y = point(0, value)
        parts += [
            svg.line(left, y, svg.WIDTH - 40, y, "grid"),
            svg.text(left - 8, y + 4, f"{value:.2f}", "end", "small"),
        ]
    for x in xs[:: max(1, len(xs) // 10)]:
        parts.append(svg.text(point(x, lowest)[0], bottom + 18, str(x), "middle", "small"))
    parts.append(svg.text(svg.WIDTH / 2, bottom + 38, unit, "middle"))
    for number, (name, values) in enumerate(series.items(), start=1):
        parts.append(svg.stroke(number, *(point(x, value) for x, value in zip(xs, values, strict=True))))
        parts += [svg.dot(number, 60 + 220 * (number - 1), 40), svg.text(70 + 220 * (number - 1), 44, name)]
    return svg.document(title, bottom + 50, parts)


def _fusion(hits: Sequence[Hit]) -> str:
    rows = {
        hit.content: {name: part.weight * part.score for name, part in sorted(hit.parts.channels.items())}
        for hit in hits
    }
    names = sorted({name for parts in rows.values() for name in parts})
    return _bars(
        f"“{_QUESTION}”: what each channel adds",
        {text: {name: parts.get(name, 0.0) for name in names} for text, parts in rows.items()},
    )


def _reranking(before: Sequence[str], after: Sequence[str]) -> str:
    """Draw the places before and after a model has read question and memory together."""
    parts = [svg.text(_LEFT - 10, 50, "before", "end"), svg.text(_LEFT + 110, 50, "after")]
    for place, text in enumerate(before):
        top, reached = 76 + _ROW * place, 76 + _ROW * after.index(text)
        parts.append(svg.text(_LEFT - 10, top + 4, text, "end"))
        parts.append(svg.text(_LEFT + 110, reached + 4, text))
        parts.append(svg.stroke(place + 1, (_LEFT, top), (_LEFT + 100, reached)))
    return svg.document(f"“{_QUESTION}”: places before and after reranking", 90 + _ROW * len(before), parts)


def _decay() -> str:
    now, days = datetime.now(UTC), range(0, 181, 6)
    fading = factors.Fading({"event": 30.0})
    series = {
        name: [factors.recency(kind, now - timedelta(days=day), now, fading) for day in days]
        for name, kind in (("events and messages", "event"), ("facts, preferences, decisions", "fact"))
    }
    return _lines("What age costs: the factor that a score is multiplied by", days, series, "days", lowest=0.8)


if __name__ == "__main__":
    main()
