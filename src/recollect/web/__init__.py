"""What the servers of this package share of HTTP, and the guards that stand before the routes of the service.

    limits     how large a body may be, how long it may take, how many may be inside; how many connections
    gate       what is too much is turned away before it is read
    problems   errors as problem documents (RFC 9457)
    journal    one line per request, and the last resort for failures
    listening  ports, signals, and the life of a server
    cutting    connections that can be ended although the client does not read, and are when it asks nothing
    framing    requests of which nobody can say where they end
    headers    what stands on every answer: its number, and what browsers may do with it
    hosts      names and origins, as they stand in headers and in settings
    callers    by which names the service may be called, and by which web pages
    throttle   how often one key may ask
    guarded    all guards around one application, in the right order
    schemas    JSON schemas in words
    reference  a page for people, made from an OpenAPI document

The invariant: whatever a stranger sends is met by an answer that names the mistake, repeats nothing of it, and leaves
nothing of it in a log.
"""
