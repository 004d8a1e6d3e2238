"""Figures of the tests that stand for a promise: printed, and kept for `make reliability` when it asks for them."""

import json
import os
from pathlib import Path

FOLDER = "RELIABILITY_FIGURES"  # a variable: the folder to keep them in


def figure(promise: int, what: str, **counts: int) -> None:
    """Say what a test came to, under the number of the promise it stands for."""
    told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    print(f"\npromise {promise}, {what}: {told}")  # noqa: T201 - a result
    if folder := os.environ.get(FOLDER):
        row = json.dumps({"promise": promise, "what": what, "counts": counts})
        with Path(folder, f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
            file.write(f"{row}\n")
