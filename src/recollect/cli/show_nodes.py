"""What several nodes found, for people: each hit with where it is from, and which nodes are missing."""

from datetime import datetime

from rich.table import Table
from rich.text import Text

from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, show_degraded
from recollect.cli.show_places import place_line
from recollect.cli.words import ago, percent, shortened
from recollect.federation import LOCAL_NODE, FederatedHit, FederatedResult

_LONGEST = 300


def show_federated(sheet: Sheet, value: FederatedResult) -> None:
    """Show the hits in their order; scores stand beside them, because those of two nodes cannot be compared."""
    console = sheet.console
    if not value.hits:
        console.print("Nothing was found, neither here nor elsewhere.")
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for place, hit in enumerate(value.hits, start=1):
        table.add_row(Text(f"{place}.", "bold cyan"), _entry(hit, sheet.now))
    if value.hits:
        console.print(table)
    here = [failed for failed in value.degraded if not failed.startswith("node:")]
    show_degraded(sheet, here, "The answer comes from what still works; `recollect doctor` may know why.")
    for node in value.nodes:
        if node.state != "answered":
            console.print(safe(f"Without the node {node.name}: it {node.reason}.", "yellow"))
        elif node.degraded:
            console.print(safe(f"The node {node.name} searched without {' and '.join(node.degraded)}.", "yellow"))
    if not value.nodes:
        console.print("No other node was asked: none is enabled for this user.", style="yellow")


def _entry(hit: FederatedHit, now: datetime) -> Text:
    when = ago(hit.occurred_at or hit.created_at, now)
    kind = (hit.source, hit.type) if hit.source == "memory" else (hit.source,)
    there = percent(hit.score) if hit.node == LOCAL_NODE else f"{percent(hit.score)} there"
    also = (f"also in {', '.join(hit.also_in)}",) if hit.also_in else ()
    details = " · ".join((hit.node, *kind, when, there, *also))
    entry = safe(shortened(hit.content, _LONGEST)).append("\n").append_text(safe(f"{hit.id}  {details}", "dim"))
    if hit.place:
        told = place_line(hit.place.label, hit.place.address, hit.place.lat, hit.place.lng)
        entry.append("\n").append_text(safe(f"at {told}", "dim"))
    return entry
