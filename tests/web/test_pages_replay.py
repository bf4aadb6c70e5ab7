"""The replay: every position against an independent replay of the record, and the page that reads without a script."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena import Card
from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.game import Game
from ladder.models import Match
from tests.web.entering import text_of
from tests.web.games import Forgetful, played, record_of
from tests.web.matches import make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, Simple), decks=7)


def steps_of(client: Client, match: Match, place: int) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = client.get(f"/matches/{match.pk}/games/{place}/steps.json").json()["steps"]
    return steps


@pytest.mark.parametrize("place", [1, 2])
def test_the_steps_are_the_record_played_again(client: Client, match: Match, place: int) -> None:
    record = record_of(match).games[place - 1]
    steps = iter(steps_of(client, match, place))
    game = Game(record.rules, record.seed)
    step: dict[str, Any] = {}
    for hand_record in record.hands:
        hand, scores = game.hand, list(game.scores)
        step = next(steps)
        assert (step["kind"], step["dealer"], step["scores"]) == ("deal", hand.dealer, scores)
        for action, _ in hand_record.moves():
            seat = hand.turn
            game.apply(action)
            step = next(steps)
            assert (step["actor"], step["stock_size"]) == (seat, hand.stock_size)
            assert step["discard_pile"] == [str(card) for card in hand.discard_pile]
            for owner in (0, 1):
                shown = step["seats"][owner]
                assert shown["cards"] == [str(card) for card in hand.cards(owner)]
                assert sorted(sum(shown["melds"], shown["deadwood"])) == sorted(shown["cards"])
                assert shown["points"] == sum(Card.parse(text).points for text in shown["deadwood"])
            assert step["scores"] == list(game.scores if hand.result is not None else scores)
    assert next(steps, None) is None
    assert step["scores"] == list(record.scores)


def test_a_replay_of_an_unfinished_match_or_a_game_too_many_is_no_page(client: Client, match: Match) -> None:
    for place in (0, 3):
        for end in ("", "steps.json"):
            assert client.get(f"/matches/{match.pk}/games/{place}/{end}").status_code == 404


def test_the_page_lists_every_move_in_words(client: Client, match: Match) -> None:
    steps = steps_of(client, match, 1)
    page = text_of(client.get(f"/matches/{match.pk}/games/1/"))
    moves = re.findall(r'<li id="move-(\d+)"><a href="#(\d+)">(.*?)</a>', page)
    assert [words for _, _, words in moves] == [step["text"][0] for step in steps]
    assert all(int(move) == int(link) == index for index, (move, link, _) in enumerate(moves))


def test_the_showdowns_are_explained_by_their_sums(client: Client, match: Match) -> None:
    page = text_of(client.get(f"/matches/{match.pk}/games/1/"))
    record = record_of(match).games[0]
    names = ("Gin", "Rummy")
    for result in record.replay().results:
        assert result.winner is not None
        assert f"= {result.points} points for {names[result.winner]}." in page
    assert f"wins the game, {max(record.scores)} to {min(record.scores)}." in page


def test_an_undercut_and_a_gin_carry_their_bonus(client: Client) -> None:
    ladder, versions = make_ladder(), [make_version("Gin"), make_version("Rummy")]
    found: dict[str, str] = {}
    for decks in range(1, 60):
        match = played(ladder, versions, (Simple, Simple), decks=decks)
        for step in steps_of(client, match, 1):
            if step["showdown"] and step["showdown"]["ending"] in ("undercut", "gin"):
                found[step["showdown"]["ending"]] = f"{step['text'][2]} {step['showdown']['points']}"
        if len(found) == 2:
            break
    for ending, words in found.items():
        sum_, _, total = words.partition(" = ")
        terms = [int(term) for term in re.findall(r"\d+", sum_)]
        # classic: both bonuses are 25; in an undercut the middle term is taken away
        assert terms[-1] == 25
        assert (
            sum(terms) - (2 * terms[1] if ending == "undercut" else 0)
            == int(total.split()[0])
            == int(total.split()[-1])
        )
    assert set(found) == {"undercut", "gin"}


def test_the_bots_keep_their_side_of_the_table_in_both_games(client: Client, match: Match) -> None:
    for place, top in ((1, "0"), (2, "1")):
        page = text_of(client.get(f"/matches/{match.pk}/games/{place}/"))
        assert f'data-top="{top}"' in page
        assert 'data-names="Gin" data-other="Rummy"' in page


def test_a_forfeit_is_the_last_position(client: Client) -> None:
    owner = User.objects.create_user("owner")
    match = played(make_ladder(), [make_version("Lost", owner), make_version("Found")], (Forgetful, RandomBot))
    steps = steps_of(client, match, 1)
    last = steps[-1]
    game = match.games.get(number=0)
    assert last["kind"] == "fault"
    assert last["text"][0].startswith("Lost forfeits the game: KeyError")
    assert last["text"][-1] == f"Found wins the game, {game.score_b} to {game.score_a}."
    assert last["seats"] == steps[-2]["seats"]
    response = client.get(f"/matches/{match.pk}/games/1/steps.json")
    assert "Traceback" not in response.content.decode()


def test_cards_have_names_for_those_who_do_not_see_them(client: Client) -> None:
    page = text_of(client.get("/rules/"))
    assert "<title>4 of spades</title>" in page
    assert 'role="img"' in page
