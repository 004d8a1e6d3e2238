"""The same random life in both stores: whatever is told and asked, the answers are equal."""

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect import Memory
from recollect.model.stats import StoreStats
from tests.congruence.offers import changes, coordinates, crowd, filters, memories, questions, sentences
from tests.congruence.twins import Twins, examples
from tests.sizes import sized

steps = st.one_of(
    st.tuples(st.just("remember"), memories()),
    st.tuples(st.just("remember"), memories()),
    st.tuples(st.just("remember_many"), st.lists(memories(), max_size=6)),
    st.tuples(st.just("remember_crowd"), st.integers(0, 1_000)),
    st.tuples(st.just("update"), st.tuples(st.integers(0, 30), changes())),
    st.tuples(st.just("forget"), st.tuples(st.integers(0, 30), st.booleans())),
    st.tuples(st.just("forget_by_query"), st.tuples(sentences, st.booleans())),
    st.tuples(st.just("wait"), st.integers(1, 5 * 86_400)),
    st.tuples(st.just("break_embedder"), st.booleans()),
    st.tuples(st.just("maintain"), st.none()),
    st.tuples(st.just("name_place"), st.tuples(st.sampled_from(["home", "Home", "Brno"]), coordinates)),
    st.tuples(st.just("recall"), questions()),
    st.tuples(st.just("look"), filters()),
)


class Life:
    """What one user does, in both stores."""

    def __init__(self, twins: Twins) -> None:
        self.twins = twins
        self.pair = twins.user()

    def remember(self, fields: dict[str, Any]) -> None:
        self.pair.agree(lambda user: user.remember(**fields))

    def remember_many(self, items: list[dict[str, Any]]) -> None:
        self.pair.agree(lambda user: user.remember_many(items))

    def remember_crowd(self, seed: int) -> None:
        """Enough for each store's way of writing many rows, with repetitions among them."""
        self.remember_many(crowd(25, seed) + crowd(5, seed))

    def update(self, step: tuple[int, dict[str, Any]]) -> None:
        position, fields = step
        if self.pair.numbers[0]:
            chosen = position % len(self.pair.numbers[0])
            self.pair.agree_about(chosen, lambda user, memory_id: user.update(memory_id, **fields))

    def forget(self, step: tuple[int, bool]) -> None:
        position, dry_run = step
        if self.pair.numbers[0]:
            chosen = position % len(self.pair.numbers[0])
            self.pair.agree_about(chosen, lambda user, memory_id: user.forget(memory_id, dry_run=dry_run))

    def forget_by_query(self, step: tuple[str, bool]) -> None:
        query, dry_run = step
        self.pair.agree(lambda user: _without_hits(user.forget(query=query, dry_run=dry_run)))

    def wait(self, seconds: int) -> None:
        self.pair.clock.advance(timedelta(seconds=seconds))

    def break_embedder(self, fails: bool) -> None:  # noqa: FBT001 - drawn
        self.twins.embedder.fails = fails

    def maintain(self, _: None) -> None:
        self.twins.agree(_maintained)

    def recall(self, question: dict[str, Any]) -> None:
        self.pair.agree_on_hits(lambda user: user.recall(**question), question["limit"], question.get("min_score", 0.0))

    def look(self, wanted: dict[str, Any]) -> None:
        self.pair.agree(lambda user: user.list(limit=1_000, **wanted))
        self.pair.agree(lambda user: user.count(**wanted))

    def name_place(self, offered: tuple[str, tuple[float, float]]) -> None:
        name, spot = offered
        self.pair.agree(lambda user: user.places.set(name, spot))

    def look_at_everything(self) -> None:
        self.look({})
        self.pair.agree(lambda user: user.places.list(limit=1_000))
        self.pair.agree(lambda user: user.places.named())
        self.pair.agree(lambda user: user.places.get("home"))
        self.pair.agree(lambda user: user.stats())
        for number in range(len(self.pair.numbers[0])):
            self.pair.agree_about(number, lambda user, memory_id: user.history(memory_id))
            self.pair.agree_about(number, lambda user, memory_id: user.get(memory_id))


def _without_hits(forgotten: Any) -> object:
    """Candidates are compared as a set: ties may come in any order."""
    return forgotten.action, forgotten.ids, forgotten.dry_run, {hit.content for hit in forgotten.candidates}


def _maintained(memory: Memory) -> tuple[int, int]:
    done = memory.maintain()
    return done.embedded, done.parked


@examples(sized(12, 200))
@given(life=st.lists(steps, min_size=1, max_size=20))
def test_both_stores_live_the_same_life(twins: Twins, life: list[tuple[str, Any]]) -> None:
    lived = Life(twins)
    for verb, argument in life:
        getattr(lived, verb)(argument)
    lived.look_at_everything()


def test_both_stores_answer_every_question_alike(twins: Twins) -> None:
    life = Life(twins)
    life.remember_many(crowd(90, seed=1))
    life.wait(86_400)
    for number, fields in enumerate(crowd(20, seed=2)):
        life.remember(fields)
        life.wait(3_600 * number)

    @examples(sized(15, 400))
    @given(question=questions(), wanted=filters())
    def answers_are_equal(question: dict[str, Any], wanted: dict[str, Any]) -> None:
        life.recall(question)
        life.look(wanted)

    answers_are_equal()
    life.look_at_everything()


def test_pages_are_cut_alike(twins: Twins) -> None:
    pair = twins.user()
    pair.agree(lambda user: user.remember_many(crowd(40, seed=3)))
    for limit in (1, 7, 40):
        pages: tuple[list[Any], list[Any]] = ([], [])
        for side, user in enumerate(pair.users):
            cursor = None
            while True:
                page = user.list(limit=limit, cursor=cursor)
                pages[side].append(pair._plain(side, page))
                cursor = page.cursor
                if cursor is None:
                    break
        assert pages[0] == pages[1]


def test_the_figures_of_the_stores_are_equal(twins: Twins) -> None:
    for seed in (4, 5):
        Life(twins).remember_many(crowd(15, seed))

    def figures(stats: StoreStats) -> tuple[int, ...]:
        return stats.users, stats.memories, stats.vectors, stats.pending_jobs, stats.parked_jobs

    twins.agree(lambda memory: figures(memory.stats()))
