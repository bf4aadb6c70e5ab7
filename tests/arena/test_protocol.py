from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.actions import Arrange, Defend, Discard, Draw
from arena.cards import Card, parse_cards
from arena.layoffs import LayOff
from arena.melds import Meld
from arena.player import FaultKind
from arena.protocol import (
    MAX_REPLY_BYTES,
    Ask,
    Loaded,
    ProtocolError,
    Reply,
    Request,
    decode_reply,
    decode_request,
    encode_reply,
    encode_request,
    fit_text,
    read_reply,
)

NONCE = "0123456789abcdef"


def request(ask: Ask, **body: Any) -> Request:
    return Request(ask, 7, NONCE, body)


def line(**fields: Any) -> bytes:
    return json.dumps({"id": 7, "nonce": NONCE, **fields}).encode() + b"\n"


def raw(text: str) -> bytes:
    """A reply to a draw whose text after the nonce is given as it is."""
    return f'{{"id":7,"nonce":"{NONCE}",{text}}}'.encode()


def test_a_request_survives_the_wire() -> None:
    sent = encode_request(request(Ask.DRAW, view={"hand": "2c"}, events=[]))
    assert sent.endswith(b"}\n")
    assert sent.count(b"\n") == 1
    assert decode_request(sent) == {
        "v": 1,
        "id": 7,
        "nonce": NONCE,
        "ask": "draw",
        "view": {"hand": "2c"},
        "events": [],
    }


@pytest.mark.parametrize(
    ("ask", "answer", "meaning"),
    [
        (Ask.DRAW, "u", Draw.UPCARD),
        (Ask.DRAW, "s", Draw.STOCK),
        (Ask.DRAW, "p", Draw.PASS),
        (Ask.DISCARD, "Ts", Discard(Card.parse("Ts"))),
        (Ask.DISCARD, "Ts!", Discard(Card.parse("Ts"), knock=True)),
        (Ask.ARRANGE, "a", Arrange(None)),
        (Ask.ARRANGE, "a=", Arrange(())),
        (Ask.ARRANGE, "a=3s4s5s,7c7h7d", Arrange((Meld.of(parse_cards("3s4s5s")), Meld.of(parse_cards("7c7h7d"))))),
        (Ask.DEFEND, "d", Defend(None, None)),
        (Ask.DEFEND, "d=*/6s:0", Defend(None, (LayOff(Card.parse("6s"), 0),))),
        (Ask.START, None, None),
        (Ask.END, None, None),
        (Ask.LOAD, {"class": "Mine", "doc": "", "overrides": ["lay_off"]}, Loaded("Mine", "", frozenset({"lay_off"}))),
    ],
)
def test_answers(ask: Ask, answer: object, meaning: object) -> None:
    assert decode_reply(line(answer=answer), request(ask)) == Reply(meaning)  # type: ignore[arg-type]


def test_an_error_reply() -> None:
    error = {"kind": "exception", "message": "KeyError: 3", "traceback": "File...", "file": "bot.py", "line": 3}
    reply = decode_reply(line(error=error, log="hi\0", truncated=True), request(Ask.DRAW))
    assert reply.error is not None
    assert (reply.error.kind, reply.error.file, reply.error.line) == (FaultKind.EXCEPTION, "bot.py", 3)
    assert (reply.answer, reply.log, reply.log_truncated) == (None, "hi\N{REPLACEMENT CHARACTER}", True)


