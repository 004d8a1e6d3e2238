"""Whether an answer is the memories that answer, and nothing beside them: small stores of similar memories.

    python -m benchmarks.precision --part tune --show

A store has 20 to 60 memories about few subjects: the same property of many, many properties of one. Half of the cases
ask for what was never told: of a subject that is not known, or of a property that was told of others or of none. In
talks of ten turns the subject changes twice. What is told and asked is in `data/precision`, by part and language.
"""

import argparse
import os
import random
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from benchmarks.figures import Figure
from recollect import Memory, NewMemory, PromptContext, Recall, UserMemory, load_settings

Part: TypeAlias = Literal["tune", "check"]
Kind: TypeAlias = Literal["question", "keywords", "list", "no such subject", "told of others", "told of none"]

LANGUAGES = ("en", "cs", "de", "ru")
DOORS = ("recall", "search_context", "before_prompt")
_FOLDER = Path(__file__).parent / "data" / "precision"
_STORES = 8  # of each language
_ME = "-"
_SUPERSEDED = 3  # memories of a store that were told with another value before
_LEAST_PRECISION = {"recall": 0.70, "search_context": 0.70, "before_prompt": 0.75}
_LEAST_RECALL = {"recall": 0.95, "search_context": 0.95, "before_prompt": 0.90}
_MOST_EARLIER = 0.25
_TALK = (4, 3, 3)  # turns about each subject


class Topic(NamedTuple):
    """A property of a subject, told and asked in one language; `several` values of it hold at once."""

    name: str
    told: str
    asked: str
    keywords: str
    values: tuple[str, ...]
    several: bool


class Family(NamedTuple):
    """Subjects that have the same properties."""

    subjects: tuple[str, ...]
    topics: tuple[Topic, ...]


@dataclass(frozen=True)
class Case:
    """A question and the (subject, property) pairs that were told and answer it: one, or none."""

    kind: Kind
    text: str
    subject: str
    topic: str

    @property
    def is_told(self) -> bool:
        """Whether there is an answer."""
        return self.kind in ("question", "keywords", "list")


@dataclass(frozen=True)
class World:
    """What one store holds, and what is asked of it."""

    name: str
    has_fields: bool
    told: Sequence[tuple[str, Topic, str]]  # subject, topic and value in the order in which they are told
    cases: Sequence[Case]
    talk: Sequence[Case]

    def memories(self) -> Iterator[NewMemory]:
        """Give what is stored, half of the worlds with the fields that capture would give."""
        for subject, topic, value in self.told:
            text = _capital(topic.told.format(s=subject, v=value))
            if self.has_fields:
                context = value if topic.several else ""
                person = "user" if subject == _ME else subject
                yield NewMemory(text, type="fact", subject=person, key=topic.name, value=value, context=context)
            else:
                yield NewMemory(text, type="fact")


@dataclass
class Shown:
    """What a door showed for a case, as places in the store, and what would have been right."""

    case: Case
    right: frozenset[str]
    shown: tuple[str, ...]

    @property
    def precision(self) -> float:
        """Share of what is shown that is right; of nothing all is, if there is nothing to show."""
        if not self.shown:
            return 0.0 if self.right else 1.0
        return len(self.right.intersection(self.shown)) / len(self.shown)

    @property
    def recall(self) -> float:
        """Share of what is right that is shown."""
        return len(self.right.intersection(self.shown)) / len(self.right)


