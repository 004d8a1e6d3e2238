"""The page docs/scale.md and its curves, made of results alone."""

import math
from collections.abc import Mapping, Sequence

from benchmarks import svg
from benchmarks.quality.plot import Series, plot_of_sizes
from benchmarks.quality.runs import conditions
from benchmarks.scale.results import Results

_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 140, 58, 358
_HEAD = """# How it grows

<!-- Written by `python -m benchmarks scale --write`; do not edit. -->

One SQLite file with one user of up to a million memories, and files with many users. Processor time is what counts
here: it depends less than the clock on what else a machine does. [Capacity](capacity.md) says what follows from it,
and what the vector index of PostgreSQL finds among real sentences stands [there](postgresql.md#how-much-it-finds).
"""
_DATA = """The memories are made up: words of the project's own English lines, each as often as it stands there, and
one name from a long tail; vectors lie between those of such lines by the bundled encoder. Recalls have their vector
given, so that no encoder is measured, and no answer comes from the cache of answers. Each question is asked twice and
the second time is measured, so pages are in the machine's memory. *Common words* are three of the twenty commonest."""
_QUALITY = """## What is found

The questions of the project's sets (`benchmarks/data`) about what the user said among that many made-up memories. The
bundled encoder embeds the questions and the sets, the reranker is off. Each made-up memory that is found takes a place
of the ten. They are not real ones: of these more or fewer may stand as near to a question as its answer."""


def page(results: Results, command: str) -> Mapping[str, str]:
    """Give the files of the documentation, by name."""
    measured = conditions("sqlite")
    code = f"Recollect {measured.version} ({measured.revision})"
    when = f"Measured {measured.date} with {code} on {measured.machine}, which did other work at the same time."
    sizes = [one.built.rows for one in results.giants]
    times = {
        "usual questions, p95": [one.probe.usual.cpu_p95 for one in results.giants],
        "common words, p95": [one.probe.common.cpu_p95 for one in results.giants],
        "usual questions, p50": [one.probe.usual.cpu_p50 for one in results.giants],
    }
    memory = {
        "file, MB": [one.built.bytes / 1e6 for one in results.giants],
        "memory, MB": [one.probe.peak_mb for one in results.giants],
    }
    names = list(results.giants[0].quality)
    quality = [Series(f"{name}, R@10", [one.quality[name] for one in results.giants]) for name in names]
    parts = [
        _HEAD,
        f"{when} Again: `{command}`",
        _DATA,
        "## One user",
        results.table(),
        "![Processor time of a recall](scale-time.svg)",
        "![Memory and disk](scale-space.svg)",
        _QUALITY,
        "![R@10 by the size of the store](scale-quality.svg)",
        "## Many users in one file",
        results.table_of_users(),
    ]
    return {
        "scale.md": "\n\n".join(part.strip() for part in parts) + "\n",
        "scale-time.svg": plot("Processor time of a recall, in ms, by the memories of the user", sizes, times),
        "scale-space.svg": plot("Space, by the memories of the user", sizes, memory),
        "scale-quality.svg": plot_of_sizes("R@10 with 95 % intervals, by the memories of the user", sizes, quality),
    }


def plot(title: str, sizes: Sequence[int], series: Mapping[str, Sequence[float]]) -> str:
    """Draw a line per series; both axes are logarithmic."""
    values = [value for line in series.values() for value in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = [math.log10(size) for size in sizes]
    reach = (steps[-1] - steps[0]) or 1.0
    xs = [_LEFT + 20 + (svg.WIDTH - _LEFT - _RIGHT) * (step - steps[0]) / reach for step in steps]

    def down(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (math.log10(value) - low) / (high - low or 1)

    parts = [svg.text(x, _BOTTOM + 18, f"{size:,}", "middle", "small") for x, size in zip(xs, sizes, strict=True)]
    for power in range(low, high + 1):
        y = down(10.0**power)
        parts.append(svg.line(_LEFT, y, svg.WIDTH - 20, y, "grid"))
        parts.append(svg.text(_LEFT - 8, y + 4, f"{10.0**power:,g}", "end", "small"))
    for number, (name, line) in enumerate(series.items()):
        points = [(x, down(value)) for x, value in zip(xs, line, strict=True)]
        parts.append(svg.stroke(number, *points))
        parts += [svg.dot(number, *point) for point in points]
        parts.append(svg.dot(number, 20.0 + 230 * number, 40))
        parts.append(svg.text(28.0 + 230 * number, 44, name))
    return svg.document(title, _BOTTOM + 40, parts)