def test_what_an_error_says_to_everybody_is_one_plain_line() -> None:
    message = "Café ♥:\n\t\x1b[2J\u202e" + "x" * 5_000
    reply = decode_reply(line(error={"kind": "exception", "message": message}), request(Ask.DRAW))
    assert reply.error is not None
    assert reply.error.message == "Café ♥: \\x1b[2J\\u202e" + "x" * (1_000 - len("Café ♥: ?[2J?"))


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        pytest.param(b"", "not one JSON object", id="nothing"),
        pytest.param(b"hello", "not one JSON object", id="text"),
        pytest.param(b"\xff\xfe", "not UTF-8", id="bytes"),
        pytest.param(b"\xed\xa0\x80", "not UTF-8", id="an encoded surrogate"),
        pytest.param(b"\xef\xbb\xbf" + line(answer="s"), "not one JSON object", id="byte order mark"),
        pytest.param(line(answer="s") + line(answer="s"), "not one JSON object", id="two replies"),
        pytest.param(b"[" * 16_000, "nested too deeply", id="depth"),
        pytest.param(raw('"answer":' + "[" * 500 + "]" * 500), "is an action", id="some depth"),
        pytest.param(b" " * (MAX_REPLY_BYTES + 1), "longer than 16384 bytes", id="too long"),
        pytest.param(b"[]", "must be a JSON object", id="list"),
        pytest.param(b"null", "must be a JSON object", id="null"),
        pytest.param(b'"s"', "must be a JSON object", id="string"),
        pytest.param(b'{"id":7,"nonce":"%s"}' % NONCE.encode(), "either an answer or an error", id="neither"),
        pytest.param(line(answer="s", error={}), "either an answer or an error", id="both"),
        pytest.param(b'{"nonce":"%s","answer":"s"}' % NONCE.encode(), "lacks 'id'", id="no id"),
        pytest.param(b'{"id":7,"answer":"s"}', "lacks 'nonce'", id="no nonce"),
        pytest.param(line(id=8, answer="s"), "id is not that of the request", id="later id"),
        pytest.param(line(id="7", answer="s"), "id is not that of the request", id="id as text"),
        pytest.param(line(id=True, answer="s"), "id is not that of the request", id="id as truth"),
        pytest.param(line(id=7.0, answer="s"), "fraction", id="id as fraction"),
        pytest.param(line(nonce="0" * 16, answer="s"), "nonce is not that of the request", id="wrong nonce"),
        pytest.param(line(nonce=None, answer="s"), "nonce is not that of the request", id="no text as nonce"),
        pytest.param(line(answer="s", extra=1), "holds a field that is none of", id="extra field"),
        pytest.param(raw('"answer":"s","answer":"s"'), "names a field twice", id="duplicate key"),
        pytest.param(raw('"answer":NaN'), "fraction, an infinity or NaN", id="NaN"),
        pytest.param(raw('"answer":-Infinity'), "fraction, an infinity or NaN", id="infinity"),
        pytest.param(raw('"answer":1e400'), "fraction, an infinity or NaN", id="exponent"),
        pytest.param(raw('"answer":' + "9" * 5000), "too big", id="huge integer"),
        pytest.param(raw('"answer":-' + "9" * 16), "too big", id="big negative integer"),
        pytest.param(raw('"answer":"s","log":"\\ud800"'), "half of a surrogate pair", id="lone surrogate"),
        pytest.param(line(answer="s", log=3), "'log' must be a text", id="log as number"),
        pytest.param(line(answer="s", truncated=1), "'truncated' must be true or false", id="truncated as number"),
        pytest.param(line(answer=None), "is an action", id="no action"),
        pytest.param(line(answer=True), "is an action", id="truth"),
        pytest.param(line(answer={"draw": "s"}), "is an action", id="object"),
        pytest.param(line(answer="s" * 201), "is an action", id="long action"),
        pytest.param(line(answer="Ts"), "'Ts' is no answer to 'draw'", id="another kind of action"),
        pytest.param(line(answer="upcard"), "is not an action", id="another spelling"),
        pytest.param(line(answer="\ud800"), "is not an action", id="surrogate action"),
        pytest.param(line(error={"kind": "time", "message": ""}), "kind must be one of", id="a fault not its to claim"),
        pytest.param(line(error={"kind": ["exception"], "message": ""}), "kind must be one of", id="kind as list"),
        pytest.param(line(error="boom"), "An error must be a JSON object", id="error as text"),
        pytest.param(line(error={"kind": "exception"}), "lacks 'message'", id="error without message"),
        pytest.param(line(error={"kind": "exception", "message": "", "line": 0}), "number from 1", id="line 0"),
        pytest.param(line(error={"kind": "exception", "message": "", "line": True}), "number from 1", id="line true"),
        pytest.param(line(error={"kind": "exception", "message": "", "file": 3}), "'file' must be", id="file 3"),
    ],
)
def test_bad_replies(sent: bytes, says: str) -> None:
    with pytest.raises(ProtocolError, match=says) as caught:
        decode_reply(sent, request(Ask.DRAW))
    str(caught.value).encode()  # the sentence can be stored


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (Ask.START, "s"),
        (Ask.START, 0),
        (Ask.END, False),
        (Ask.DISCARD, "s"),
        (Ask.DISCARD, "1c"),
        (Ask.DISCARD, "Ts "),
        (Ask.DISCARD, 3),
        (Ask.ARRANGE, "a=3s4s6s"),
        (Ask.ARRANGE, "a=3s3s3s"),
        (Ask.ARRANGE, "a=4s3s5s"),
        (Ask.ARRANGE, "d"),
        (Ask.DEFEND, "d=*/6s:-1"),
        (Ask.DEFEND, "d=*/*/"),
        (Ask.LOAD, None),
        (Ask.LOAD, {"class": "Mine", "doc": ""}),
        (Ask.LOAD, {"class": "not a name", "doc": "", "overrides": []}),
        (Ask.LOAD, {"class": "M" * 201, "doc": "", "overrides": []}),
        (Ask.LOAD, {"class": "Mine", "doc": None, "overrides": []}),
        (Ask.LOAD, {"class": "Mine", "doc": "", "overrides": "arrange"}),
        (Ask.LOAD, {"class": "Mine", "doc": "", "overrides": ["choose_draw"]}),
        (Ask.LOAD, {"class": "Mine", "doc": "", "overrides": [[]]}),
        (Ask.LOAD, {"class": "Mine", "doc": "", "overrides": ["arrange"] * 3}),
    ],
)
def test_bad_answers(ask: Ask, answer: object) -> None:
    with pytest.raises(ProtocolError):
        decode_reply(line(answer=answer), request(ask))


