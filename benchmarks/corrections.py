"""Whether what was corrected stays corrected: made-up lives in which a later message, an update and a forgetting each
correct something, among distractors (`data/corrections`), on SQLite with the bundled models.

    python -m benchmarks.corrections --lives 10 --half c --show
"""

import argparse
import os
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from benchmarks.figures import Figure
from recollect import Memory, UserMemory, load_settings
from recollect.text.outdated import may_outdate
from recollect.text.query import normal
from recollect.text.tables import parse_sections

Kind: TypeAlias = Literal["message", "update", "forget"]

LANGUAGES = ("en", "cs", "de", "ru")
PARTS = ("a", "b", "c")
PROPERTIES = ("home", "employer", "name", "email")
KINDS: tuple[Kind, ...] = ("message", "update", "forget")
MARKS = ("no longer so", "possibly outdated")
_FOLDER = Path(__file__).parent / "data" / "corrections"
_OTHERS = 13  # turns about other things
_ECHOED = 0.4  # of the replies that repeat what was said
_FEWEST_FIRST = 0.95
_PRECISE = 0.95
_RECALL = 0.5


@dataclass(frozen=True)
class Corrected:
    """What was said of a property, how that was corrected, and what was shown for a question about it."""

    language: str
    kind: Kind
    name: str
    before: str
    now: str
    known: bool  # capture took the correction for one
    question: str
    shown: tuple[str, ...]

    @property
    def unmarked(self) -> bool:
        """Whether a line shows as present truth what was corrected."""
        return any(_holds(line, self.before) and not any(mark in line for mark in MARKS) for line in self.shown)

    @property
    def is_current_first(self) -> bool:
        """Whether what holds now is shown, and before what does not; of what was forgotten nothing is."""
        telling = [line for line in self.shown if _holds(line, self.before) or (self.now and _holds(line, self.now))]
        if not self.now:
            return not telling
        return bool(telling) and _holds(telling[0].partition("] ")[2], self.now)


def _holds(line: str, value: str) -> bool:
    return normal(value) in normal(line)


