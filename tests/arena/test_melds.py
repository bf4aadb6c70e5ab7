import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cards import DECK, Card, cards_of, format_cards, mask_of, parse_cards
from arena.deadwood import deadwood_after_discard, least_deadwood, makes_meld, points_of
from arena.melds import (
    Meld,
    MeldKind,
    arrange,
    best_arrangement,
    best_arrangements,
)
from tests.arena import brute_force as brute


@st.composite
def hands(draw: st.DrawFn, sizes: tuple[int, ...] = (10, 11)) -> list[Card]:
    """Hands from a few neighbouring ranks, in which melds meet and compete; or from the whole deck."""
    span, size = draw(st.integers(3, 13)), draw(st.sampled_from(sizes))
    low = draw(st.integers(0, 13 - span))
    pool = [card for card in DECK if low < card.rank <= low + span]
    return draw(st.lists(st.sampled_from(pool), min_size=min(size, len(pool)), max_size=size, unique=True))


def least(text: str) -> int:
    return least_deadwood(mask_of(parse_cards(text)))


@pytest.mark.parametrize(
    ("hand", "deadwood"),
    [
        ("7s7c7d7h 8s9s", 0),  # a four-set broken for a run
        ("4s4c4d4h 5s5c5d 2c3s3c", 3),
        ("AsKsQs", 21),  # the ace is low
        ("AhTcJdQsKh", 41),
        ("Ac2c3c4c5c6c7c8c9cTc", 0),
        ("Ac2c3c4c5c6c7c8c9cTcJc", 0),
        ("2s2c2d 3s3c3d 4s4c4d 5h", 5),
        ("", 0),
    ],
)
def test_least_deadwood(hand: str, deadwood: int) -> None:
    assert least(hand) == deadwood


@given(hands())
def test_least_deadwood_is_what_exhaustive_search_finds(hand: list[Card]) -> None:
    assert least_deadwood(mask_of(hand)) == brute.least(brute.texts(format_cards(hand)))


@settings(max_examples=40)
@given(hands(sizes=(9, 10, 11)))
def test_deadwood_after_each_discard_is_that_of_the_other_cards(hand: list[Card]) -> None:
    after = deadwood_after_discard(mask_of(hand))
    word = brute.texts(format_cards(hand))
    assert {str(card): points for card, points in after.items()} == {card: brute.least(word - {card}) for card in word}
    assert list(after) == sorted(hand)


@given(hands())
def test_best_arrangements_are_all_of_them_with_runs_whole(hand: list[Card]) -> None:
    word = brute.texts(format_cards(hand))
    optimum = brute.least(word)
    expected = set()
    for melds, dead in brute.arrangements(word):
        joined = any(brute.is_meld(a | b) for i, a in enumerate(melds) for b in melds[:i])
        if brute.points(dead) == optimum and not joined:
            expected.add((frozenset(melds), dead))
    found = best_arrangements(hand)
    as_texts = {
        (frozenset(brute.texts(str(meld)) for meld in a.melds), brute.texts(format_cards(a.deadwood))) for a in found
    }
    assert as_texts == expected
    assert len(found) == len(expected)
    assert {a.points for a in found} == {optimum}
    assert best_arrangement(hand) == found[0]


@given(hands(sizes=(10,)), st.sampled_from(DECK))
def test_makes_meld_is_whether_any_meld_holds_the_card(hand: list[Card], card: Card) -> None:
    word = brute.texts(format_cards(hand)) | {str(card)}
    assert makes_meld(mask_of(hand), card) == any(str(card) in meld for meld in brute.melds_in(word))


def test_fours_and_fives_that_runs_cross_leave_three_after_the_best_discard() -> None:
    after = deadwood_after_discard(mask_of(parse_cards("4s4c4d4h 5s5c5d 6s 2c3s3c")))
    assert min(after.values()) == 3


def test_eleven_melded_cards_survive_only_four_discards() -> None:
    after = deadwood_after_discard(mask_of(parse_cards("As2s3s4s 5s5c5d 9hThJhQh")))
    assert {str(card) for card, points in after.items() if points == 0} == {"As", "4s", "9h", "Qh"}


def test_a_meld_knows_its_kind_and_writes_its_cards() -> None:
    run, group = Meld.parse("5s3s4s"), Meld.of(parse_cards("7h7c7d7s"))
    assert (run.kind, str(run), len(run), run.points) == (MeldKind.RUN, "3s4s5s", 3, 12)
    assert (group.kind, str(group), len(group)) == (MeldKind.SET, "7c7h7s7d", 4)
    assert Meld.parse("4s5s3s") == run
    assert hash(Meld.parse("4s5s3s")) == hash(run)


@pytest.mark.parametrize(
    ("cards", "rule"),
    [
        ("", "at least three cards"),
        ("3s4s", "at least three cards"),
        ("3s4s6s", "consecutive"),
        ("QsKsAs", "the ace below the two"),
        ("3s4s5h", "neither of one rank nor of one suit"),
        ("Kc Ah 2h", "neither of one rank nor of one suit"),
        ("JcQcKcAh", "neither of one rank nor of one suit"),
    ],
)
def test_what_is_no_meld_is_refused_by_rule(cards: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        Meld.of(parse_cards(cards))


def test_a_meld_names_each_card_once() -> None:
    three = parse_cards("3s4s5s")
    with pytest.raises(ValueError, match="twice"):
        Meld.of([*three, three[0]])


def test_an_own_arrangement_is_checked_against_the_hand() -> None:
    hand = parse_cards("3s4s5s5c5d9h")
    arrangement = arrange(hand, [Meld.parse("3s4s5s")])
    assert (format_cards(arrangement.deadwood), arrangement.points) == ("5c9h5d", 19)
    with pytest.raises(ValueError, match="5h, which is not in the hand"):
        arrange(hand, [Meld.parse("5c5d5h")])
    with pytest.raises(ValueError, match="5s is in two melds"):
        arrange(hand, [Meld.parse("3s4s5s"), Meld.parse("5s5c5d")])
    with pytest.raises(ValueError, match="consecutive"):
        arrange(hand, [Meld(mask_of(parse_cards("3s5s9s")), MeldKind.RUN, parse_cards("3s5s9s"))])


@given(st.sets(st.sampled_from(DECK)))
def test_points_of_is_the_sum_of_the_cards(hand: set[Card]) -> None:
    assert points_of(mask_of(hand)) == sum(card.points for card in hand)
    assert points_of(mask_of(cards_of(mask_of(hand)))) == brute.points(frozenset(map(str, hand)))
