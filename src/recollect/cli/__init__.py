"""The command line.

    app          the application: global options, and the groups of commands
    memories, search, facts, places, conversations, hooks, files, embedding, reembed, maintenance, keys, scopes,
    serve, demo  one module a group: each command's declaration, action and view
    runner       declares and runs commands; `CommandContext` gives them the store, the user and the terminal
    permissions  what a command needs, and the check before the store is used
    errors       errors as messages and exit codes
    verb_options options of commands that are verbs, made of the verb's signature
    options      other options that several commands share; values parses what stands behind them
    json_output  results for programs
    view         results for people, with formatting, render_memories and progress

The invariant: help of all imports typer and nothing else that is slow; that of a verb brings the model, too.
"""

import gc

_collected = gc.isenabled()
gc.disable()  # declarations make no garbage, and looking for it delays the start

from recollect.cli.app import app  # noqa: E402 - as above

if _collected:
    gc.freeze()  # declarations live as long as the process
    gc.enable()

__all__ = ["app", "main"]


def main() -> None:
    """Run what was typed."""
    gc.disable()  # until the command works: imports make no garbage, and looking for it delays the start
    app(prog_name="recollect")
