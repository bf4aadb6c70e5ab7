"""The replay: every position against an independent replay of the record, and the page that reads without a script."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena import BigGin, Bot, Card, Discard, Draw
from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.game import Game
from arena.view import View
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


def headings(client: Client, match: Match, place: int = 1) -> list[str]:
    """What the list of moves says above each hand."""
    return re.findall(r"<h3>Hand \d+ <small>(.*?)</small>", text_of(client.get(f"/matches/{match.pk}/games/{place}/")))


def test_every_hand_says_what_a_knock_needs_and_what_a_spade_doubles(client: Client) -> None:
    ladder, versions = make_ladder("oklahoma", "oklahoma"), [make_version("Gin"), make_version("Rummy")]
    seen = set()
    for decks in range(1, 30):
        match = played(ladder, versions, (Simple, Simple), decks=decks)
        steps = steps_of(client, match, 1)
        deals = [step["card"] for step in steps if step["kind"] == "deal"]
        value = {"A": 0, "T": 10, "J": 10, "Q": 10, "K": 10}
        for upcard, said in zip(deals, headings(client, match), strict=True):
            limit = value[upcard[0]] if upcard[0] in value else int(upcard[0])
            double = ", counts double" if upcard[1] == "s" else ""
            assert said == (f"knock at {limit} or less" if limit else "only gin ends it") + double
        for step in steps:
            if step["showdown"] and step["showdown"]["winner"] is not None:
                spade = deals[step["hand"] - 1][1] == "s"
                assert (", doubled for the spade: " in step["text"][2]) == spade
                assert step["text"][2].endswith(f" {step['showdown']['points']} points for {winner_of(step)}.")
                seen.add((spade, step["showdown"]["ending"]))
        if {(True, "knock"), (True, "undercut"), (True, "gin")} <= seen:
            return
    pytest.fail(f"Not every doubled ending was played: {seen}.")


def winner_of(step: dict[str, Any]) -> str:
    """The name of a hand's winner in a match's first game."""
    return ("Gin", "Rummy")[step["showdown"]["winner"]]


class Waiter(Bot):
    """Never knocks, and declares big gin."""

    def choose_draw(self, view: View) -> Draw:
        wanted = view.upcard is not None and view.would_meld(view.upcard) and Draw.UPCARD in view.legal
        return Draw.UPCARD if wanted else Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard | Card | BigGin:
        if BigGin() in view.legal:
            return BigGin()
        return min(view.legal_discards, key=lambda card: (view.deadwood_after(card), -card.points))


def test_big_gin_is_told_with_eleven_cards(client: Client) -> None:
    ladder, versions = make_ladder("gin-only", "gin-only"), [make_version("Gin"), make_version("Rummy")]
    for decks in range(1, 20):
        match = played(ladder, versions, (Waiter, Waiter), decks=decks)
        steps = steps_of(client, match, 1)
        big = next((step for step in steps if step["kind"] == "big-gin"), None)
        if big is not None:
            break
    else:
        pytest.fail("Nobody ever had big gin.")
    name = ("Gin", "Rummy")[big["actor"]]
    left = big["showdown"]["defender_points"]
    assert big["text"][0] == f"{name} declares big gin."
    assert big["text"][2] == f"{left} + 31 = {left + 31} points for {name}."
    assert len(big["seats"][big["actor"]]["cards"]) == 11
    assert big["seats"][big["actor"]]["points"] == 0
    assert big["showdown"]["layoffs"] == []
    assert set(headings(client, match)) == {"only gin ends it"}


@pytest.mark.parametrize("place", [1, 2])
def test_a_tally_game_ends_with_the_sums_of_its_bonuses(client: Client, place: int) -> None:
    ladder = make_ladder("tally", "tally")
    match = played(ladder, [make_version("Gin"), make_version("Rummy")], (Simple, RandomBot), decks=3)
    game = match.games.get(number=place - 1)
    steps = steps_of(client, match, place)
    names = ("Gin", "Rummy") if place == 1 else ("Rummy", "Gin")
    won: dict[str, list[int]] = {name: [] for name in names}
    for step in steps:
        if step["showdown"] and step["showdown"]["winner"] is not None:
            won[names[step["showdown"]["winner"]]].append(step["showdown"]["points"])
    scores = {"Gin": game.score_a, "Rummy": game.score_b}
    winner = max(won, key=lambda name: sum(won[name]))
    (loser,) = set(names) - {winner}
    # tally: 100 to the winner, 200 if the loser won no hand, 20 to each for each hand won
    assert scores[winner] == sum(won[winner]) + (100 if won[loser] else 200) + 20 * len(won[winner])
    assert scores[loser] == sum(won[loser]) + 20 * len(won[loser])
    said = steps[-1]["text"]
    assert said[-1] == f"{winner} wins the game, {scores[winner]} to {scores[loser]}."
    sums = [line for line in said if line.startswith((f"{winner}: ", f"{loser}: "))]
    assert [line.partition(":")[0] for line in sums] == ([winner, loser] if won[loser] else [winner])
    assert all(line.endswith(f"= {scores[line.partition(':')[0]]}.") for line in sums)


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
