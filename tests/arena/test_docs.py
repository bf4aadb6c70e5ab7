"""The documents' examples are run as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.bot import GameEnd, GameStart
from arena.events import event_from_wire, event_to_wire
from arena.loader import load_bot
from arena.local import UploadContestant
from arena.protocol import Ask, Request, decode_reply, encode_reply
from arena.referee import play_match
from arena.rules import CLASSIC
from arena.session import BotSession
from arena.view import View

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOL = (DOCS / "protocol.md").read_text(encoding="utf-8")
GUIDE = (DOCS / "writing-a-bot.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def exchanges() -> list[tuple[str, str]]:
    pairs = []
    for block in blocks(PROTOCOL, "json"):
        lines = block.splitlines()
        assert len(lines) % 2 == 0
        pairs += list(zip(lines[::2], lines[1::2], strict=True))
    return pairs


def test_the_protocol_shows_every_kind_of_request_but_arrange() -> None:
    shown = {json.loads(request)["ask"] for request, _ in exchanges()}
    assert shown == {ask.value for ask in Ask} - {"arrange"}


@pytest.mark.parametrize(("request_line", "reply_line"), exchanges())
def test_the_protocols_lines_parse(request_line: str, reply_line: str) -> None:
    fields = json.loads(request_line)
    assert fields.pop("v") == 1
    ask, number, nonce = Ask(fields.pop("ask")), fields.pop("id"), fields.pop("nonce")
    request = Request(ask, number, nonce, fields)
    reply = decode_reply(reply_line.encode(), request)
    assert json.dumps(request.to_wire()) == json.dumps(json.loads(request_line))
    assert (reply.error is None) == ("error" not in reply_line)
    if ask is Ask.START:
        assert GameStart.from_wire(fields).to_wire() == fields
    elif ask is Ask.END:
        assert GameEnd.from_wire(fields).to_wire() == fields
    elif ask is not Ask.LOAD:
        assert View.from_wire(fields["view"]).to_wire() == fields["view"]
        assert [event_to_wire(event_from_wire(event)) for event in fields["events"]] == fields["events"]


@pytest.mark.parametrize(
    ("request_line", "reply_line"), [pair for pair in exchanges() if json.loads(pair[0])["ask"] == "load"]
)
def test_a_load_really_replies_what_the_protocol_shows(request_line: str, reply_line: str) -> None:
    reply = BotSession().handle(json.loads(request_line))
    assert encode_reply(reply) == reply_line.encode() + b"\n"


def test_a_view_on_the_wire_has_the_fields_the_protocol_lists() -> None:
    table = PROTOCOL.split("| field of a view | |")[1].split("\n\n")[0]
    listed = set(re.findall(r"`(\w+)`", "\n".join(row.split("|")[1] for row in table.splitlines() if "|" in row)))
    for request, _ in exchanges():
        view = json.loads(request).get("view")
        assert view is None or view.keys() == listed


def single_bots() -> list[str]:
    return [code for code in blocks(GUIDE, "python") if "(Bot)" in code and "# file:" not in code]


def zipped() -> dict[str, str]:
    marked = [code for code in (*blocks(GUIDE, "python"), *blocks(GUIDE, "text")) if code.startswith("# file:")]
    return {code.splitlines()[0].removeprefix("# file: "): code.split("\n", 1)[1] for code in marked}


@pytest.mark.parametrize("files", [*({"bot.py": code} for code in single_bots()), zipped()])
def test_the_guides_bots_play_a_match_without_a_fault(files: dict[str, str]) -> None:
    name = load_bot(files, "bot.py").__name__
    contestant = UploadContestant(files, "bot.py")
    record = play_match(CLASSIC, bytes(range(32)), contestant, contestant)
    assert not [fault for game in record.games for fault in game.faults], name
    record.replay()


def test_the_guides_other_code_runs() -> None:
    others = [code for code in blocks(GUIDE, "python") if "(Bot)" not in code and "# file:" not in code]
    assert others
    for code in others:
        exec(compile(code, "writing-a-bot.md", "exec"), {})


def test_the_guide_has_a_bot_of_twenty_lines() -> None:
    assert len(single_bots()[0].splitlines()) <= 20
    assert len(single_bots()) == 3
    assert set(zipped()) == {"bot.py", "brain/draws.py", "brain/melding.py", "weights.txt"}


def test_the_guide_names_every_field_and_helper_of_a_view() -> None:
    public = {name for name in dir(View) if not name.startswith("_")} - {"from_wire", "to_wire", "replace", "mask"}
    named = set(re.findall(r"`(\w+)(?:\(card\))?`", GUIDE))
    assert public <= named
