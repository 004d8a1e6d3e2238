"""The page docs/quality.md, made of results alone: the same results give the same page."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality.intervals import RESAMPLES, Interval
from benchmarks.quality.others import MOST_QUESTIONS
from benchmarks.quality.plot import Series, plot_of_sets, plot_of_sizes
from benchmarks.quality.results import Case, Result
from benchmarks.quality.scores import FEWEST_COMPARED
from benchmarks.quality.sets import DATA

COLUMNS = ("R@1", "R@10", "R@50", "MRR")
SETS_PLOT, SIZES_PLOT = "quality-sets.svg", "quality-size.svg"
_PLOTTED = "R@10"
_HEAD = f"""# Search quality

<!-- Written by `make quality`; do not edit. -->

How much of what was stored is found again: each set is stored anew and its questions are asked through the public
verbs, of the words alone, of the vectors alone, of both fused, and with the reranker. **R@k** is the share of the texts
that answer a question among the first k hits, **MRR** the mean of 1 / (place of the first such text); both in percent.
In brackets stands the 95 % interval: {RESAMPLES:,} bootstrap samples of the questions with a fixed seed. Two intervals
that overlap say little about which of the two is better.
"""
_ANSWERS = (Path(__file__).parent / "answers.md").read_text("utf-8")
_LIMITS = """## What these figures do not say

- Sets that are marked *tuned on* had a say in weights and thresholds, so their figures flatter. Those of sets that are
  *held back* do not.
- Most sets were written or chosen by the authors of Recollect. Your users ask other things in other words: measure with
  a set of your own, `python -m benchmarks.quality --data DIR`.
- A question counts by the texts that its set names. Another text that answers as well counts as a miss.
- The reranker was given all the time it wanted. In use it has a time budget, so on a slow machine it scores fewer of
  the hits.
- Where no question failed, or all did, an interval has no width: with so few questions nothing can be said about rare
  failures.
- Weights and thresholds are those for the newest model. An older one, with the weights of its time, may do better.
- Intervals are about the choice of questions, not about the choice of users, topics or languages.
"""


@dataclass(frozen=True, slots=True)
class SetDescription:
    """What a set is, and whether it was tuned on; None when that is not known."""

    about: str
    tuned: bool | None
    elsewhere: bool = False


def descriptions() -> Mapping[str, SetDescription]:
    """Read what the project knows about sets, its own ones and others."""
    with (DATA / "sets.toml").open("rb") as file:
        return {name: SetDescription(**entry) for name, entry in tomllib.load(file).items()}


def page(results: Sequence[Result], command: str) -> Mapping[str, str]:
    """Give the files of the documentation, by name."""
    small = [one for one in results if not one.case.others]
    large = [one for one in results if one.case.others]
    files = {SETS_PLOT: _plot_sets(small)}
    parts = [_HEAD, _conditions(results, command), _about_sets(small)]
    parts += ["## All sets", f"![{_PLOTTED} of every set]({SETS_PLOT})", results_table(small), _by_category(small)]
    if large:
        files[SIZES_PLOT] = _plot_sizes(large)
        parts += [_about_sizes(large), f"![{_PLOTTED} by the size of the store]({SIZES_PLOT})", sizes_table(large)]
    return {"quality.md": "\n\n".join(part.strip() for part in (*parts, _ANSWERS, _LIMITS) if part) + "\n", **files}


def results_table(results: Sequence[Result]) -> str:
    """Lay out a row per set and way to search."""
    head = ("set", "n", "model", "search", *COLUMNS)
    rows = [
        (one.case.set_name, len(one.answered), _model(one.case), search(one.case), *_scores(one)) for one in results
    ]
    return _table(head, rows)


def sizes_table(results: Sequence[Result]) -> str:
    """Lay out a row per set, number of other turns and way to search."""
    head = ("set", "n", "other turns", "model", "search", *COLUMNS)
    rows = [
        (
            one.case.set_name,
            len(one.answered),
            f"{one.case.others:,}",
            _model(one.case),
            search(one.case),
            *_scores(one),
        )
        for one in results
    ]
    return _table(head, rows)


def search(case: Case) -> str:
    """Name a way to search."""
    if case.rerank == "off":
        return case.channel
    return f"{case.channel} + reranker" + ("" if case.rerank == "auto" else f" ({case.rerank})")


def _model(case: Case) -> str:
    return "any" if case.channel == "words" else case.model


def _scores(result: Result, category: str | None = None) -> Sequence[str]:
    return [_shown(result.interval(column, category)) for column in COLUMNS]


def _shown(interval: Interval) -> str:
    return f"{interval.mean:.1f} ({interval.low:.1f} to {interval.high:.1f})"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def _conditions(results: Sequence[Result], command: str) -> str:
    conditions = [one.conditions for one in results]
    dates = sorted({one.date for one in conditions})
    versions = sorted({f"{one.version} ({one.revision})" if one.revision else one.version for one in conditions})
    seconds = sum(one.seconds for one in results)
    return (
        f"Measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))} with Recollect {', '.join(versions)} on "
        f"{', '.join(sorted({one.store for one in conditions}))}; "
        f"{'; '.join(sorted({one.machine for one in conditions}))}. "
        f"Asking took {seconds / 60:.0f} minutes. Again: `{command}`"
    )


def _about_sets(results: Sequence[Result]) -> str:
    known = descriptions()
    rows: dict[str, Sequence[object]] = {}
    for one in results:
        name = one.case.set_name
        described = known.get(name, SetDescription("a set that the project does not describe", None))
        use = {True: "tuned on", False: "held back", None: "not known"}[described.tuned]
        about = f"{described.about}{'; not part of the project' if described.elsewhere else ''}"
        rows[name] = (name, about, f"{one.texts:,}", one.users, len(one.answered), use)
    return f"## The sets\n\n{_table(('set', 'what it is', 'texts', 'users', 'questions', 'use'), list(rows.values()))}"


def _by_category(results: Sequence[Result]) -> str:
    """Show the newest model's searches of both channels by category, where one has enough questions."""
    rows = [
        (one.case.set_name, category, n, search(one.case), *_scores(one, category))
        for one in results
        for category, n in one.categories.items()
        if one.case.channel == "fused" and one.case.model == results[0].case.model
        if FEWEST_COMPARED <= n < len(one.answered)
    ]
    head = ("set", "category", "n", "search", *COLUMNS)
    about = f"Categories with {FEWEST_COMPARED} questions or more, with the newest model."
    return f"## By category\n\n{about}\n\n{_table(head, rows)}" if rows else ""


