"""The client that agents' hosts run around a turn, on the standard library alone.

    main         reads an event of a host, asks the service, prints what the host understands
    events       what each host sends and expects; transcripts reads the conversation that a host wrote down
    connection   where the service is and with which key; exchange makes one HTTP request within a deadline
    spool        what could not be delivered, in private files, delivered later
    start        starts a service that is not running
    light_json   JSON without the package of that name
    folders      where a user's programs keep such files

The invariant: a host is never kept waiting or stopped. Whatever fails, the client prints nothing, keeps what it was
given in the spool, and ends with success within its time budget. A hook runs at each turn, in a new process, so nothing
here imports more than a few light modules: no `typing`, `dataclasses`, `pathlib`, `json`, `socket`, and none of the
engine.
"""
