"""HTTP middleware and server plumbing, shared by all servers of the package.

    limits             body and connection limits, as data
    body_limits        reads bodies within their limits before the routes see them; a token bucket per key
    problems           errors as problem documents (RFC 9457)
    access_log         a line per request, what was answered, and the last resort for failures
    server             ports, signals, and the life of a server; timeouts of idle and slow connections
    host_check         Host and Origin lists, against DNS rebinding and foreign pages
    middleware         request ids, security headers, requests whose length is ambiguous; all of it in the right order
    reference          renders an OpenAPI document as a page

The invariant: whatever a client sends, it gets an answer that names the mistake, repeats nothing of what was sent, and
leaves nothing of it in a log.
"""
