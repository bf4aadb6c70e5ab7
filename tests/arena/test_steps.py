from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from arena.bot import Bot
from arena.bots.random_bot import RandomBot
from arena.bots.sharp import Sharp
from arena.bots.simple import Simple
from arena.cards import Card, parse_cards
from arena.game import Game
from arena.local import LocalContestant
from arena.melds import Meld
from arena.record import GameRecord, RecordError
from arena.referee import play_match
from arena.rules import CLASSIC, RULE_SETS, Rules, StockEnd
from arena.steps import Step, pretty, steps
from arena.view import View, view_of

SEED = b"the steps of a replay".ljust(32)


@cache
def game(rules: Rules = CLASSIC) -> GameRecord:
    return play_match(rules, SEED, LocalContestant(Simple), LocalContestant(Sharp)).games[0]


def all_steps(rules: Rules = CLASSIC) -> list[Step]:
    return list(steps(game(rules)))


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())
def test_the_cards_are_always_the_deck(rules: Rules) -> None:
    for step in all_steps(rules):
        cards = [*step.seats[0].cards, *step.seats[1].cards, *step.discard_pile]
        assert len(set(cards)) == len(cards) == 52 - step.stock_size
        for seat in step.seats:
            melded = [card for meld in seat.melds for card in meld.cards]
            assert sorted([*melded, *seat.deadwood]) == sorted(seat.cards)
            assert seat.points == sum(card.points for card in seat.deadwood)


def test_every_action_is_one_step_and_every_hand_begins_with_a_deal() -> None:
    record, found = game(), all_steps()
    assert [step.number for step in found] == list(range(len(found)))
    assert len(found) == sum(1 + len(hand.times) for hand in record.hands)
    deals = [step for step in found if step.kind == "deal"]
    assert [step.hand for step in deals] == list(range(1, len(record.hands) + 1))
    for step in deals:
        assert [len(seat.cards) for seat in step.seats] == [10, 10]
        assert (step.actor, step.stock_size, step.discard_pile) == (step.dealer, 31, (step.card,))
        assert step.seconds is None


def test_the_scores_are_those_of_the_record() -> None:
    found = all_steps()
    assert found[-1].scores == game().scores
    scores = (0, 0)
    for step in found:
        if step.showdown and step.showdown.winner is not None:
            gained = [0, 0]
            gained[step.showdown.winner] = step.showdown.points
            scores = (scores[0] + gained[0], scores[1] + gained[1])
        assert step.scores == scores


def test_each_step_follows_from_the_one_before() -> None:
    found = all_steps()
    for before, after in pairwise(found):
        if after.kind == "deal":
            assert before.showdown is not None
            assert before.turn is None
            continue
        assert after.actor == before.turn
        old, new = set(before.seats[after.actor].cards), set(after.seats[after.actor].cards)
        match after.kind:
            case "draw":
                assert new - old == {after.card}
                assert before.stock_size - after.stock_size == (after.discard_pile == before.discard_pile)
            case "discard" | "knock":
                assert old - new == {after.card}
                assert after.discard_pile == (*before.discard_pile, after.card)
            case _:
                assert new == old


def test_the_showdown_adds_up() -> None:
    ends = [step.showdown for rules in RULE_SETS.values() for step in all_steps(rules) if step.showdown]
    knocks = [end for end in ends if end.ending in ("knock", "undercut")]
    assert knocks
    for end in knocks:
        assert end.knocker is not None
        assert end.knocker_points == sum(card.points for card in end.knocker_deadwood)
        assert end.defender_points == sum(card.points for card in end.defender_deadwood)
        assert (end.winner == end.knocker) == (end.defender_points > end.knocker_points)
        defender = [*(card for meld in end.defender_melds for card in meld.cards), *end.defender_deadwood]
        assert len({*defender, *(card for card, _ in end.layoffs)}) == 10
        assert all(0 <= meld < len(end.knocker_melds) for _, meld in end.layoffs)
    assert any(end.layoffs for end in knocks)


def test_the_words() -> None:
    found = all_steps()
    words = {step.kind: step.words for step in found}
    assert words["deal"] == "deals"
    assert words["show"].startswith("shows ")
    for step in found:
        assert step.words[0].islower()
        if step.card is not None and step.kind != "deal":
            assert pretty(step.card) in step.words
        if step.showdown and step.showdown.winner is not None:
            assert f"scores {step.showdown.points} " in step.showdown.words