def test_a_number_that_only_json_of_another_library_would_give() -> None:
    """`read_reply` takes any parser's result, so it does not rely on what `decode_reply` has excluded."""
    for wrong in (7.0, True, "7", None):
        with pytest.raises(ProtocolError):
            read_reply({"id": wrong, "nonce": NONCE, "answer": "s"}, request(Ask.DRAW))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
near_values = json_values | st.sampled_from(["s", "u", "a", "d", "Ts", "Ts!", "a=", "d=*/", "", 7, NONCE, [], {}])
fields = st.sampled_from(
    ["id", "nonce", "answer", "error", "log", "truncated", "kind", "message", "line", "class", "doc", "overrides"]
)


def safe(sent: bytes, ask: Ask) -> None:
    """Nothing but a ProtocolError or a valid reply comes out."""
    try:
        reply = decode_reply(sent, request(ask))
    except ProtocolError:
        return
    assert isinstance(reply, Reply)
    assert "\0" not in reply.log
    reply.log.encode()
    if reply.error is None:
        kinds = {Ask.LOAD: Loaded, Ask.DRAW: Draw, Ask.ARRANGE: Arrange, Ask.DEFEND: Defend}
        if ask in kinds:
            assert isinstance(reply.answer, kinds[ask])


@given(st.binary(max_size=300), st.sampled_from(Ask))
def test_fuzz_bytes(sent: bytes, ask: Ask) -> None:
    safe(sent, ask)


@given(st.dictionaries(fields, near_values, max_size=6), st.booleans(), st.sampled_from(Ask))
def test_fuzz_objects(body: dict[str, Any], wrapped: bool, ask: Ask) -> None:
    whole = {"id": 7, "nonce": NONCE, **body} if wrapped else body
    safe(json.dumps(whole).encode(), ask)


@given(near_values, st.sampled_from(Ask))
def test_fuzz_answers(answer: object, ask: Ask) -> None:
    safe(json.dumps({"id": 7, "nonce": NONCE, "answer": answer}).encode(), ask)


@given(st.text(alphabet="ad=*/,:0123456789TJQKAchsd!usp", max_size=40), st.sampled_from(Ask))
def test_fuzz_actions(answer: str, ask: Ask) -> None:
    safe(line(answer=answer), ask)


@given(st.data())
def test_fuzz_damaged_lines(data: st.DataObject) -> None:
    sent = bytearray(line(answer="Ts!", log="some text"))
    for _ in range(data.draw(st.integers(1, 4))):
        sent[data.draw(st.integers(0, len(sent) - 1))] = data.draw(st.integers(0, 255))
    safe(bytes(sent), Ask.DISCARD)


@given(st.text(max_size=9000), st.text(max_size=9000), st.text(max_size=9000))
def test_a_bots_own_texts_never_make_a_reply_too_long(log: str, message: str, traceback: str) -> None:
    texts = {"kind": "exception", "message": message * 3, "traceback": traceback * 3}
    sent = encode_reply({"id": 7, "nonce": NONCE, "error": texts, "log": log * 3})
    assert len(sent) <= MAX_REPLY_BYTES
    reply = decode_reply(sent, request(Ask.DRAW))
    assert reply.error is not None
    assert (log * 3).encode(errors="replace").decode().replace("\0", "\ufffd").startswith(reply.log)


@pytest.mark.parametrize("letter", ["a", "\0", "ü", "\N{GRINNING FACE}", '"', "\ud800"])
def test_texts_of_the_dearest_letters_fit(letter: str) -> None:
    text = letter * 50_000
    sent = encode_reply({"id": 7, "nonce": NONCE, "log": text, "error": {
        "kind": "exception", "message": text, "traceback": text, "file": "bot.py", "line": 1}})  # fmt: skip
    assert len(sent) <= MAX_REPLY_BYTES + 1
    assert decode_reply(sent, request(Ask.DRAW)).log_truncated


def test_a_traceback_keeps_its_end_and_a_log_its_beginning() -> None:
    assert fit_text("0123456789", 6, keep_end=True)[0] == "6789"
    assert fit_text("0123456789", 6)[0] == "0123"
    assert fit_text("0123", 6) == ("0123", False)
