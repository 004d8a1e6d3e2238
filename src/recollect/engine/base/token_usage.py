"""Token usage of paid models: counted by day in UTC, for all users of a store together."""

from recollect.engine.base.context import Engine
from recollect.model.memories import Scope
from recollect.model.messages import Usage


def today(engine: Engine) -> str:
    """Name the present day."""
    return engine.clock.now().date().isoformat()


def affordable(engine: Engine) -> bool:
    """Say whether anything of today's budget is left."""
    return engine.store.spent(today(engine)).tokens < engine.settings.llm.tokens_per_day


def record(engine: Engine, scope: Scope, purpose: str, model: str, usage: Usage) -> None:
    """Record the usage of a call."""
    day = today(engine)
    engine.write(scope, lambda writer: writer.record_spending(day, purpose, model, usage))


def record_tokens(engine: Engine, scope: Scope, purpose: str, model: str, tokens: int) -> None:
    """Record the usage of a failed call, of which only the sum is known."""
    record(engine, scope, purpose, model, Usage(output_tokens=tokens))
