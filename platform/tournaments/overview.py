"""A tournament as its pages show it: entries beside standings, pairings with their matches, and what happens next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from arena import tournament as pure
from arena.elo import MAX_QUARTERS
from ladder.models import Match
from ladder.templatetags.arena import match_score
from tournaments import queries
from tournaments.models import Entry, Fixture, Tournament

State = Tournament.State

FORMAT_NAMES: dict[type[pure.Format], str] = {
    pure.RoundRobin: "Round robin",
    pure.Swiss: "Swiss",
    pure.SingleElimination: "Single elimination",
    pure.DoubleElimination: "Double elimination",
    pure.GroupsThenKnockout: "Groups, then single elimination",
}


@dataclass(frozen=True)
class Line:
    """A line of the standings."""

    entry: Entry
    standing: pure.Standing
    points: str


@dataclass(frozen=True)
class PairingRow:
    """Two entrants of a round, and their matches."""

    first: Entry
    second: Entry
    pairing: pure.Pairing
    score: tuple[str, str]
    matches: tuple[Fixture, ...]
    """By number, void ones too."""

    @property
    def winner(self) -> Entry | None:
        """Who won it, if it is settled and not level."""
        return next((side for side in (self.first, self.second) if side.pk == self.pairing.winner), None)

    @property
    def is_live(self) -> bool:
        """Whether one of its matches is being played."""
        return any(fixture.match.state == Match.State.RUNNING for fixture in self.matches)


@dataclass(frozen=True)
class RoundRow:
    """A round."""

    number: int
    name: str
    pairings: tuple[PairingRow, ...]
    byes: tuple[Entry, ...]
    is_complete: bool


@dataclass(frozen=True)
class Overview:
    """Everything on a tournament's pages that is not its bare row."""

    cup: pure.Tournament | None
    format: str
    """In a few words."""
    next_step: str
    """Where it stands and what happens next."""
    takes_entries: bool
    lines: tuple[Line, ...]
    groups: tuple[tuple[str, tuple[Line, ...]], ...]
    rounds: tuple[RoundRow, ...]
    played: int
    """Matches with a result that counts."""
    under_way: int
    """Matches that wait or are being played."""

    @property
    def current(self) -> RoundRow | None:
        """The round that is being played, or the last."""
        return self.rounds[self.cup.current_round - 1] if self.cup is not None and self.cup.current_round else None


def view(tournament: Tournament, entries: Sequence[Entry]) -> Overview:
    """The tournament as its pages show it."""
    cup = queries.cup(tournament)
    by_key = {entry.pk: entry for entry in entries}
    fixtures = queries.fixtures_of(tournament) if cup is not None else {}
    now = timezone.now()
    live = (Match.State.QUEUED, Match.State.RUNNING)
    return Overview(
        cup=cup,
        format=format_words(tournament.chosen),
        next_step=_next_step(tournament, cup, len(entries)),
        takes_entries=tournament.state == State.OPEN and tournament.opens_at <= now < tournament.closes_at,
        lines=_lines(cup.standings, by_key) if cup is not None else (),
        groups=tuple((group.name, _lines(group.standings, by_key)) for group in cup.groups) if cup is not None else (),
        rounds=tuple(_round(one, by_key, fixtures) for one in cup.rounds) if cup is not None else (),
        played=len(cup.results) - len(cup.unused) if cup is not None else 0,
        under_way=sum(fixture.match.state in live for row in fixtures.values() for fixture in row),
    )


def format_words(chosen: pure.Format) -> str:
    """The format in a few words."""
    words = FORMAT_NAMES[type(chosen)]
    if isinstance(chosen, pure.RoundRobin) and chosen.legs > 1:
        words = "Double round robin"
    if isinstance(chosen, pure.Swiss):
        words += f", {chosen.rounds} rounds"
    each = "1 match a pairing" if chosen.matches == 1 else f"{chosen.matches} matches a pairing"
    if isinstance(chosen, pure.GroupsThenKnockout) and chosen.knockout_matches != chosen.matches:
        each += f", {chosen.knockout_matches} after the groups"
    return f"{words}, {each}"


def _next_step(tournament: Tournament, cup: pure.Tournament | None, entered: int) -> str:
    now = timezone.now()
    match tournament.state:
        case State.DRAFT:
            return "A draft: only its organizers see it. Publish it to take entries."
        case State.OPEN if now < tournament.opens_at:
            return "Entries are not open yet."
        case State.OPEN if now < tournament.closes_at:
            return f"Entries are open; {entered} of {tournament.max_entries} places are taken."
        case State.OPEN:
            return "Entries are closed; versions and seeds are being fixed."
        case State.CLOSED:
            return "Versions and seeds are fixed. It starts by itself."
        case State.PAUSED:
            return "Paused by the organizers. Matches that were being played finish; no new ones begin."
        case State.CANCELLED:
            return "Cancelled. What was played stays to be read."
        case State.FINISHED:
            return "It is over."
    if cup is None or not cup.current_round:
        return "It is under way."
    one = cup.rounds[cup.current_round - 1]
    missing = sum(len(pairing.missing) for pairing in one.pairings)
    matches = "1 match is" if missing == 1 else f"{missing} matches are"
    return f"{one.name} is being played: {matches} missing. What comes next begins by itself."


def score(quarters: int) -> str:
    """A score as people write it: 11 quarters are "2¾"."""
    whole, rest = divmod(quarters, MAX_QUARTERS)
    return f"{whole or ''}{match_score(rest) if rest or not whole else ''}"


def _lines(standings: Sequence[pure.Standing], entries: dict[int, Entry]) -> tuple[Line, ...]:
    return tuple(Line(entries[one.entrant], one, score(int(one.points * MAX_QUARTERS))) for one in standings)


def _round(
    one: pure.Round, entries: dict[int, Entry], fixtures: dict[tuple[int, frozenset[int]], list[Fixture]]
) -> RoundRow:
    pairings = tuple(
        PairingRow(
            entries[pairing.first],
            entries[pairing.second],
            pairing,
            (score(pairing.quarters[0]), score(pairing.quarters[1])),
            tuple(fixtures.get((pairing.round, frozenset((pairing.first, pairing.second))), ())),
        )
        for pairing in one.pairings
    )
    return RoundRow(one.number, one.name, pairings, tuple(entries[bye] for bye in one.byes), one.is_complete)
