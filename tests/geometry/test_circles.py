"""Circles hold what is near enough and nothing else, wherever they are and however large, and boxes hold circles."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.geo import EARTH_KM, Circle, distance_km, half_chord
from tests.geometry.globe import HALF_ROUND_KM, Trials, distances_km, in_box, trials
from tests.sizes import sized

EACH = 100
EXAMPLES = sized(40, 1_000)

lats = st.one_of(
    st.floats(-90, 90),
    st.sampled_from([-90.0, 90.0, 0.0, 89.9999, -89.9999, 89.1, -89.1, 1e-7, 49.1951, -16.4194]),
)
lngs = st.one_of(
    st.floats(-180, 180),
    st.sampled_from([-180.0, 180.0, 0.0, 179.9999, -179.9999, 179.1, -179.1, 16.6068, 179.398]),
)


def circles(made: Trials) -> list[Circle]:
    return [Circle(*map(float, one)) for one in zip(made.lat, made.lng, made.radius_km, strict=True)]


def held(made: Trials) -> list[bool]:
    points = zip(circles(made), made.point_lat, made.point_lng, strict=True)
    return [circle.holds(float(lat), float(lng)) for circle, lat, lng in points]


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), lat=lats, lng=lngs)
def test_a_circle_holds_what_is_within_its_radius(seed: int, lat: float, lng: float) -> None:
    made = trials(seed, EACH, lat, lng)
    slack = made.radius_km - made.distance_km
    judged = np.abs(slack) > made.margin_km
    wrong = judged & (np.array(held(made)) != (slack > 0))
    assert not wrong.any(), [
        (circles(made)[row], made.point_lat[row], made.point_lng[row]) for row in wrong.nonzero()[0]
    ]


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), lat=lats, lng=lngs)
def test_no_member_is_outside_of_the_boxes(seed: int, lat: float, lng: float) -> None:
    """Members as the circle itself judges them, without a margin: a store asks both, and the box first."""
    made = trials(seed, EACH, lat, lng)
    for circle, inside, north, east in zip(circles(made), held(made), made.point_lat, made.point_lng, strict=True):
        boxes = circle.boxes()
        assert len(boxes) in {1, 2}
        assert all(box.south <= box.north and box.west <= box.east for box in boxes), boxes
        assert all(box.south >= -90 and box.north <= 90 and box.west >= -180 and box.east <= 180 for box in boxes), (
            boxes
        )
        if inside:
            assert any(in_box(box, north, east) for box in boxes), (circle, north, east, boxes)


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), lat=lats, lng=lngs)
def test_distances_are_those_of_the_reference(seed: int, lat: float, lng: float) -> None:
    made = trials(seed, EACH, lat, lng)
    ours = [
        distance_km(*map(float, one)) for one in zip(made.lat, made.lng, made.point_lat, made.point_lng, strict=True)
    ]
    # near the other side of the globe a haversine cannot tell decimetres apart
    np.testing.assert_allclose(ours, made.distance_km, rtol=1e-9, atol=5e-4)
    near = made.distance_km < 1_000
    np.testing.assert_allclose(np.array(ours)[near], made.distance_km[near], rtol=1e-9, atol=1e-9)


def test_the_trials_are_hard() -> None:
    """They would be no test if all points were far inside or outside, or if too few could be judged."""
    made = [
        trials(seed, EACH, lat, lng) for seed, (lat, lng) in enumerate([(49.2, 16.6), (-16.4, 179.4), (89.99, 0)] * 5)
    ]
    slack = np.concatenate([(one.radius_km - one.distance_km) / one.radius_km for one in made])
    judged = np.concatenate([np.abs(one.radius_km - one.distance_km) > one.margin_km for one in made])
    assert judged.mean() > 0.7
    assert 0.2 < (slack > 0).mean() < 0.8
    assert (np.abs(slack[judged]) < 1e-6).mean() > 0.05
    twice = [len(circle.boxes()) == 2 for one in made for circle in circles(one)]
    assert sum(twice) > EACH


@pytest.mark.parametrize(
    ("here", "there", "km"),
    [
        ((49.1951, 16.6068), (49.1951, 16.6068), 0),
        ((0, 0), (0, 1), 111.19508),
        ((0, 179.5), (0, -179.5), 111.19508),
        ((0, 180), (0, -180), 0),
        ((90, 0), (90, 123), 0),
        ((89.5, 0), (89.5, 180), 111.19508),
        ((-90, 0), (90, 0), 20015.11444),
        ((50.0755, 14.4378), (49.1951, 16.6068), 184.5),  # Prague and Brno, as any atlas has it
    ],
)
def test_known_distances(here: tuple[float, float], there: tuple[float, float], km: float) -> None:
    assert distance_km(*here, *there) == pytest.approx(km, rel=1e-3, abs=1e-6)
    assert distance_km(*there, *here) == distance_km(*here, *there)


@pytest.mark.parametrize(
    ("lat", "lng"), [(0, 0), (45, 90), (-85.81065551139083, -125.4004218374301), (90, 0), (-90, -180)]
)
def test_half_the_way_round_holds_everything(lat: float, lng: float) -> None:
    circle = Circle(lat, lng, HALF_ROUND_KM)
    other_side = (-lat, lng - 180 if lng > 0 else lng + 180)
    assert circle.holds(*other_side)
    assert half_chord(lat, lng, *other_side) <= 1
    assert Circle(lat, lng, 10 * HALF_ROUND_KM).holds(*other_side)
    assert sum(box.east - box.west for box in circle.boxes()) == 360


def test_a_circle_across_the_antimeridian_has_a_box_on_either_side() -> None:
    circle = Circle(-16.5, 179.9, 50)
    (east, west) = circle.boxes()
    assert (east.east, west.west) == (180, -180)
    assert (east.south, east.north) == (west.south, west.north)
    assert circle.holds(-16.5, -179.9)
    assert in_box(west, -16.5, -179.9)
    assert not in_box(east, -16.5, -179.9)


@pytest.mark.parametrize("lng", [-180.0, 180.0])
def test_both_names_of_the_antimeridian_are_one_place(lng: float) -> None:
    circle = Circle(10, lng, 1)
    for other in (-180.0, 180.0):
        assert circle.holds(10, other)
        assert any(in_box(box, 10, other) for box in circle.boxes())


@pytest.mark.parametrize("lat", [89.8, -89.8, 90, -90])
def test_a_circle_over_a_pole_has_all_meridians(lat: float) -> None:
    circle = Circle(lat, 20, 50)
    (box,) = circle.boxes()
    assert (box.west, box.east) == (-180, 180)
    assert (box.north if lat > 0 else box.south) == math.copysign(90, lat)
    assert circle.holds(math.copysign(90, lat), -77)
    assert circle.holds(math.copysign(89.9, lat), -160)


def test_a_box_is_wide_enough_where_the_circle_almost_reaches_a_pole() -> None:
    """Found by chance: an arc sine near 1 is off by more than a box is larger than need be."""
    circle = Circle(0.0, 0.0, 10007.556123869606)
    lat, lng = 3.5083546492673867e-15, 89.99999012977628
    (box,) = circle.boxes()
    assert circle.holds(lat, lng)
    assert in_box(box, lat, lng)


def test_boxes_are_not_much_larger_than_need_be() -> None:
    for lat in (0, 30, 49.2, 70, -85):
        (box,) = Circle(lat, 16.6, 10).boxes()
        height = (box.north - box.south) * math.pi / 180 * EARTH_KM
        width = float(distances_km(*(np.array([one]) for one in (lat, box.west, lat, box.east)))[0])
        assert 20 <= height < 20.001
        assert 20 <= width < 20.1
