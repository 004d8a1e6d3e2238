"""Groups of many texts: the same in every run, found in cells as they are found exactly, and drawn without overlaps."""

import numpy as np

from recollect.ranking.groups.grouping import TextGrouper, place_circles
from recollect.ranking.groups.neighbours import as_bytes, from_bytes, nearest_rows

DIMENSIONS = 32


def _nothing() -> None:
    pass


def _word(label: int) -> str:
    return f"{label * 7_919 % 10_007:06}"


def _grouper(labels: np.ndarray, dimensions: int = DIMENSIONS) -> TextGrouper:
    chance = np.random.default_rng(3)
    centres = chance.standard_normal((labels.max() + 1, dimensions))
    vectors = (centres[labels] + 0.4 * chance.standard_normal((len(labels), dimensions))).astype(np.float32)
    grouper = TextGrouper(dimensions, _nothing)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    half = len(labels) // 2
    for part in (slice(half), slice(half, None)):
        grouper.add(units[part], [[_word(label), "the"] for label in labels[part].tolist()])
    return grouper


def _is_partition(found: np.ndarray, labels: np.ndarray) -> bool:
    pairs = set(zip(found.tolist(), labels.tolist(), strict=True))
    return len(pairs) == len(set(found.tolist())) == len(set(labels.tolist()))


def test_groups_are_found_in_cells_and_in_long_vectors_alike() -> None:
    many = np.arange(4_500) % 45
    groups = _grouper(many).group(5)
    assert _is_partition(groups.labels, many)
    assert [len(group.rows) for group in groups.largest] == groups.sizes[:5] == [100] * 5
    assert groups.largest[0].terms == (_word(int(many[groups.largest[0].rows[0]])), "the")
    again = _grouper(many).group(5)
    assert np.array_equal(again.labels, groups.labels)
    assert _is_partition(_grouper(np.arange(40) % 4, 700).group(1).labels, np.arange(40) % 4)


def test_equal_texts_make_one_group_and_few_texts_none() -> None:
    grouper = TextGrouper(DIMENSIONS, _nothing)
    grouper.add(np.tile(np.eye(1, DIMENSIONS, dtype=np.float32), (4_200, 1)), [["same"]] * 4_200)
    assert grouper.group(1).sizes == [4_200]
    alone = TextGrouper(DIMENSIONS, _nothing)
    alone.add(np.eye(1, DIMENSIONS, dtype=np.float32), [[]])
    assert (alone.group(1).sizes, TextGrouper(DIMENSIONS, _nothing).group(1).sizes) == ([], ())


def test_neighbours_are_those_with_the_highest_products() -> None:
    vectors = as_bytes(np.random.default_rng(5).standard_normal((50, DIMENSIONS), np.float32) / np.float32(8))
    near = nearest_rows(vectors, 3, _nothing)
    products = from_bytes(vectors) @ from_bytes(vectors).T
    np.fill_diagonal(products, -np.inf)
    assert np.array_equal(np.sort(near.rows, axis=1), np.sort(np.argsort(-products, axis=1)[:, :3], axis=1))


def test_circles_stay_in_the_square_and_apart() -> None:
    means = np.random.default_rng(7).standard_normal((60, 8)).astype(np.float32)
    means[:5] = means[0]
    sizes = np.arange(1, 61, dtype=np.float32)
    places, radii = place_circles(means, sizes)
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(60)
    assert (distances >= radii[:, None] + radii[None] - 1e-3).all()
    assert (places - radii[:, None]).min() >= -1e-6
    assert (places + radii[:, None]).max() <= 1 + 1e-6
    assert np.allclose(place_circles(means[:1], sizes[:1])[0], 0.5, atol=1e-4)
