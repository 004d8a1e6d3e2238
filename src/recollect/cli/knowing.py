"""The commands for facts, preferences, events and lessons, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Knowledge")


@_command(epilog=example("recollect about garage", 'recollect about "the office light" --limit 3'))
def about(
    ctx: typer.Context,
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="A thing, a person or a place, as people call it.")],
    *,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", help="At most this many related memories besides.")
    ] = 5,
    json: options.Json = False,
) -> None:
    """Tell all that is known about a topic, in one answer.

    Facts, preferences, events and lessons of the things that the topic names, and what else speaks of it.
    """
    run(ctx)


@_command(
    epilog=example('recollect fact light.office location "home office"', "recollect fact jana birthday 1990-05-17")
)
def fact(
    ctx: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="What it is about, such as light.office.")],
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="Which property: location, purpose, nickname, schedule, or any other.")
    ],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What is so. It replaces the value from before.")],
    *,
    context: options.Context = None,
    confidence: options.Confidence = None,
    json: options.Json = False,
) -> None:
    """Note a fact about a thing; a new value replaces the old."""
    run(ctx)


@_command(epilog=example("recollect facts", "recollect facts light.office --key location"))
def facts(
    ctx: typer.Context,
    subject: Annotated[str | None, typer.Argument(metavar="SUBJECT", help="Only about this subject.")] = None,
    *,
    key: options.OfKey = None,
    limit: options.Most = 100,
    json: options.Json = False,
) -> None:
    """List facts, by what they are about."""
    run(ctx)


@_command(
    epilog=example(
        "recollect prefer lighting evening_brightness 40% --context after_sunset",
        "recollect prefer food breakfast porridge",
    )
)
def prefer(
    ctx: typer.Context,
    category: Annotated[str, typer.Argument(metavar="CATEGORY", help="What it is about, such as lighting or food.")],
    key: Annotated[str, typer.Argument(metavar="KEY", help="Which part of it, such as evening_brightness.")],
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="What is preferred. It replaces the value from before.")
    ],
    *,
    context: options.Context = None,
    confidence: options.Confidence = None,
    json: options.Json = False,
) -> None:
    """Note what the user prefers."""
    run(ctx)


@_command(epilog=example("recollect preferences", "recollect preferences lighting"))
def preferences(
    ctx: typer.Context,
    category: Annotated[str | None, typer.Argument(metavar="CATEGORY", help="Only in this category.")] = None,
    *,
    limit: options.Most = 100,
    json: options.Json = False,
) -> None:
    """List what the user prefers, the surest first."""
    run(ctx)


@_command(
    epilog=example(
        'recollect event "The garage door was opened" --entity cover.garage --at 2h',
        'recollect event "Smoke in the kitchen" --kind alert --importance 0.9 --details "for 40 seconds"',
    )
)
def event(
    ctx: typer.Context,
    summary: Annotated[str, typer.Argument(metavar="SUMMARY", help="What happened.")],
    *,
    kind: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What kind of event: state_change, user_action, automation, alert, or any."),
    ] = None,
    entity: Annotated[
        str | None, typer.Option(metavar="NAME", help="The thing to which it happened, such as cover.garage.")
    ] = None,
    details: Annotated[str | None, typer.Option(metavar="TEXT", help="What else there is to say.")] = None,
    at: options.At = None,
    importance: Annotated[
        float | None, typer.Option(metavar="0..1", help="How much it matters; 0.5 when nothing is said.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Note that something happened, now or at another time."""
    run(ctx)


@_command(
    epilog=example(
        'recollect events --when "last night"',
        "recollect events --since 7d --min-importance 0.7",
        "recollect events --entity cover.garage --when 2026-12-03",
    )
)
def events(
    ctx: typer.Context,
    *,
    when: Annotated[
        str | None,
        typer.Option(
            metavar="PERIOD",
            help="Only then: today, yesterday, last night (18:00 to 06:00), or a day such as 2026-12-03.",
        ),
    ] = None,
    since: options.Since = None,
    until: options.Until = None,
    min_importance: Annotated[float | None, typer.Option(metavar="0..1", help="Leave out what matters less.")] = None,
    entity: Annotated[str | None, typer.Option(metavar="NAME", help="Only what happened to this thing.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="NAME", help="Only events of this kind.")] = None,
    limit: options.Most = 100,
    json: options.Json = False,
) -> None:
    """Tell what happened, in order.

    When there is more than the limit, the newest are shown.
    """
    run(ctx)


@_command(
    epilog=example(
        'recollect lesson "Restart the router before calling the provider" --context internet --confidence 0.8'
    )
)
def lesson(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was learned; - reads it from standard input.")],
    *,
    context: options.Context = None,
    confidence: options.Confidence = None,
    json: options.Json = False,
) -> None:
    """Note what was learned."""
    run(ctx)


@_command(epilog=example("recollect lessons", "recollect lessons --context internet"))
def lessons(
    ctx: typer.Context,
    *,
    context: options.OfContext = None,
    limit: options.Most = 100,
    json: options.Json = False,
) -> None:
    """List what was learned, the surest first."""
    run(ctx)
