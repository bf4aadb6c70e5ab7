"""Worked examples for the page of a rule set: chosen hands, scored by the engine under that set."""

from __future__ import annotations

from dataclasses import dataclass

from arena.actions import BEST_ARRANGE, BEST_DEFEND
from arena.cards import Card, parse_cards
from arena.melds import Arrangement, best_arrangement
from arena.rules import Rules
from arena.showdown import HandResult, answered, defended, shown, unanswered
from arena.steps import Showdown, pretty
from ladder.scoring import game_sums, hand_sums

NAMES = ("Ann", "Ben")
"""Ann knocks, Ben defends."""
PLAIN, SPADE = "6d", "9s"
"""First upcards that are in nobody's hand below."""


@dataclass(frozen=True)
class Group:
    """Cards that lie together, and what they are."""

    cards: str
    """Codes with spaces between."""
    caption: str


@dataclass(frozen=True)
class Example:
    """One showdown: what both lay out, and the sum."""

    title: str
    lesson: str
    upcard: str
    """The first upcard where it matters, else empty."""
    knocker: tuple[Group, ...]
    defender: tuple[Group, ...]
    sums: tuple[str, ...]


@dataclass(frozen=True)
class _Case:
    title: str
    lesson: str
    knocker: str
    defender: str
    upcard: str = PLAIN


_KNOCK = _Case(
    "A knock",
    "Ben lays the 7 of spades off on Ann's run. What is left is compared.",
    "4s 5s 6s 9c 9h 9d Jc Qc Kc 3h",
    "2d 3d 4d Ts Th Td 7s Kd 5c 2h",
)
_CASES = (
    _KNOCK,
    _Case(
        "Laying off several steps deep",
        "The 6 of spades goes on Ann's run, the 7 on the 6, and the 9 of spades on the nines. Only the king is left.",
        "3s 4s 5s 9c 9h 9d Jc Qc Kc Ad",
        "6s 7s 9s Qh Qd Qs 4h 4d 4c Kh",
    ),
    _Case(
        "An undercut",
        "Three cards laid off bring Ben below Ann, and the knock backfires.",
        "7h 8h 9h Ks Kc Kd 2c 2h 2d 5s",
        "Td Jd Qd 4h 4c 4s 6h Th 2s As",
    ),
    _Case(
        "A tie is an undercut",
        "Both have 5. The knocker must have less, so Ben scores the bonus.",
        "As 2s 3s 4c 5c 6c 7d 8d 9d 5h",
        "9c Tc Jc Td Jd Qd Kh Kc Kd 5s",
    ),
    _Case(
        "Gin",
        "Nothing can be laid off: the 6 of hearts would go on Ann's run, were it a knock.",
        "3h 4h 5h 8s 8c 8d Td Jd Qd Kd",
        "Ac Ad As 5c 6c 7c 6h 9s 9h 2d",
    ),
)
_BIG_GIN = _Case(
    "Big gin",
    "All eleven cards are melded. Ann declares it and discards nothing.",
    "3h 4h 5h 8s 8c 8d 9d Td Jd Qd Kd",
    "Ac Ad As 5c 6c 7c 6h 9s 9h 2d",
)
_DOUBLE = _Case(
    "A spade doubles",
    "The same hands as in the knock above, but the first upcard was a spade.",
    _KNOCK.knocker,
    _KNOCK.defender,
    SPADE,
)


def examples(rules: Rules) -> list[Example]:
    """The showdowns that can happen under the rules, simplest first."""
    found = [_example(rules, case) for case in _CASES]
    if rules.big_gin_bonus is not None:
        found.append(_example(rules, _BIG_GIN, big=True))
    if rules.spades_double:
        found.append(_example(rules, _DOUBLE))
    return [example for example in found if example is not None]


def end_of_game(rules: Rules) -> list[str]:
    """The end of a game of two lengths, as sums; empty when the rules add nothing there."""
    shared = game_sums(rules, NAMES, (108, 61), (5, 3), 0)
    alone = game_sums(rules, NAMES, (104, 0), (4, 0), 0)
    return [*shared, *(f"If Ben had won no hand: {line}" for line in alone)]


def _example(rules: Rules, case: _Case, *, big: bool = False) -> Example | None:
    """The case as the engine scores it; None where the rules allow no such knock."""
    upcard = Card.parse(case.upcard)
    hands = parse_cards(case.knocker), parse_cards(case.defender)
    if best_arrangement(hands[0]).points > rules.limit_for(upcard):
        return None
    laid_out = shown(BEST_ARRANGE, *hands, rules.limit_for(upcard))
    if big or laid_out.points == 0:
        result = unanswered(rules, upcard, hands, 0, laid_out, big=big)
    else:
        result = answered(rules, upcard, hands, 0, laid_out, defended(BEST_DEFEND, laid_out, hands[1]))
    return Example(
        case.title,
        case.lesson,
        case.upcard if rules.limit_from_upcard or rules.spades_double else "",
        _groups(laid_out),
        _defence(result, laid_out),
        tuple(hand_sums(Showdown.of(result).to_dict(), NAMES, rules)),
    )


def _groups(held: Arrangement) -> tuple[Group, ...]:
    melds = [Group(" ".join(map(str, meld.cards)), str(meld.kind)) for meld in held.melds]
    loose = sorted(held.deadwood, key=lambda card: card.rank)
    return (*melds, Group(" ".join(map(str, loose)), f"deadwood {held.points}")) if loose else tuple(melds)


def _defence(result: HandResult, laid_out: Arrangement) -> tuple[Group, ...]:
    defence = result.defence
    assert defence is not None
    laid: dict[int, list[str]] = {}
    for layoff in defence.layoffs:
        laid.setdefault(layoff.meld_index, []).append(str(layoff.card))
    on = [Group(" ".join(cards), f"laid off on {_short(laid_out.melds[index].cards)}") for index, cards in laid.items()]
    return (*_groups(defence.arrangement), *on)


def _short(cards: tuple[Card, ...]) -> str:
    return f"{pretty(cards[0])}\N{HORIZONTAL ELLIPSIS}{pretty(cards[-1])}"
