"""A match that is being played, hand by hand: what is told of it, and what is not."""

import dataclasses
import re
from collections.abc import Iterator
from itertools import count

import pytest
from django.core.cache import cache
from django.db import DatabaseError
from django.test import Client

from arena.bots.simple import Simple
from arena.game import Game
from arena.local import LocalContestant
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from ladder import live, services
from ladder.live import Broadcast, LiveHand, live_match, now_playing
from ladder.models import Match
from ladder.services import Claim
from tests.web.entering import text_of
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def seconds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A clock by which every hand takes a second, and a cache of the test's own."""
    ticks = count()
    monkeypatch.setattr("ladder.live.time.monotonic", lambda: float(next(ticks)))
    yield
    cache.clear()


@pytest.fixture
def claim() -> Claim:
    match = services.enqueue_match(ladder=make_ladder(), versions=[make_version("Gin"), make_version("Rummy")])
    return dataclasses.replace(claimed(match), seed=bytes(32))


class Stopped(Exception):  # noqa: N818
    """The match is looked at here."""


def play(claim: Claim, *, hands: int) -> MatchRecord | None:
    """Play until that many hands are over, as a worker would; the whole match when it has fewer."""
    broadcast, left = Broadcast(claim.match_id, claim.attempt), count(1)

    def after_hand(number: int, game: Game) -> None:
        broadcast.after_hand(number, game)
        if next(left) == hands:
            raise Stopped

    simple = LocalContestant(Simple)
    try:
        record = play_match(CLASSIC, claim.seed, simple, simple, on_hand=after_hand)
    except Stopped:
        return None
    broadcast.end()
    return record


def hands_of(record: MatchRecord) -> list[LiveHand]:
    """What should have been told of the whole match, by its record."""
    told = []
    for game in record.games:
        replayed = game.replay()
        for number, result in enumerate(replayed.results, 1):
            seats = replayed.scores_after(number)
            scores = (seats[game.side_of(0)], seats[1 - game.side_of(0)])
            winner = None if result.winner is None else game.side_of(result.winner)
            told.append(LiveHand(game.number, number, result.ending, winner, result.points, scores))
    return told


def test_every_finished_hand_is_told_by_sides_of_the_match(claim: Claim) -> None:
    simple = LocalContestant(Simple)
    expected = hands_of(play_match(CLASSIC, claim.seed, simple, simple))
    for hands in (1, len(expected) // 2 + 2):
        play(claim, hands=hands)
        found = live_match(claim.match_id)
        assert found is not None
        assert list(found.hands) == expected[:hands]
    assert {hand.game for hand in expected[:hands]} == {0, 1}


def test_the_pages_tell_scores_and_no_cards(claim: Claim, client: Client) -> None:
    play(claim, hands=5)
    found = live_match(claim.match_id)
    assert found is not None
    assert found.newest is not None
    page = text_of(client.get(f"/matches/{claim.match_id}/"))
    part = page[page.index("Finished hands") : page.index("</table>")]
    cells = re.findall(r"<tr><td>(\d+)</td><td>(\d+)</td><td>(.*?)</td>", part)
    assert [(int(game), int(hand)) for game, hand, _ in cells] == [(1, number) for number in (5, 4, 3, 2, 1)]
    assert f"+{found.newest.points}, {found.newest.how}" in cells[0][2]
    strip = text_of(client.get("/now/"))
    first, second = found.newest.scores
    assert f'Gin <span class="number">{first} \N{EN DASH} {second}</span> Rummy' in strip
    for told in (part, strip):
        assert not re.search(r"[♣♥♠♦]|\b[2-9TJQKA][cdhs]\b", told)
    assert claim.seed.hex() not in page


def test_when_the_match_is_over_or_given_back_nothing_is_live(claim: Claim, client: Client) -> None:
    play(claim, hands=3)
    assert services.hand_back_match(claim=claim)
    assert live_match(claim.match_id) is None
    assert now_playing() == []
    # the next attempt begins afresh
    again = services.claim_match(match_id=claim.match_id, worker="w")
    assert again is not None
    (playing,) = now_playing()
    assert playing.hands == ()
    Match.objects.filter(pk=claim.match_id).update(seed=claim.seed.hex())
    again = dataclasses.replace(again, seed=claim.seed)
    record = play(again, hands=0)
    assert record is not None
    assert cache.get(live._key(again.match_id, again.attempt)) is None
    assert services.finish_match(claim=again, record=record)
    assert "nothing right now" in text_of(client.get("/now/"))
    assert "Finished hands" not in text_of(client.get(f"/matches/{claim.match_id}/"))


def test_a_quick_match_writes_nothing(claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.live.time.monotonic", lambda: 0.0)
    play(claim, hands=4)
    assert cache.get(live._key(claim.match_id, claim.attempt)) is None


def test_a_match_goes_on_without_its_spectators(claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise DatabaseError("locked")

    monkeypatch.setattr(cache, "set", broken)
    assert play(claim, hands=0) is not None


def test_the_front_page_shows_it_and_asks_again_and_again(claim: Claim, client: Client) -> None:
    play(claim, hands=2)
    page = text_of(client.get("/"))
    assert 'data-now="/now/"' in page
    assert text_of(client.get("/now/")).strip() in page
