"""Changes one user's places inside one transaction: what they are called, and where what is written is."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.literals import ItemKind
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message
from recollect.model.places import NamedPlace, PlaceRow, folded, place_id
from recollect.ports import UnlocatedItem, UnnamedPlace
from recollect.storage.postgres import spaces
from recollect.storage.postgres.items import ItemWriter
from recollect.storage.postgres.rows import QUERIES, one


class PlaceWriter(ItemWriter):
    """The part of a writer that is about places. Names of places come and go with what is at them."""

    def _settle(self, kind: ItemKind, written: Sequence[MemoryRecord | Message], now: datetime) -> None:
        """Note what the places of new rows are called, and that some of these lack an address."""
        self._name_places([(row.address, row.place_label) for row in written if row.address or row.place_label], now)
        if self._geocodes:
            lacking = [row.id for row in written if row.lat is not None and not row.address]
            shared = {"user_id": self._user, "item_kind": kind, "now": now}
            with self._connection.cursor() as cursor:
                jobs = [{**shared, "item_id": item_id} for item_id in lacking]
                cursor.executemany(QUERIES["insert_geocoding"].encode(), jobs)

    def _name_places(self, names: Sequence[tuple[str, str]], now: datetime) -> None:
        """Note names that are new; each is owed a vector in every space."""
        wanted = {made: name for name in dict.fromkeys(names) if (made := place_id(*name))}
        known = {row.id for row in self.get_places([*wanted])} if wanted else set()
        new = [PlaceRow(one, *name, now) for one, name in wanted.items() if one not in known]
        if not new:
            return
        for place in new:
            self._run("insert_place", place._asdict())
        for number in spaces.owed(self._connection, "place", None, now).values():
            self._insert_jobs("place", [place.id for place in new], number, now)

    def _remove(self, kind: ItemKind, item_ids: Sequence[str]) -> None:
        """Remove rows, the names of places at which nothing is any more, and what was asked about places."""
        doomed = {"ids": list(item_ids)}
        places = [row[0] for row in self._run("places_of", doomed, kind=kind)]
        located = one(self._run("are_located", doomed, kind=kind))[0]
        self._delete(kind, item_ids)
        if located:
            self._run("forget_geocoded")
        self._drop_unused(places)

    def set_address(self, item: UnlocatedItem, address: str, now: datetime) -> bool:
        """Give an address to what has none."""
        label = next((row.place_label for row in self._placed(item)), "")
        values = {"id": item.id, "lat": item.lat, "lng": item.lng, "address": address}
        done = self._run("set_address", {**values, "place": place_id(address, label)}, kind=item.kind).rowcount > 0
        if done:
            self._name_places([(address, label)], now)
            self._drop_unused([place_id("", label)])
        return done

    def _placed(self, item: UnlocatedItem) -> Sequence[MemoryRecord | Message]:
        return self.get([item.id]) if item.kind == "memory" else self.get_messages([item.id])

    def _drop_unused(self, places: Sequence[str | None]) -> None:
        """Remove names of places at which nothing is any more."""
        wanted = [place for place in places if place]
        unused = [row[0] for row in self._run("unused_places", {"ids": wanted})] if wanted else []
        if unused:
            self._delete("place", unused)
            self._run("forget_cached_items", {"ids": unused})

    def finish_geocoding(self, item_ids: Sequence[str]) -> None:
        """Remove jobs."""
        self._run("finish_jobs", {"space": 0, "ids": list(item_ids)})

    def save_named_place(self, place: NamedPlace) -> None:
        """Name a place."""
        self._run("save_named_place", {**place._asdict(), "folded": folded(place.name)})

    def delete_named_place(self, name: str) -> bool:
        """Forget a name."""
        return self._run("delete_named_place", {"folded": folded(name)}).rowcount > 0

    def delete_named_places(self) -> None:
        """Forget all names, and what was asked."""
        self._run("delete_named_places")
        self._run("forget_geocoded")

    def name_place(self, row: UnnamedPlace, now: datetime) -> None:
        """Note what the place of a row is called."""
        values = {"id": row.id, "address": row.address, "place_label": row.place_label}
        found = self._run("set_place", {**values, "place": place_id(row.address, row.place_label)}, kind=row.kind)
        if found.rowcount > 0:
            self._name_places([(row.address, row.place_label)], now)
