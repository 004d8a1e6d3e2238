"""The HTTP service: `recollect serve`.

server, worker_processes    its life: a port, processes, an orderly end
app                         the application with its middleware; the part for agents is made when one asks
authentication              who calls; `request_context` the permission of a route; `idempotency` runs writes once
admission/                  rates, and the queue in which users take turns
routes/                     the routes, by subject
requests, responses         bodies in and out; `error_responses` our errors as problem documents
live/                       live search over server-sent events
metrics/                    Prometheus metrics, readiness and traces
"""
