"""A summary as one paragraph, the way it is kept as a memory."""

from recollect.model.messages import SummaryPoints
from recollect.text.summary.format import tidy
from recollect.text.summary.shortening import shortened

_Lists = tuple[list[str], list[str], list[str]]


def as_memory(points: SummaryPoints, longest: int = 600) -> str:
    """Give the summary as one paragraph: what was said, what was done, what is open; the first points of each."""
    points = tidy(points)
    chosen: _Lists = ([], [], [])
    queue = [
        (position, section, point)
        for section, listed in enumerate((points.key_points, points.actions, points.open_items))
        for position, point in enumerate(listed)
    ]
    # Two key points for each action and open item.
    for _, section, point in sorted(queue, key=lambda item: (item[0] // (1 if item[1] else 2), item[1])):
        chosen[section].append(point)
        if len(_paragraph(chosen)) > longest:
            chosen[section].pop()
    text = _paragraph(chosen)
    first = next(iter((*points.key_points, *points.actions, *points.open_items)), "")
    return text or shortened(first, longest)


def _paragraph(chosen: _Lists) -> str:
    said, done, still_open = chosen
    parts = [_ended(point) for point in said]
    parts += (
        [_ended("Done: " + "; ".join(point.removeprefix("Done as asked: ").rstrip(".") for point in done))]
        if done
        else []
    )
    parts += [_ended("Open: " + "; ".join(point.rstrip(".") for point in still_open))] if still_open else []
    return " ".join(parts)


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。")) else f"{text}."
