"""The HTTP door: `recollect serve`.

server    its life: a port, processes, an orderly end
app       the application, with everything around it
lock      who comes in; `calls` who may do what, once and noted
routes/   what can be asked for, by what it is about
asked     what may be sent; `answered` what comes back; `failures` what our errors are over HTTP
stream    live search: who listens; `listener` is one of them, `events` what they get
health    and `metrics`, for whoever runs it
"""
