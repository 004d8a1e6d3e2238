"""Answers that another program gave to the questions of a set, to be judged as ours are."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.quality.sets import BadSet

_NAMES: Final = ("question_id", "id", "question")
_TEXTS: Final = ("response", "hypothesis", "generated_answer", "answer")  # `answer` may be the right one beside another


def answers(path: Path) -> Mapping[str, str]:
    """Read answers by the id or the text of their questions: JSON lines, a list, or lists by conversation."""
    found: dict[str, str] = {}
    for entry in _entries(path):
        text = next((entry[name] for name in _TEXTS if isinstance(entry.get(name), str)), None)
        names = [str(entry[name]) for name in _NAMES if entry.get(name)]
        if text is None or not names:
            raise BadSet(f"{path}: an answer needs one of {', '.join(_NAMES)} and one of {', '.join(_TEXTS)}: {entry}.")
        found[names[0]] = text
    return found


def _entries(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        content = path.read_text("utf-8")
        try:
            whole = json.loads(content)
        except ValueError:
            whole = [json.loads(line) for line in content.splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise BadSet(f"{path}: cannot be read: {error}.") from error
    if isinstance(whole, dict) and not set(_NAMES) & whole.keys():
        whole = [entry for entries in whole.values() for entry in entries]
    entries = whole if isinstance(whole, list) else [whole]
    if not all(isinstance(entry, dict) for entry in entries):
        raise BadSet(f"{path}: expected objects with a question and an answer.")
    yield from (entry for entry in entries if "run" not in entry)