@dataclass
class Tally:
    """What all doors showed, and how many lines of talks are about an earlier subject, of all lines."""

    doors: dict[str, list[Shown]] = field(default_factory=lambda: defaultdict(list))
    earlier: list[bool] = field(default_factory=list)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def families(part: str, language: str) -> Mapping[str, Family]:
    """Read what is told and asked."""
    subjects: dict[str, tuple[str, ...]] = {}
    topics: defaultdict[str, list[Topic]] = defaultdict(list)
    for line in (_FOLDER / part / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
        heading, family, *rest = line.split("\t")
        if heading == "subjects":
            subjects[family] = tuple(rest[0].split("|"))
        else:
            name, told, asked, keywords, values = rest
            topics[family].append(
                Topic(name, told.removeprefix("+"), asked, keywords, tuple(values.split("|")), told[0] == "+")
            )
    return {family: Family(names, tuple(topics[family])) for family, names in subjects.items()}


def worlds(part: str) -> Iterator[World]:
    """Make the stores of a part; always the same."""
    for language in LANGUAGES:
        known = families(part, language)
        things, people, me = known.values()
        for number in range(_STORES):
            rng = random.Random(f"{part} {language} {number}")
            chosen = [((things, 5, 8),), ((people, 5, 8),), ((me, 1, 10), (people, 3, 6)), ((things, 4, 7), (me, 1, 6))]
            yield _world(f"{language}-{number}", rng, chosen[number % 4], has_fields=number >= _STORES // 2)


def _world(name: str, rng: random.Random, chosen: Sequence[tuple[Family, int, int]], *, has_fields: bool) -> World:
    told: list[tuple[str, Topic, str]] = []
    cases: list[Case] = []
    turns: list[Case] = []
    for family, most_subjects, most_topics in chosen:
        subjects = rng.sample(family.subjects, min(most_subjects, len(family.subjects)))
        topics = rng.sample(family.topics, most_topics)
        pairs = [(subject, topic) for subject in subjects for topic in topics]
        gaps = set(rng.sample(pairs, len(pairs) // 6 if len(subjects) > 1 else 0))
        pairs = [pair for pair in pairs if pair not in gaps]
        for subject, topic in pairs:
            values = rng.sample(topic.values, rng.choice((2, 3)) if topic.several else 1)
            told += [(subject, topic, value) for value in values]
        cases += _asked(rng, family, pairs, sorted(gaps, key=str), topics)
        if len(subjects) > len(_TALK):
            turns = turns or _talk(rng, pairs, subjects)
    rng.shuffle(told)
    if has_fields:
        again = rng.sample([one for one in told if not one[1].several], _SUPERSEDED)
        earlier = [(s, topic, rng.choice([v for v in topic.values if v != value])) for s, topic, value in again]
        told = [*earlier, *told]
    return World(name, has_fields, told, cases, turns)


def _asked(
    rng: random.Random,
    family: Family,
    pairs: Sequence[tuple[str, Topic]],
    gaps: Sequence[tuple[str, Topic]],
    topics: Sequence[Topic],
) -> Iterator[Case]:
    """Ask twice for what was told, and twice for what was not."""
    single, several = ([pair for pair in pairs if pair[1].several is flag] for flag in (False, True))
    asked = rng.sample(single, 2)
    yield _case("question", *asked[0])
    if several and rng.random() < 0.5:
        yield _case("list", *rng.choice(several))
    else:
        yield _case("keywords", *asked[1])
    untold = [topic for topic in family.topics if topic not in topics]
    known = [subject for subject, _ in pairs]
    strangers = [subject for subject in family.subjects if subject not in known]
    no_subject = [(rng.choice(strangers), rng.choice(topics))] if strangers else []
    ways: list[tuple[Kind, Sequence[tuple[str, Topic]]]] = [
        ("no such subject", no_subject),
        ("told of others", gaps),
        ("told of none", [(rng.choice(known), rng.choice(untold))]),
    ]
    possible = [way for way in ways if way[1]]
    for kind, choices in rng.sample(possible, min(2, len(possible))):
        yield _case(kind, *rng.choice(choices), by_keywords=rng.random() < 1 / 3)


def _case(kind: Kind, subject: str, topic: Topic, *, by_keywords: bool = False) -> Case:
    text = topic.keywords if kind == "keywords" or by_keywords else topic.asked
    return Case(kind, text.format(s=subject), subject, topic.name)


def _talk(rng: random.Random, pairs: Sequence[tuple[str, Topic]], subjects: Sequence[str]) -> list[Case]:
    turns: list[Case] = []
    for subject, amount in zip(subjects, _TALK, strict=False):
        known = [pair for pair in pairs if pair[0] == subject]
        turns += [_case("question", *pair) for pair in rng.sample(known, min(amount, len(known)))]
    return turns


def live(memory: Memory, world: World, tally: Tally) -> None:
    """Store a world, ask its questions at every door, and hold its talk."""
    me = memory.user(world.name)
    stored = list(me.remember_many(list(world.memories())))
    memory.embed_waiting()
    current: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    subjects: dict[str, str] = {}
    for (subject, topic, _), kept in zip(world.told, stored, strict=True):
        if me.get(kept.id).superseded_by is None:
            current[subject, topic.name].add(kept.id)
        subjects[kept.id] = subject
    me.conversation("asked").set_private()
    for case in world.cases:
        right = frozenset(current[case.subject, case.topic])
        if bool(right) is not case.is_told:
            raise RuntimeError(f"{world.name}: {case} has the answers {sorted(right)}.")
        for door, hits in ask(me, case.text).items():
            tally.doors[door].append(Shown(case, right, hits))
    _converse(me, world, subjects, tally)


def ask(me: UserMemory, text: str) -> Mapping[str, tuple[str, ...]]:
    """Ask at every door as it is by default."""
    found: Sequence[Recall | PromptContext] = (
        me.recall(text),
        me.search_context(text),
        me.before_prompt(text, session="asked"),
    )
    if any(one.degraded for one in found):
        raise RuntimeError(f"{text!r} was answered with a part missing.")
    return {door: tuple(hit.id for hit in one.hits) for door, one in zip(DOORS, found, strict=True)}


def _converse(me: UserMemory, world: World, subjects: Mapping[str, str], tally: Tally) -> None:
    before: list[str] = []
    for turn in world.talk:
        if turn.subject not in before[-1:]:
            before.append(turn.subject)
        shown = me.before_prompt(turn.text, session="talk").hits
        me.after_turn([{"role": "assistant", "content": "…"}], session="talk")
        if len(before) > 1:
            tally.earlier += [subjects.get(hit.id, "") in before[:-1] for hit in shown]


def run(part: Part) -> Tally:
    """Ask everything of a part."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "precision.db") as memory:
        for world in worlds(part):
            live(memory, world, tally)
    return tally


def open_store(path: Path) -> Memory:
    """Open a store with the bundled models and no hurry."""
    given = {
        "database": str(path), "embedding.worker": False, "hooks.budget_s": 60, "recall.deadline_s": 60,
    }  # fmt: skip
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=given))


def measure(part: Part = "check") -> Iterator[Figure]:
    """Give the figures of a part."""
    yield from figures(run(part))


def figures(tally: Tally) -> Iterator[Figure]:
    """Give precision and recall of every door, and what is shown of an earlier subject."""
    for door in DOORS:
        rows = tally.doors[door]
        told = [row for row in rows if row.right]
        silent = [not row.shown for row in rows if not row.right]
        precision = _mean(row.precision for row in rows)
        lines = _mean(len(row.shown) for row in rows)
        detail = f"{len(rows)} cases, {lines:.1f} hits each; told {_mean(row.precision for row in told):.2f}, "
        detail += f"never told {sum(silent)} of {len(silent)} silent"
        yield Figure(f"precision of {door}", precision, _LEAST_PRECISION[door], "at least", detail)
        recall = _mean(row.recall for row in told)
        yield Figure(f"recall of {door}", recall, _LEAST_RECALL[door], "at least", f"{len(told)} cases")
    share, amount = _mean(tally.earlier), len(tally.earlier)
    yield Figure("lines before a prompt about an earlier subject", share, _MOST_EARLIER, "at most", f"{amount} lines")


def _mean(numbers: Iterable[float]) -> float:
    return statistics.fmean(list(numbers) or [0.0])


def main() -> None:
    """Print the figures of a part, and with `--show` those of each language and kind of case."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.precision", description=__doc__)
    parser.add_argument("--part", choices=("tune", "check"), default="tune")
    parser.add_argument("--show", action="store_true", help="what each kind of case reaches")
    arguments = parser.parse_args()
    tally = run(arguments.part)
    for figure in figures(tally):
        print(figure.line())
    for door in DOORS if arguments.show else ():
        groups: defaultdict[str, list[Shown]] = defaultdict(list)
        for row in tally.doors[door]:
            groups[row.case.kind].append(row)
        for kind, rows in groups.items():
            told = [row.recall for row in rows if row.right]
            recall = f"  recall {_mean(told):.2f}" if told else ""
            print(f"{door:15} {kind:16} {len(rows):3}  precision {_mean(row.precision for row in rows):.2f}{recall}")


if __name__ == "__main__":
    main()
