"""Cells: as large in Tromsø as in Quito, the same however often one rounds, and neighbours are known."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.geo import CITY, DISTRICT, KM_PER_DEGREE, STREET, Grid, distance_km
from tests.geometry.globe import destinations
from tests.sizes import sized

EXAMPLES = sized(300, 5_000)
POLAR_ROWS = 2  # cells beside a pole are what the globe leaves for them
NARROW_ROWS = 6
JUST_WEST = 179.9999999  # of where longitudes end

grids = st.sampled_from([STREET, DISTRICT, CITY, Grid(0.5), Grid(1.0), Grid(7.0)])
lngs = st.one_of(st.floats(-180, 180), st.sampled_from([-180.0, 180.0, 0.0, JUST_WEST, -JUST_WEST]))


@st.composite
def spots(draw: st.DrawFn) -> tuple[Grid, float, float]:
    """Draw a grid and a place: anywhere, near a pole, or on the border of two rows."""
    grid = draw(grids)
    lat = draw(
        st.one_of(
            st.floats(-90, 90),
            st.floats(0, NARROW_ROWS).map(lambda rows: 90 - rows * grid.step),
            st.floats(0, NARROW_ROWS).map(lambda rows: rows * grid.step - 90),
            st.integers(-12, 12).map(lambda row: (row * 0.07 // grid.step + 0.5) * grid.step),
        )
    )
    return grid, max(-90.0, min(90.0, lat)), draw(lngs)


def rows_to_pole(grid: Grid, row: int) -> int:
    return round(90 / grid.step) - abs(row)


def steps(grid: Grid, km: float) -> float:
    return km / (grid.step * KM_PER_DEGREE)


@settings(max_examples=EXAMPLES, deadline=None)
@given(spots())
def test_rounding_again_changes_nothing(spot: tuple[Grid, float, float]) -> None:
    grid, lat, lng = spot
    centre = grid.rounded(lat, lng)
    assert -90 <= centre.lat <= 90
    assert -180 <= centre.lng <= 180
    assert grid.cell(*centre) == grid.cell(lat, lng)
    assert grid.rounded(*centre) == centre


@settings(max_examples=EXAMPLES, deadline=None)
@given(spots())
def test_the_middle_of_a_cell_is_near(spot: tuple[Grid, float, float]) -> None:
    grid, lat, lng = spot
    away = steps(grid, distance_km(lat, lng, *grid.rounded(lat, lng)))
    narrow = rows_to_pole(grid, grid.cell(lat, lng)[0]) < NARROW_ROWS
    assert away <= (1.0 if narrow else 0.75)


@pytest.mark.parametrize("grid", [STREET, DISTRICT, CITY])
@pytest.mark.parametrize("lat", [0, 23.4, 49.1951, 60.17, 69.65, 78.22, 85, 89, -33.86, -77.85, -89.4])
def test_cells_are_as_large_at_every_latitude(grid: Grid, lat: float) -> None:
    row, column = grid.cell(lat, 16.6068)
    middle, beside = grid.centre(row, column), grid.centre(row, column + 1)
    above = grid.centre(row + 1, 0)
    assert 2 / 3 <= steps(grid, distance_km(*middle, *beside)) <= 1.5
    assert 2 / 3 <= steps(grid, distance_km(middle.lat, 0, above.lat, 0)) <= 1.5


@settings(max_examples=EXAMPLES, deadline=None)
@given(spots())
def test_no_cell_is_much_wider_or_narrower_than_its_step(spot: tuple[Grid, float, float]) -> None:
    """Width is measured at both edges of the row."""
    grid, lat, lng = spot
    row, _ = grid.cell(lat, lng)
    if rows_to_pole(grid, row) < POLAR_ROWS:
        return
    columns = columns_of(grid, row)
    for edge in (-0.5, 0.5):
        width = 360 / columns * math.cos(math.radians((row + edge) * grid.step)) / grid.step
        assert 0.5 <= width <= 1.5


def columns_of(grid: Grid, row: int) -> int:
    """Count the cells of a row by where the last one is."""
    return grid.cell(row * grid.step, JUST_WEST)[1] + 1


@settings(max_examples=EXAMPLES, deadline=None)
@given(spots(), st.floats(0, 360), st.floats(0, 0.5, exclude_max=True))
def test_a_near_point_is_in_the_cell_or_beside_it(spot: tuple[Grid, float, float], bearing: float, away: float) -> None:
    grid, lat, lng = spot
    other = _gone(lat, lng, bearing, away * 0.9999 * grid.step * KM_PER_DEGREE)
    here, there = grid.cell(lat, lng), grid.cell(*other)
    assert there == here or there in set(grid.around(*here))
    assert there == here or here in set(grid.around(*there))


def _gone(lat: float, lng: float, bearing: float, km: float) -> tuple[float, float]:
    arrays = (np.array([one]) for one in (lat, lng, math.radians(bearing), km))
    (north,), (east,) = destinations(*arrays)
    return float(north), float(east)


@settings(max_examples=EXAMPLES, deadline=None)
@given(spots())
def test_what_is_beside_a_cell_is_there_and_near(spot: tuple[Grid, float, float]) -> None:
    grid, lat, lng = spot
    here = grid.cell(lat, lng)
    beside = list(grid.around(*here))
    assert here not in beside
    assert len(set(beside)) == len(beside)
    for other in beside:
        assert grid.cell(*grid.centre(*other)) == other, "there is such a cell"
        if rows_to_pole(grid, here[0]) >= NARROW_ROWS:
            assert steps(grid, distance_km(*grid.centre(*here), *grid.centre(*other))) < 2.5
    if rows_to_pole(grid, here[0]) >= NARROW_ROWS:
        assert 8 <= len(beside) <= 10


def test_the_cells_at_a_pole_all_touch_the_one_on_it() -> None:
    pole = CITY.cell(90, 12)
    assert pole == CITY.cell(89.96, -170)
    ring = {CITY.cell(89.9, lng) for lng in range(-180, 180, 10)}
    assert set(CITY.around(*pole)) == ring
    assert all(pole in set(CITY.around(*cell)) for cell in ring)


def test_cells_meet_at_the_antimeridian() -> None:
    for grid in (STREET, DISTRICT, CITY):
        west, east = grid.cell(-16.5, -180), grid.cell(-16.5, JUST_WEST)
        assert west == grid.cell(-16.5, 180)
        assert east in set(grid.around(*west))
        assert west in set(grid.around(*east))


@pytest.mark.parametrize(
    ("grid", "rounded"), [(STREET, (49.195, 16.60632)), (DISTRICT, (49.2, 16.605)), (CITY, (49.2, 16.607))]
)
def test_what_others_may_learn_of_a_place_in_brno(grid: Grid, rounded: tuple[float, float]) -> None:
    assert grid.rounded(49.1951, 16.6068) == rounded