def _about_sizes(results: Sequence[Result]) -> str:
    sources = sorted({one.other_source for one in results} - {""})
    texts = f"the texts of {' and '.join(sources)}, then made-up sentences" if sources else "made-up sentences"
    return (
        "## As the store grows\n\nThe same questions of the set's user with the most questions (at most "
        f"{MOST_QUESTIONS} of them), among other turns of the same user: {texts}. Made-up sentences are short, English "
        "and alike, so real ones can be harder to tell from an answer."
    )


def _plot_sets(results: Sequence[Result]) -> str:
    names = list(dict.fromkeys(one.case.set_name for one in results))
    newest = results[0].case.model
    shown = [one for one in results if one.case.model == newest or search(one.case) == "fused"]
    found = {(one.case.set_name, _label(one.case, newest)): one.interval(_PLOTTED) for one in shown}
    labels = dict.fromkeys(_label(one.case, newest) for one in shown)
    series = [Series(label, [found.get((name, label)) for name in names]) for label in labels]
    return plot_of_sets(f"{_PLOTTED} with 95 % intervals", names, series)


def _label(case: Case, newest: str) -> str:
    return search(case) if case.model == newest else f"{search(case)}, {case.model}"


def _plot_sizes(results: Sequence[Result]) -> str:
    sizes = sorted({one.case.others for one in results})
    several = len({one.case.set_name for one in results}) > 1
    named: dict[str, dict[int, Interval]] = {}
    for one in results:
        label = f"{one.case.set_name}, {search(one.case)}" if several else search(one.case)
        named.setdefault(label, {})[one.case.others] = one.interval(_PLOTTED)
    series = [Series(label, [found.get(size) for size in sizes]) for label, found in named.items()]
    names = " and ".join(dict.fromkeys(one.case.set_name for one in results))
    return plot_of_sizes(f"{_PLOTTED} of {names} as the store grows, with 95 % intervals", sizes, series)
