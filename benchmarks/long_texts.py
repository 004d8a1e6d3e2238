"""Makes a set of long texts from one of paragraphs: `python -m benchmarks.long_texts FOLDER TARGET`.

FOLDER is a set as `benchmarks.quality` reads it, of paragraphs with questions, such as XQuAD. Half of its paragraphs
are glued around the other half: each of these stands in one text, somewhere in its words 400 to 2,000, and the
questions about them are the questions of the set. Then `python -m benchmarks.quality --data TARGET` says how well
they are found.
"""

import sys
from pathlib import Path

if not __package__:  # run as a file: our neighbours here have names of the standard library
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

_FIRST = 400  # words before the paragraph that is asked about, at least
_LAST = 2_000  # words up to its end, at most
_PARAGRAPH = 250  # words of the longest ones, about
_SEED = 26

Entry = Mapping[str, Any]


def glue(corpus: Sequence[Entry], queries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Give the lines and queries of a set of long texts."""
    chance = Random(_SEED)  # the same texts every time
    asked, padding = corpus[::2], [entry["text"] for entry in corpus[1::2]]
    texts: list[Entry] = [
        dict(entry, text=_glued(entry["text"], padding, chance), session=f"text {entry['id']}") for entry in asked
    ]
    ids = {entry["id"] for entry in asked}
    return texts, [query for query in queries if query["relevant"] and set(query["relevant"]) <= ids]


def _glued(paragraph: str, padding: Sequence[str], chance: Random) -> str:
    """Put a paragraph behind others, after as many words as chance says, and before others up to the end."""
    size = len(paragraph.split())
    before = chance.randint(_FIRST, max(_FIRST, _LAST - size - _PARAGRAPH))
    parts, words = [], 0
    for text in chance.sample(padding, len(padding)):
        length = len(text.split())
        if words < before <= words + length:
            parts += [text, paragraph]
            words += size + length
        elif words + length <= _LAST:
            parts.append(text)
            words += length
    return "\n\n".join(parts)


def _read(path: Path) -> Iterator[Entry]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _write(path: Path, entries: Sequence[Entry]) -> None:
    path.write_text("".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a set of paragraphs: corpus.jsonl and queries.jsonl")
    parser.add_argument("target", type=Path, help="the folder for the new set; it is made")
    options = parser.parse_args(arguments)
    texts, queries = glue([*_read(options.folder / "corpus.jsonl")], [*_read(options.folder / "queries.jsonl")])
    options.target.mkdir(parents=True, exist_ok=True)
    _write(options.target / "corpus.jsonl", texts)
    _write(options.target / "queries.jsonl", queries)
    lengths = [len(text["text"].split()) for text in texts]
    print(f"{len(texts)} texts of {min(lengths)} to {max(lengths)} words, {len(queries)} questions in {options.target}")


if __name__ == "__main__":
    main()
