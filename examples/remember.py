"""Remember, recall and forget. Usage: python examples/remember.py

It prints:

    created
    duplicate
    superseded
    The standup is at 10:00
    before: The standup is at 9:30
    deleted 2
"""

from recollect import Memory

with Memory.open() as memory:
    me = memory.user("example-remember")

    print(me.remember("Prefers window seats on trains", type="preference").action)
    print(me.remember("prefers window seats on trains!", type="preference").action)

    # A subject and a key make a slot: a new value supersedes the old one.
    me.remember("The standup is at 9:30", type="fact", subject="standup", key="time")
    print(me.remember("The standup is at 10:00", type="fact", subject="standup", key="time").action)

    best = me.recall("when do we have our standup?", limit=1).hits[0]
    print(best.content)
    for version in me.history(best.id):
        if version.superseded_by:
            print("before:", version.content)

    forgotten = me.forget(best.id)  # with its history
    print(forgotten.action, len(forgotten.ids))
    me.forget(everything=True)