def test_cards_for_people() -> None:
    assert [pretty(card) for card in parse_cards("Tc Ah Ks 5d")] == ["10♣", "A♥", "K♠", "5♦"]


def test_a_step_is_json() -> None:
    for step in all_steps():
        again = json.loads(json.dumps(step.to_dict()))
        assert again["scores"] == list(step.scores)
        assert [Card.parse(card) for card in again["seats"][0]["cards"]] == list(step.seats[0].cards)
        assert (again["showdown"] is None) == (step.showdown is None)


class Crasher(Simple):
    def choose_draw(self, view: View) -> None:  # type: ignore[override]
        raise LookupError("{0} oops")


def test_a_forfeit_is_the_last_step() -> None:
    contestants: list[type[Bot]] = [Simple, Crasher]
    record = play_match(CLASSIC, SEED, *map(LocalContestant, contestants)).games[0]
    last = list(steps(record))[-1]
    assert (last.kind, last.actor, last.seconds) == ("fault", 1, None)
    assert last.words == "forfeits the game: LookupError: {0} oops"


def test_a_record_that_does_not_replay_gives_no_steps() -> None:
    with pytest.raises(RecordError):
        next(steps(replace(game(), winner=1 - (game().winner or 0))))


class Bluffer(Simple):
    """Lays out no meld at all when it knocks."""

    def arrange(self, view: View) -> tuple[Meld, ...]:
        return ()


def test_the_knockers_hand_lies_as_it_was_shown() -> None:
    anything_knocks = CLASSIC.replace(name="loose", knock_limit=98)
    record = play_match(anything_knocks, SEED, LocalContestant(Bluffer), LocalContestant(Bluffer)).games[0]
    found = list(steps(record))
    shows = [step for step in found if step.kind == "show"]
    assert shows
    for show in shows:
        knocker = show.seats[show.actor]
        assert (knocker.melds, knocker.deadwood) == ((), knocker.cards)
        assert knocker.points == sum(card.points for card in knocker.cards)
        assert found[show.number + 1].seats[show.actor] == knocker


def test_a_reshuffle_is_told_with_the_discard_before_it() -> None:
    rules = Rules("endless", knock_limit=0, stock_end=StockEnd.RESHUFFLE, hand_cap=2)
    record = play_match(rules, SEED, LocalContestant(RandomBot), LocalContestant(RandomBot)).games[0]
    found = list(steps(record))
    shuffled = [(before, after) for before, after in pairwise(found) if "shuffled" in after.words]
    assert shuffled
    for before, after in shuffled:
        assert after.kind == "discard"
        assert (len(after.discard_pile), before.stock_size) == (1, 2)
        assert after.stock_size == 2 + len(before.discard_pile)
        stock = f"the pile is shuffled under the stock, now of {after.stock_size} cards"
        assert after.card is not None
        assert after.words == f"discards {pretty(after.card)}; {stock}"


def test_a_seat_is_known_as_its_opponent_knows_it() -> None:
    record = game()
    live, found = Game(record.rules, record.seed), iter(all_steps())
    for hand in record.hands:
        step = next(found)
        assert [seat.known for seat in step.seats] == [(), ()]
        for action, _ in hand.moves():
            before = live.hand
            live.apply(action)
            step = next(found)
            if before.result is not None:
                # the end of a hand that somebody wins shows both
                assert all((seat.known == seat.cards) == (before.result.winner is not None) for seat in step.seats)
                continue
            for seat in (0, 1):
                assert step.seats[seat].known == view_of(live, 1 - seat).known_opponent_cards
            assert step.is_secret == (step.kind == "draw" and step.card not in step.seats[step.actor].known)


@pytest.mark.parametrize("rules", [CLASSIC, Rules("endless", knock_limit=0, stock_end=StockEnd.RESHUFFLE, hand_cap=2)])
def test_the_stock_can_be_followed_from_where_it_was_last_told(rules: Rules) -> None:
    record = play_match(rules, SEED, LocalContestant(RandomBot), LocalContestant(RandomBot)).games[0]
    live, found = Game(rules, record.seed), steps(record)
    for hand in record.hands:
        told = next(found).stock
        assert told == live.hand.stock
        for action, _ in hand.moves():
            here = live.hand
            live.apply(action)
            step = next(found)
            told = told if step.stock is None else step.stock
            assert told is not None
            assert told[len(told) - step.stock_size :] == here.stock
