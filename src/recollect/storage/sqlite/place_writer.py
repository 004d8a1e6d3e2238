"""Changes one user's places inside one transaction: what they are called, and where what is written is."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.literals import ItemKind
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message
from recollect.model.places import NamedPlace, PlaceRow, folded, place_id
from recollect.ports import UnlocatedItem, UnnamedPlace
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.items import ItemWriter
from recollect.storage.sqlite.rows import id_array


class PlaceWriter(ItemWriter):
    """The part of a writer that is about places. Names of places come and go with what is at them."""

    def _settle(self, kind: ItemKind, written: Sequence[MemoryRecord | Message], now: datetime) -> None:
        """Note what the places of new rows are called, and that some of these lack an address."""
        self._name_places([(row.address, row.place_label) for row in written if row.address or row.place_label], now)
        if self._geocodes:
            moment = codec.to_micros(now)
            for row in written:
                if row.lat is not None and not row.address:
                    self._run("insert_geocoding", {"item_kind": kind, "item_id": row.id, "now": moment})

    def _name_places(self, names: Sequence[tuple[str, str]], now: datetime) -> None:
        """Note names that are new; each is owed a vector in every space."""
        wanted = {made: name for name in dict.fromkeys(names) if (made := place_id(*name))}
        known = {row.id for row in self.get_places([*wanted])} if wanted else set()
        new = [PlaceRow(one, *name, now) for one, name in wanted.items() if one not in known]
        if not new:
            return
        moment = codec.to_micros(now)
        for seq, place in enumerate(new, self._next_numbers(len(new))):
            self._run("insert_place", {**place._asdict(), "seq": seq, "created_at": moment})
        for number in spaces.owed(self._connection, "place", None, now).values():
            for place in new:
                self._insert_job("place", place.id, number, now)

    def _remove(self, kind: ItemKind, item_ids: Sequence[str]) -> None:
        """Remove rows, the names of places at which nothing is any more, and what was asked about places."""
        bound = id_array(item_ids)
        places = [row[0] for row in self._run("places_of", {"ids": bound}, kind=kind)]
        located = self._run("are_located", {"ids": bound}, kind=kind)[0][0]
        self._delete(kind, item_ids)
        if located:
            self._run("forget_geocoded")
        self._drop_unused(places)

    def set_address(self, item: UnlocatedItem, address: str, now: datetime) -> bool:
        """Give an address to what has none."""
        label = next((row.place_label for row in self._placed(item)), "")
        values = {"id": item.id, "lat": item.lat, "lng": item.lng, "address": address}
        done = bool(self._run("set_address", {**values, "place": place_id(address, label)}, kind=item.kind))
        if done:
            self._name_places([(address, label)], now)
            self._drop_unused([place_id("", label)])
        return done

    def _placed(self, item: UnlocatedItem) -> Sequence[MemoryRecord | Message]:
        return self.get([item.id]) if item.kind == "memory" else self.get_messages([item.id])

    def _drop_unused(self, places: Sequence[str | None]) -> None:
        """Remove names of places at which nothing is any more."""
        wanted = [place for place in places if place]
        unused = [row[0] for row in self._run("unused_places", {"ids": id_array(wanted)})] if wanted else []
        if unused:
            self._delete("place", unused)
            self._run("forget_cached_items", {"ids": id_array(unused)})

    def finish_geocoding(self, item_ids: Sequence[str]) -> None:
        """Remove jobs."""
        self._run("finish_jobs", {"space": 0, "ids": id_array(item_ids)})

    def save_named_place(self, place: NamedPlace) -> None:
        """Name a place."""
        values = {**place._asdict(), "updated_at": codec.to_micros(place.updated_at)}
        self._run("save_named_place", {**values, "folded": folded(place.name)})

    def delete_named_place(self, name: str) -> bool:
        """Forget a name."""
        return bool(self._run("delete_named_place", {"folded": folded(name)}))

    def delete_named_places(self) -> None:
        """Forget all names, and what was asked."""
        self._run("delete_named_places")
        self._run("forget_geocoded")

    def name_place(self, row: UnnamedPlace, now: datetime) -> None:
        """Note what the place of a row is called."""
        values = {"id": row.id, "address": row.address, "place_label": row.place_label}
        found = self._run("set_place", {**values, "place": place_id(row.address, row.place_label)}, kind=row.kind)
        if found:
            self._name_places([(row.address, row.place_label)], now)
