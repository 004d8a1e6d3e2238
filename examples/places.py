"""Memories with a place, and questions from a place. Usage: python examples/places.py

It prints:

    in Brno: Usually orders the dumplings
    in Vienna: Usually orders the schnitzel
    within 5 km of home: ['Usually orders the dumplings']
    home: 1 memory
"""

from recollect import Location, Memory

BRNO, VIENNA = (49.1951, 16.6068), (48.2082, 16.3738)

with Memory.open() as memory:
    me = memory.user("example-places")
    me.remember("Usually orders the dumplings", lat=BRNO[0], lng=BRNO[1], place_label="home")
    me.remember("Usually orders the schnitzel", lat=VIENNA[0], lng=VIENNA[1], place_label="restaurant")

    # What is near ranks higher; the rest is still found.
    for town, here in (("Brno", BRNO), ("Vienna", VIENNA)):
        print(f"in {town}:", me.recall("what do I order?", location=here, location_weight=0.5, limit=1).hits[0].content)

    # A radius finds only what lies within it.
    me.places.set("home", Location(*BRNO))
    nearby = me.recall("what do I order?", location="home", radius_km=5)
    print("within 5 km of home:", [hit.content for hit in nearby.hits])
    (home,) = (place for place in me.places.list() if place.name == "home")
    print(f"{home.name}: {home.memories} memory")
    me.forget(everything=True)
