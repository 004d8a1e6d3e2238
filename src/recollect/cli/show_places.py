"""Places for people: where they are, what is there, and what they are called."""

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View, figures
from recollect.cli.verbs_places import OwnPlace, Places, Whereabouts
from recollect.cli.words import ago, far, shortened, spot
from recollect.model.places import Located

_LONGEST_NAME = 36
_LONGEST_ADDRESS = 60


def place_line(label: str, address: str, lat: float | None, lng: float | None) -> str:
    """Give a place as one would write it down: what it is called, its address, its coordinates."""
    named = " · ".join(shortened(part, _LONGEST_ADDRESS) for part in (label, address) if part)
    point = spot(lat, lng)
    return f"{named} ({point})" if named and point else named or point


def show_taken(sheet: Sheet, taken: Located | None) -> None:
    """Say which place was taken for the name that was typed."""
    if taken is not None:
        sheet.console.print(safe(f"near {taken.address or taken.name}", "dim"))


def _show_places(sheet: Sheet, value: Places) -> None:
    console = sheet.console
    if not value.places and not value.empty:
        console.print("No places yet. `recollect store TEXT --lat LAT --lng LNG` stores something at one.")
        return
    if value.places:
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        table.add_column("place", overflow="fold")
        for figure in ("memories", "messages", "visits"):
            table.add_column(figure, justify="right", no_wrap=True)
        table.add_column("last visit", no_wrap=True)
        for one in value.places:
            name = safe(shortened(one.name, _LONGEST_NAME), "bold" if one.named else "")
            if one.address not in ("", one.name):
                name.append("\n").append_text(safe(shortened(one.address, _LONGEST_NAME), "dim"))
            counts = (f"{amount:,}" for amount in (one.memories, one.messages, one.visits))
            table.add_row(name, *counts, ago(one.last_visit, sheet.now))
        console.print(table)
    for empty in value.empty:
        told = place_line("", empty.address, empty.lat, empty.lng)
        console.print(safe(empty.name, "bold").append_text(safe(f"  nothing there yet · {told}", "dim")))


def _show_place(sheet: Sheet, value: OwnPlace) -> None:
    if value.location is None:
        sheet.console.print(safe(f"No place has the name {value.name} any more. Memories that are there stay."))
        return
    known = value.location
    if value.action == "named":
        sheet.console.print("Named.")
    sheet.console.print(safe(place_line(known.place_label or value.name, known.address, known.lat, known.lng)))


def _show_where(sheet: Sheet, value: Whereabouts) -> None:
    if value.reverse:
        _show_nearest(sheet, value)
        return
    table = Table.grid(padding=(0, 2))
    for style in ("", "dim", "dim"):
        table.add_column(style=style, overflow="fold")
    for one in value.found:
        table.add_row(safe(one.address or one.name), Text(spot(one.lat, one.lng)), safe(one.timezone))
    sheet.console.print(table)


def _show_nearest(sheet: Sheet, value: Whereabouts) -> None:
    if not value.found:
        sheet.console.print("Nothing that has a name is known there.")
        return
    (found,) = value.found
    sheet.console.print(safe(found.address or found.name, "bold"))
    country = f"{found.country} ({found.country_code})" if found.country_code else found.country
    nearest = f"{found.name}, {far(found.distance_km)}" if found.name else ""
    table = figures()
    for name, text in (
        ("nearest", nearest), ("region", found.region), ("country", country), ("time zone", found.timezone),
    ):  # fmt: skip
        if text:
            table.add_row(name, safe(text))
    sheet.console.print(table)


VIEWS: Mapping[str, View] = {"places": _show_places, "place": _show_place, "where": _show_where}
