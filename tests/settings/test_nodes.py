"""Lines that describe other nodes: read from anywhere, with keys that nobody ever sees."""

import json
import traceback
from collections.abc import Mapping

import pytest

from recollect.errors import SettingsError
from recollect.settings import FederationSettings, Settings, load_settings
from tests.rows import every
from tests.settings.common import Write, refusal

KEY = "rk_office_geheim"
LINE = f"office url=https://memory.example key={KEY} users=anna,ben"
OTHER = f"home url=http://127.0.0.1:8787 key={KEY}="


def test_lines_are_read_from_a_list_and_from_a_text(write: Write) -> None:
    for written in (f"nodes = [{json.dumps(LINE)}, {json.dumps(OTHER)}]", f'nodes = """\n{LINE}\n\n  {OTHER}\n"""'):
        loaded = load_settings(write(f"[federation]\n{written}"), environ={})
        assert loaded.federation.nodes == (LINE, OTHER)
    loaded = load_settings(environ={"RECOLLECT_FEDERATION_NODES": f"{LINE}\n{OTHER}"})
    assert loaded.federation.nodes == (LINE, OTHER)
    assert load_settings(environ={"RECOLLECT_FEDERATION_NODES": "none"}).federation.nodes == ()


def test_variables_are_substituted_inside_a_list(write: Write) -> None:
    line = LINE.replace(KEY, "${OFFICE_KEY}")
    literal = "home url=http://h key=$${NOT}"
    config = write(f"federation.nodes = {json.dumps([line, literal])}\nserve.allowed_hosts = ['${{HOST_NAME}}', 'b']")
    loaded = load_settings(config, environ={"OFFICE_KEY": KEY, "HOST_NAME": "a"})
    assert loaded.federation.nodes == (LINE, "home url=http://h key=${NOT}")
    assert loaded.serve.allowed_hosts == ("a", "b")
    told = refusal(config, {"HOST_NAME": "a"})
    assert told.startswith("Environment variable OFFICE_KEY is not set; federation.nodes in ")
    given = load_settings(environ={"OFFICE_KEY": KEY}, overrides={"federation.nodes": (line,)})
    assert given.federation.nodes == (LINE,)


def test_what_is_no_text_in_a_list_is_refused_and_not_substituted(write: Write) -> None:
    assert "federation.nodes is" in refusal(write("federation.nodes = [1, '${X}']"), {"X": "x"})


WRONG = (
    "office",
    f"office url=https://h key = {KEY}",
    f"office https://h {KEY}",
    f"office url=https://h Key={KEY}",
    f"office url=https://h key={KEY} key={KEY}",
    f"office url=https://h key={KEY} token={KEY}",
    f"office url= key={KEY}",
    f"office url=https://h key={KEY} users=",
    f"key={KEY} url=https://h users=anna",
    f"office url=https://h key={KEY} {KEY}",
    f"office url=https://h key={KEY}\x07",
    f"{LINE}\n{OTHER.replace('home', 'office')}",
)


@every("line", WRONG)
def test_what_is_no_node_is_refused_without_showing_it(line: str) -> None:
    lines = line.split("\n")
    environ = {"RECOLLECT_FEDERATION_NODES": line}
    told = [refusal(None, environ), refusal(None, {}, {"federation.nodes": lines})]
    with pytest.raises(SettingsError) as caught:
        FederationSettings(nodes=tuple(lines))
    told.append("".join(traceback.format_exception(caught.value)))
    for message in told:
        assert KEY not in message
        assert "expected" in message
    assert told[0].startswith('federation.nodes is "***" (from environment variable RECOLLECT_FEDERATION_NODES); ')


def test_the_refusal_says_which_node_is_meant() -> None:
    told = refusal(None, {}, {"federation.nodes": [LINE, "home url=http://h"]})
    assert told == (
        "federation.nodes is *** (from an argument); expected as node 2 a name, then `url=…` and `key=…` and perhaps "
        "`users=…`, each once."
    )


def test_a_substituted_key_that_breaks_its_line_is_not_shown(write: Write) -> None:
    line = LINE.replace(KEY, "${OFFICE_KEY}")
    environ: Mapping[str, str] = {"OFFICE_KEY": "geheim mit Blanks"}
    assert "geheim" not in refusal(write(f"federation.nodes = [{json.dumps(line)}]"), environ)


def shown(settings: Settings) -> str:
    (row,) = [row for row in settings.describe() if row.name == "federation.nodes"]
    return row.value


def test_keys_are_never_shown() -> None:
    login = f"work url=https://me:{KEY}@h key={KEY}"
    loaded = load_settings(environ={"RECOLLECT_FEDERATION_NODES": f"{OTHER}\n{login}", "RECOLLECT_KEY": KEY})
    built = Settings(federation=FederationSettings(nodes=(OTHER, login)), key=KEY)
    for settings in (loaded, built):
        assert KEY not in f"{settings!r} {settings} {settings.describe()} {settings.federation!r} {settings.federation}"
        assert shown(settings) == "home url=http://127.0.0.1:8787 key=***, work url=*** key=***"
    assert shown(Settings(federation=FederationSettings(nodes=(LINE,)))) == LINE.replace(KEY, "***")
    assert shown(Settings()) == "none"
