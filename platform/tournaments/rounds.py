"""A tournament round by round."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from arena.tournament import Outcome, Pairing, Round, RoundRobin, Swiss, Tournament
from tournaments.presentation import Entrant, Facts, anchor, match_key, score

MOST_OPEN = 60
"""If there are no more pairings than this, all rounds are unfolded."""
MOST_LINKS = 20
"""If there are no more rounds than this, each page of a round links all of them."""
_DISTANCES = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True)
class Side:
    """One of two in a pairing."""

    entrant: Entrant
    score: str
    state: str
    """A class: `won`, `lost`, `level` or `open`."""


@dataclass(frozen=True, slots=True)
class MatchLink:
    """A match of a pairing."""

    number: int
    url: str
    """Empty if it has no page yet."""
    text: str
    """The score of the first side and of the second, or how far it is."""


@dataclass(frozen=True, slots=True)
class Line:
    """A pairing."""

    anchor: str
    sides: tuple[Side, Side]
    state: str
    """A class: `over`, `live`, `next` or, when its round has not begun, `waiting`."""
    words: str
    """How it was settled, or how far it is."""
    matches: tuple[MatchLink, ...]
    group: str
    """The name of its group, if it is of one."""


@dataclass(frozen=True, slots=True)
class RoundList:
    """A round."""

    number: int
    name: str
    lines: tuple[Line, ...]
    byes: tuple[Entrant, ...]
    bye_words: str
    settled: int
    is_complete: bool
    is_current: bool
    is_open: bool
    """Whether to unfold it."""


def rounds(cup: Tournament, facts: Facts, numbers: Collection[int] | None = None) -> tuple[RoundList, ...]:
    """The rounds that are known, or those of them with these numbers, in order."""
    chosen = [one for one in cup.rounds if numbers is None or one.number in numbers]
    all_open = sum(len(one.pairings) for one in chosen) <= MOST_OPEN or numbers is not None
    playable = {(match.round, frozenset((match.first, match.second))) for match in cup.playable}
    return tuple(_round(cup, facts, one, playable, all_open=all_open) for one in chosen)


def links(cup: Tournament, number: int) -> tuple[Round, ...]:
    """The rounds to link beside that one, itself included: of many the first, the last, and some near and far."""
    near = {number + step for distance in _DISTANCES for step in (-distance, distance)} | {1, number, len(cup.rounds)}
    return tuple(one for one in cup.rounds if len(cup.rounds) <= MOST_LINKS or one.number in near)


def _round(
    cup: Tournament, facts: Facts, one: Round, playable: Collection[tuple[int, frozenset[int]]], *, all_open: bool
) -> RoundList:
    is_current = one.number == cup.current_round and not cup.is_over
    return RoundList(
        number=one.number,
        name=one.name.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}"),
        lines=tuple(_line(cup, facts, pairing, playable) for pairing in one.pairings),
        byes=tuple(facts.entrants[entrant] for entrant in one.byes),
        bye_words=_bye_words(cup, one),
        settled=sum(pairing.is_settled for pairing in one.pairings),
        is_complete=one.is_complete,
        is_current=is_current,
        is_open=all_open or one.number == cup.current_round,
    )


def _bye_words(cup: Tournament, one: Round) -> str:
    """What playing nobody in a round means."""
    if isinstance(cup.format, Swiss):
        return "Bye, with a full score:"
    if isinstance(cup.format, RoundRobin) or (one.pairings and one.pairings[0].group is not None):
        return "Rests:"
    return "Bye, on to the next round:"


def _line(cup: Tournament, facts: Facts, pairing: Pairing, playable: Collection[tuple[int, frozenset[int]]]) -> Line:
    live = facts.is_live(pairing)
    began = bool(pairing.results) or pairing.outcome not in (None, Outcome.WALKOVER, Outcome.VOID)
    if pairing.outcome is not None:
        state, words = "over", "" if pairing.outcome is Outcome.SCORE else pairing.outcome.words
    elif live:
        state, words = "live", "Playing now."
    elif match_key(pairing, 1)[:2] in playable:
        state, words = "next", "Waits for a worker."
    else:
        state, words = "waiting", "Begins when the round before is complete."
    sides = tuple(
        Side(
            facts.entrants[entrant],
            score(quarters) if began else "",
            "open"
            if pairing.outcome in (None, Outcome.VOID)
            else "level"
            if pairing.winner is None
            else "won"
            if pairing.winner == entrant
            else "lost",
        )
        for entrant, quarters in zip((pairing.first, pairing.second), pairing.quarters, strict=True)
    )
    return Line(
        anchor(pairing),
        (sides[0], sides[1]),
        state,
        words,
        _matches(facts, pairing),
        "" if pairing.group is None else cup.groups[pairing.group].name,
    )


def _matches(facts: Facts, pairing: Pairing) -> tuple[MatchLink, ...]:
    results = {result.number: result for result in pairing.results}
    links = []
    for number in range(1, pairing.matches + 1):
        key = match_key(pairing, number)
        result, url = results.get(number), facts.match_urls.get(key, "")
        if result is not None:
            text = f"{score(result.quarters[0])}\N{EN DASH}{score(result.quarters[1])}"
        elif url and not pairing.is_settled:
            text = "playing now" if key in facts.live else "waiting"
        else:
            continue
        links.append(MatchLink(number, url, text))
    return tuple(links)
