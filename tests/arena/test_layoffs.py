import random
from collections.abc import Iterator

import pytest

from arena.cards import DECK, Card, format_cards, mask_of, parse_cards
from arena.deadwood import least_deadwood
from arena.layoffs import LayOff, LayOffError, best_defence, best_layoffs, check_defence, knocker_arrangement
from arena.melds import Meld, best_arrangement
from tests.arena import brute_force as brute


def melds(*words: str) -> tuple[Meld, ...]:
    return tuple(Meld.parse(word) for word in words)


def card(text: str) -> Card:
    return parse_cards(text)[0]


def as_texts(shown: tuple[Meld, ...]) -> tuple[brute.Hand, ...]:
    return tuple(brute.texts(str(meld)) for meld in shown)


def showdowns(count: int, seed: int) -> Iterator[tuple[list[Card], list[Card]]]:
    """Random pairs of hands from neighbouring ranks of which the first may knock, so that melds and layoffs abound."""
    rng = random.Random(seed)
    while count:
        span = rng.choice((5, 6, 6, 7, 8))
        low = rng.randint(0, 13 - span)
        dealt = rng.sample([c for c in DECK if low < c.rank <= low + span], 20)
        if least_deadwood(mask_of(dealt[:10])) <= 10:
            count -= 1
            yield dealt[:10], dealt[10:]


def test_a_chain_of_three_on_a_run() -> None:
    chain = [LayOff(card(text), 0) for text in ("6s", "7s", "8s")]
    hand = parse_cards("8s6s7s Kd Jc 2h 4d 9c Td Ah")
    assert check_defence(melds("3s4s5s"), hand, (), chain).points == 10 + 10 + 2 + 4 + 9 + 10 + 1
    assert best_layoffs(melds("3s4s5s"), hand, ()) == tuple(chain)
    assert best_defence(melds("3s4s5s"), hand).points == 46


def test_layoffs_below_a_run_go_down_to_the_ace_and_not_round_it() -> None:
    defence = best_defence(melds("3s4s5s"), parse_cards("AsKs2s"))
    assert [str(layoff.card) for layoff in defence.layoffs] == ["2s", "As"]
    assert defence.points == 10
    defence = best_defence(melds("JsQsKs"), parse_cards("As Ts"))
    assert [str(layoff.card) for layoff in defence.layoffs] == ["Ts"]


def test_the_defender_breaks_a_meld_of_its_own() -> None:
    knocker = best_arrangement(parse_cards("KsKcKd 5s6s7s 9cTcJc Jd"))
    hand = parse_cards("2s2c2d2h Ac 7c8c 8d 8s9s")
    defence = best_defence(knocker.melds, hand)
    assert (knocker.points, defence.points) == (10, 9)
    melding_first = melds("2s2c2d2h", "8c8d8s")
    laid = best_layoffs(knocker.melds, hand, melding_first)
    assert check_defence(knocker.melds, hand, melding_first, laid).points == 17


def test_a_card_that_fits_a_set_and_a_run_goes_where_the_next_can_follow() -> None:
    shown = melds("AsAcAd", "JsQsKs", "TcTdTh")
    defence = best_defence(shown, parse_cards("4s4c4d4h 5s5c5d5h 9sTs"))
    assert defence.points == 0
    assert defence.layoffs == (LayOff(card("Ts"), 1), LayOff(card("9s"), 1))


def test_the_knocker_shows_what_leaves_the_defender_most() -> None:
    knocker, defender = parse_cards("As 5s5c5d 6s6c6d 7s7c7d"), parse_cards("3s4s4c4d 8s8c8d 5h6h7h")
    shown = knocker_arrangement(knocker, defender)
    assert {str(meld) for meld in shown.melds} == {"5c5s5d", "6c6s6d", "7c7s7d"}
    assert best_defence(shown.melds, defender).points == 3
    runs = melds("5s6s7s", "5c6c7c", "5d6d7d")
    assert best_defence(runs, defender).points == 0


@pytest.mark.parametrize("seed", range(4))
def test_the_joint_optimum_and_the_knockers_choice_are_what_exhaustive_search_finds(seed: int) -> None:
    several = 0
    for knocker, defender in showdowns(750, seed):
        ours, theirs = brute.texts(format_cards(knocker)), brute.texts(format_cards(defender))
        shown = knocker_arrangement(knocker, defender)
        defence = best_defence(shown.melds, defender)
        assert brute.defence(as_texts(shown.melds), theirs) == defence.points
        assert brute.knocker_margin(ours, theirs) == (shown.points, defence.points)
        several += len(defence.layoffs) > 1
    assert several > 100  # the search met what it is for


def test_the_default_defence_is_legal_card_by_card() -> None:
    for knocker, defender in showdowns(300, seed=2):
        shown = knocker_arrangement(knocker, defender).melds
        defence = best_defence(shown, defender)
        assert check_defence(shown, defender, defence.arrangement.melds, defence.layoffs) == defence
        own = best_arrangement(defender).melds
        laid = best_layoffs(shown, defender, own)
        fixed = check_defence(shown, defender, own, laid)
        assert fixed.points >= defence.points
        table, left = list(as_texts(shown)), set(map(str, fixed.arrangement.deadwood))
        for layoff in laid:
            table[layoff.meld_index] |= {str(layoff.card)}
            assert brute.is_meld(table[layoff.meld_index])
        assert not any(brute.is_meld(meld | {c}) for meld in table for c in left)


SHOWN = ("3s4s5s", "9c9d9h")
HAND = "6s7s9s2h AdAcAh KhQhJd"


@pytest.mark.parametrize(
    ("layoffs", "why"),
    [
        ([("6s", 1)], "6s does not extend the set 9c9h9d"),
        ([("7s", 0)], "7s does not extend the run 3s4s5s"),
        ([("6s", 0), ("6s", 0)], "6s cannot be laid off: it was laid off already"),
        ([("8s", 0)], "8s cannot be laid off: it is not in the defender's hand"),
        ([("6s", 2)], "shows 2 melds: there is no meld 2"),
        ([("6s", -1)], "there is no meld -1"),
    ],
)
def test_an_illegal_layoff_is_refused(layoffs: list[tuple[str, int]], why: str) -> None:
    with pytest.raises(LayOffError, match=why):
        check_defence(melds(*SHOWN), parse_cards(HAND), None, [LayOff(card(c), index) for c, index in layoffs])


def test_a_melded_card_cannot_be_laid_off_too() -> None:
    with pytest.raises(ValueError, match="6s, which is not in the hand"):
        check_defence(melds(*SHOWN), parse_cards("6s7s8s2h"), melds("6s7s8s"), [LayOff(card("6s"), 0)])


def test_layoffs_leave_the_rest_to_be_melded_best() -> None:
    laid = [LayOff(card("6s"), 0), LayOff(card("7s"), 0), LayOff(card("9s"), 1)]
    assert check_defence(melds(*SHOWN), parse_cards(HAND), None, laid).points == 2 + 10 + 10 + 10
