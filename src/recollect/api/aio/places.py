"""The verbs for places, awaited."""

from asyncio import to_thread

from recollect.api.memory import UserMemory
from recollect.model.places import Located, Location, LocationLike, NamedPlace, PlaceSummary


class AsyncPlaceVerbs:
    """The verbs for a user's places. See `UserMemory`."""

    _memory: UserMemory

    async def places(self, *, limit: int = 50) -> tuple[PlaceSummary, ...]:
        """See `UserMemory.places`."""
        return await to_thread(self._memory.places, limit=limit)

    async def named_places(self) -> tuple[NamedPlace, ...]:
        """See `UserMemory.named_places`."""
        return await to_thread(self._memory.named_places)

    async def place(self, name: str) -> Location:
        """See `UserMemory.place`."""
        return await to_thread(self._memory.place, name)

    async def name_place(self, name: str, location: LocationLike) -> NamedPlace:
        """See `UserMemory.name_place`."""
        return await to_thread(self._memory.name_place, name, location)

    async def forget_place(self, name: str) -> None:
        """See `UserMemory.forget_place`."""
        await to_thread(self._memory.forget_place, name)

    async def locate(self, name: str, *, limit: int = 5) -> tuple[Located, ...]:
        """See `UserMemory.locate`."""
        return await to_thread(self._memory.locate, name, limit=limit)

    async def where_is(self, lat: float, lng: float) -> Located | None:
        """See `UserMemory.where_is`."""
        return await to_thread(self._memory.where_is, lat, lng)

    async def find_addresses(self) -> int:
        """See `UserMemory.find_addresses`."""
        return await to_thread(self._memory.find_addresses)
