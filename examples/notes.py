"""Keep a folder of notes in sync and search it. Usage: python examples/notes.py FOLDER QUESTION

It prints:

    synced: 2 added, 0 unchanged
    synced: 0 added, 2 unchanged
    home.md:1-5 Home > Network
    The guest network is called larks-nest.
"""

import sys

from recollect import Memory

folder, question = sys.argv[1:]
with Memory.open() as memory:
    me = memory.user("example-notes")
    for _ in range(2):  # the second sync finds nothing to do; files.watch() goes on until you stop it
        (report,) = me.files.sync(folder)
        print(f"{report.state}: {report.added} added, {report.unchanged} unchanged")

    best = me.recall(question, files=True, limit=1).hits[0]
    chunk = best.record
    print(chunk.place, chunk.heading)
    print(me.files.read(chunk.path, lines=(chunk.end_line, chunk.end_line)).text)