@cache
def sections() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Read what users say, by language, half and section, and in it by property."""
    text = (_FOLDER / "lives.txt").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[str]]] = {}
    for section in parse_sections("lives.txt", text):
        entries: defaultdict[str, list[str]] = defaultdict(list)
        for line in section.lines:
            name, _, rest = line.text.partition(": ")
            texts, key = (rest, name) if name in PROPERTIES else (line.text, "")
            entries[key] += [one.strip() for one in texts.split(" | ")]
        found[section.heading] = entries
    return found


def live(me: UserMemory, language: str, half: str, rng: random.Random) -> Iterator[Corrected]:
    """Live a life of seventeen turns; gives what was corrected in it, asked after all of it."""

    def some(part: str, name: str = "") -> str:
        return rng.choice(sections()[f"{language} {half} {part}"][name])

    def tell(text: str, reply: str = "") -> list[tuple[str, str]]:
        turn = [{"role": "user", "content": text}, {"role": "assistant", "content": reply or some("reply")}]
        captured = me.after_turn(turn, session=f"day {rng.randrange(4)}").captured
        return [(one.action, one.id) for one in captured]

    chosen = rng.sample(PROPERTIES, len(KINDS))
    values = {name: rng.sample(sections()[f"{language} {half} values"][name], 2) for name in chosen}
    others = rng.sample(sections()[f"{language} {half} other"][""], _OTHERS)
    taught: dict[str, str] = {}
    for name in chosen:
        tell(others.pop())
        said = some("before", name).replace("{}", values[name][0])
        reply = some("echo", name).replace("{}", values[name][0]) if rng.random() < _ECHOED else ""
        learned = [me.get(memory) for _, memory in tell(said, reply)]
        taught[name] = next((one.id for one in learned if _holds(one.content, values[name][0])), "")
        tell(others.pop())
    known = dict.fromkeys(chosen, True)
    for name, kind in zip(chosen, KINDS, strict=True):
        now = values[name][1]
        if kind == "message":
            captured = tell(some("after", name).replace("{}", now))
            known[name] = any(action == "superseded" for action, _ in captured)
        elif not taught[name]:
            known[name] = False
        elif kind == "update":
            me.update(taught[name], content=some("update", name).replace("{}", now))
        else:
            me.forget(taught[name])
        tell(others.pop())
    for text in others:
        tell(text)
    for name, kind in zip(chosen, KINDS, strict=True):
        question = some("question", name)
        shown = tuple(me.before_prompt(question, session=f"asked {name}").block.splitlines()[2:-1])
        before, now = values[name]
        yield Corrected(language, kind, name, before, "" if kind == "forget" else now, known[name], question, shown)


def lives(half: str, amount: int) -> list[Corrected]:
    """Live so many lives in each language."""
    with tempfile.TemporaryDirectory() as folder:
        overrides = {"database": f"{folder}/lives.db", "hooks.budget_s": 60.0, "recall.deadline_s": 60.0}
        with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides)) as memory:
            return [
                corrected
                for language in LANGUAGES
                for number in range(amount)
                for corrected in live(
                    memory.user(f"{language}{number}"), language, half, random.Random(f"{language} {half} {number}")
                )
            ]


def figures(half: str, corrected: Sequence[Corrected]) -> Iterator[Figure]:
    """Say how much of what was recognised as a correction is shown as it should be."""
    known = [one for one in corrected if one.known]
    unmarked = sum(one.unmarked for one in known)
    first = sum(one.is_current_first for one in known)
    kinds = Counter(one.kind for one in known)
    detail = f"of {len(known)} ({', '.join(f'{kinds[kind]} by {kind}' for kind in KINDS)}), half {half}"
    yield Figure("corrected, shown unmarked", unmarked / len(known), 0.0, "at most", f"{unmarked} {detail}")
    yield Figure("corrected, current first", first / len(known), _FEWEST_FIRST, "at least", f"{first} {detail}")


def near_twins(half: str) -> Iterator[Figure]:
    """Say which of two near-twins are taken for one statement that has changed, rightly and wrongly."""
    rows = [line.split("\t") for line in (_FOLDER / "pairs.tsv").read_text(encoding="utf-8").splitlines()]
    pairs = [(wanted == "yes", may_outdate(later, earlier)) for part, _, wanted, earlier, later in rows if part == half]
    taken = [wanted for wanted, found in pairs if found]
    wanted = sum(wanted for wanted, _ in pairs)
    detail = f"{sum(taken)} of {len(taken)} that are taken for a change, of {len(pairs)} pairs, half {half}"
    yield Figure("near-twins, precision", sum(taken) / max(1, len(taken)), _PRECISE, "at least", detail)
    yield Figure(
        "near-twins, recall", sum(taken) / wanted, _RECALL, "at least", f"{sum(taken)} of {wanted}, half {half}"
    )


def measure(amount: int = 1) -> Iterator[Figure]:
    """Measure near-twins, and a few lives of every part."""
    for half in ("a", "b"):
        yield from near_twins(half)
    for half in PARTS:
        yield from figures(half, lives(half, amount))


def main() -> None:
    """Live lives and print what was shown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corrections", description=__doc__)
    parser.add_argument("--lives", type=int, default=8, help="in each language")
    parser.add_argument("--half", choices=PARTS, default="a")
    parser.add_argument(
        "--show", action="store_true", help="what was shown wrongly, and what capture did not recognise"
    )
    arguments = parser.parse_args()
    found = lives(arguments.half, arguments.lives)
    for one in found if arguments.show else ():
        if not one.known or one.unmarked or not one.is_current_first:
            verdict = "not recognised" if not one.known else "unmarked" if one.unmarked else "not first"
            print(f"{verdict}: {one.language} {one.kind} {one.name} {one.before} > {one.now}: {one.question}")
            print(*(f"    {line}" for line in one.shown), sep="\n")
    for figure in figures(arguments.half, found):
        print(figure.line())
    missed = [one for one in found if not one.known]
    first, unmarked = sum(one.is_current_first for one in missed), sum(one.unmarked for one in missed)
    print(f"not recognised by capture: {len(missed)} of {len(found)}; current first {first}, shown unmarked {unmarked}")
    print(dict(Counter((one.language, one.kind) for one in missed)))


if __name__ == "__main__":
    main()
