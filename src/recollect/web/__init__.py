"""HTTP middleware and server plumbing, shared by all servers of the package.

    limits               body and connection limits, as data
    body_limits          reads bodies within their limits before the routes see them
    problems             errors as problem documents (RFC 9457)
    access_log           a line per request, and the last resort for failures
    server               ports, signals, and the life of a server
    connection_timeouts  timeouts of idle and slow connections
    request_framing      refuses requests whose length is ambiguous
    headers              request ids and security headers
    response_recorder    records the status and length of a response
    host_check           Host and Origin lists, against DNS rebinding and foreign pages
    rate_limit           a token bucket per key
    middleware           all of it around one application, in the right order
    schema_text          JSON schemas in words; `reference` renders an OpenAPI document as a page

The invariant: whatever a client sends, it gets an answer that names the mistake, repeats nothing of what was sent, and
leaves nothing of it in a log.
"""
