"""The command `python -m benchmarks.answers`."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import recollect
from benchmarks.answers import __doc__ as about
from benchmarks.answers.evidence import LessThanAll, Shelf, Way, opened
from benchmarks.answers.models import Answered, Price, answer, client, judge
from benchmarks.answers.peers import answers
from benchmarks.answers.run import Answering, RunFile, digest, run, table, wanted
from benchmarks.answers.sets import Chat, Question, load
from benchmarks.quality.command import positive
from benchmarks.quality.sets import BadSet
from recollect import RecollectError
from recollect.llm import ChatClient
from recollect.model.messages import Usage

_MODELS = """also from ANSWERER_URL, ANSWERER_MODEL, JUDGE_URL and JUDGE_MODEL of the environment; keys only from its
ANSWERER_KEY and JUDGE_KEY. The judge is the answerer if it is not named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer, judge and print a table; 1 says that some questions have no answer yet, 2 that nothing was asked."""
    asked = _parser().parse_args(arguments)
    try:
        chosen = wanted(load(asked.set), asked.kinds, asked.limit_questions)
        file = RunFile(asked.out, _about(asked))
        failed = _run(asked, chosen, file) if chosen else ()
    except (BadSet, LessThanAll, RecollectError, OSError) as error:
        print(f"answers: {error}", file=sys.stderr)
        return 2
    ids = {question.id for _, question in chosen}
    rows = [row for row in file.rows if row.id in ids]
    print(table(rows, (asked.price, asked.judge_price)))
    missing = len(chosen) - len(rows)
    if missing:
        why = f" ({failed[-1]})" if failed else ""
        print(f"{missing} of {len(chosen)} questions have no answer{why}. Run this again to go on.", file=sys.stderr)
    return 1 if missing else 0


def _run(asked: argparse.Namespace, chosen: Sequence[tuple[Chat, Question]], file: RunFile) -> Sequence[str]:
    done = {row.id for row in file.rows}
    left = [(chat, question) for chat, question in chosen if question.id not in done]
    with ExitStack() as stack:
        judging = _model(asked, stack, "judge")
        if asked.answers:
            given = answers(asked.answers)
            questions = _of_a_peer(given, left)
        else:
            settings = dict(map(_setting, asked.settings))
            way = Way(asked.budget, asked.hits, asked.full)
            shelf = stack.enter_context(opened(asked.store, way, settings))
            questions = _of_ours(shelf, _model(asked, stack, "answerer"), left)
        return run(file, questions, partial(judge, judging), asked.workers)


def _of_ours(
    shelf: Shelf, model: ChatClient, left: Sequence[tuple[Chat, Question]]
) -> Iterator[tuple[Question, Answering]]:
    """Store a chat before its first question."""
    stored = ""
    for chat, question in left:
        if chat.user != stored:
            print(f"storing {chat.user}: {len(chat.turns)} turns", file=sys.stderr, flush=True)
            shelf.store(chat)
            stored = chat.user
        given = shelf.evidence(chat, question)
        yield question, partial(_answered, model, question, given.text, given.tokens)


def _answered(model: ChatClient, question: Question, evidence: str, tokens: int) -> tuple[Answered, int | None]:
    return answer(model, question, evidence), tokens


def _of_a_peer(given: Mapping[str, str], left: Sequence[tuple[Chat, Question]]) -> Iterator[tuple[Question, Answering]]:
    """Take the answer under the id of a question, or under its text; one that was not given is no right one."""
    for _, question in left:
        text = given.get(question.id, given.get(question.text, ""))
        yield question, partial(_given, text)


def _given(text: str) -> tuple[Answered, int | None]:
    return Answered(text, Usage()), None


def _model(asked: argparse.Namespace, stack: ExitStack, part: str) -> ChatClient:
    url, model = _endpoint(asked, part)
    options = {} if asked.temperature is None else {"temperature": asked.temperature}
    key = os.environ.get(f"{part.upper()}_KEY")
    if key is None and url == _named(asked, "answerer", "url"):  # no host gets the key of another
        key = os.environ.get("ANSWERER_KEY")
    made = client(url, model, key, options, asked.timeout)
    stack.callback(made.close)
    return made


def _endpoint(asked: argparse.Namespace, part: str) -> tuple[str, str]:
    """Say where a model is and how it is called; the judge is the answerer unless it is named."""
    names = (part, "answerer")
    found = [next((value for name in names if (value := _named(asked, name, what))), None) for what in ("url", "model")]
    if not all(found):
        raise BadSet(f"The {part} is not known: set {part.upper()}_URL and {part.upper()}_MODEL, or give the options.")
    return str(found[0]), str(found[1])


def _named(asked: argparse.Namespace, part: str, what: str) -> str | None:
    chosen: str | None = getattr(asked, f"{part}_{what}")
    return chosen or os.environ.get(f"{part.upper()}_{what.upper()}")


def _about(asked: argparse.Namespace) -> Mapping[str, Any]:
    """Say what is run, as far as answers and verdicts depend on it."""
    judging = {"set": asked.set.name, "digest": digest(asked.set), "judge": _endpoint(asked, "judge")[1]}
    if asked.answers:
        return {**judging, "answers": asked.answers.name, "answers_digest": digest(asked.answers)}
    return {
        **judging,
        "answerer": _endpoint(asked, "answerer")[1],
        "evidence": str(Way(asked.budget, asked.hits, asked.full)),
        "settings": sorted(asked.settings),
        "temperature": asked.temperature,
        "recollect": recollect.__version__,
    }


def _setting(text: str) -> tuple[str, object]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _price(text: str) -> Price:
    try:
        read, written = map(float, text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} are no two numbers; write 0.15,0.60") from error
    return Price(read, written)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=about)
    parser.add_argument("set", type=Path, metavar="SET", help="locomo10.json, a longmemeval file, or a folder of BEAM")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="where answers go, and are gone on with"
    )
    given = parser.add_argument_group("what is given").add_mutually_exclusive_group()
    given.add_argument("--budget", type=positive, metavar="N", help="tokens of the block (default: the setting's)")
    given.add_argument("--hits", type=positive, default=0, metavar="N", help="not the block but the best N hits")
    given.add_argument("--full", action="store_true", help="all that was said, to compare")
    given.add_argument("--answers", type=Path, metavar="FILE", help="only judge the answers of another program")
    parser.add_argument("--setting", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--store", metavar="DATABASE", help="store there, and find it again (default: for this run)")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=[], metavar="KIND,…", help="only these")
    parser.add_argument("--limit-questions", type=positive, metavar="N", help="only N, from all over the set")
    models = parser.add_argument_group("models", _MODELS)
    for part in ("answerer", "judge"):
        models.add_argument(f"--{part}-url", metavar="URL", help="of chat completions, as in http://127.0.0.1:11434/v1")
        models.add_argument(f"--{part}-model", metavar="NAME")
    models.add_argument("--temperature", type=float, metavar="T", help="for models that take one")
    models.add_argument("--timeout", type=float, default=120.0, metavar="S", help="for one attempt (default 120)")
    models.add_argument("--workers", type=positive, default=4, metavar="N", help="questions at once (default 4)")
    models.add_argument("--price", type=_price, default=Price(), metavar="IN,OUT", help="dollars a million tokens")
    models.add_argument("--judge-price", type=_price, default=Price(), metavar="IN,OUT", help="those of the judge")
    return parser


if __name__ == "__main__":
    sys.exit(main())
