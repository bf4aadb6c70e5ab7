"""Exhaustive answers, written straight from the rules and sharing nothing with the engine but the cards' letters.

A card here is a text such as "Ts"; a hand is a frozenset of them; a meld is a frozenset too.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

RANK = {letter: number for number, letter in enumerate("A23456789TJQK", 1)}
Hand = frozenset[str]


def texts(word: str) -> Hand:
    letters = word.replace(" ", "")
    return frozenset(letters[i : i + 2] for i in range(0, len(letters), 2))


def points(hand: Hand) -> int:
    return sum(min(RANK[card[0]], 10) for card in hand)


def is_meld(cards: Hand) -> bool:
    if len(cards) < 3:
        return False
    ranks = sorted(RANK[card[0]] for card in cards)
    suits = {card[1] for card in cards}
    return ranks[0] == ranks[-1] or (len(suits) == 1 and ranks == list(range(ranks[0], ranks[0] + len(ranks))))


def _every_meld() -> tuple[Hand, ...]:
    sets = [
        frozenset(some)
        for rank in RANK
        for size in (3, 4)
        for some in combinations([rank + suit for suit in "chsd"], size)
    ]
    ranks = list(RANK)
    runs = [
        frozenset(rank + suit for rank in ranks[low:high])
        for suit in "chsd"
        for low in range(11)
        for high in range(low + 3, 14)
    ]
    return (*sets, *runs)


EVERY_MELD = _every_meld()


@cache
def melds_in(hand: Hand) -> tuple[Hand, ...]:
    """Every meld that cards of the hand make."""
    return tuple(meld for meld in EVERY_MELD if meld <= hand)


def arrangements(hand: Hand) -> list[tuple[tuple[Hand, ...], Hand]]:
    """Every way to divide the hand into melds and deadwood, split runs and needless deadwood included."""
    if not hand:
        return [((), frozenset())]
    first = min(hand)
    ways = [(melds, dead | {first}) for melds, dead in arrangements(hand - {first})]
    for meld in melds_in(hand):
        if first in meld:
            ways += [((meld, *melds), dead) for melds, dead in arrangements(hand - meld)]
    return ways


@cache
def least(hand: Hand) -> int:
    """The least deadwood of the hand."""
    if not hand:
        return 0
    first = min(hand)
    best = points(frozenset({first})) + least(hand - {first})
    for meld in melds_in(hand):
        if first in meld:
            best = min(best, least(hand - meld))
    return best


def defence(shown: tuple[Hand, ...], hand: Hand) -> int:
    """The least the defender can be left with, over every order of layoffs and every arrangement of the rest."""
    seen: set[tuple[tuple[Hand, ...], Hand]] = set()
    todo = [(shown, hand)]
    best = 1000
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        melds, cards = state
        best = min(best, least(cards))
        for card in cards:
            for index, meld in enumerate(melds):
                if is_meld(meld | {card}):
                    todo.append(((*melds[:index], meld | {card}, *melds[index + 1 :]), cards - {card}))
    return best


def knocker_margin(knocker: Hand, defender: Hand) -> tuple[int, int]:
    """The knocker's least deadwood and the most that showing it can leave the defender."""
    own = least(knocker)
    shown = {frozenset(melds) for melds, dead in arrangements(knocker) if points(dead) == own}
    return own, max(defence(tuple(melds), defender) for melds in shown)
