"""A tournament's pages put together: the facts that `tournaments.presentation` draws from, and what happens next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.urls import reverse
from django.utils import timezone

from arena import tournament as pure
from ladder.models import Match
from tournaments import queries
from tournaments.bracket import Drawing, draw
from tournaments.crosstable import Blocks, CrossTable, block, blocks, cross_tables
from tournaments.models import Entry, Tournament
from tournaments.parts import BracketPart, end_of, parts_of
from tournaments.presentation import Entrant, Facts
from tournaments.report import Highlight, Report, final_report
from tournaments.rounds import RoundList, links, rounds
from tournaments.tables import Table, groups, paged, standings

State = Tournament.State

MOST_PAIRINGS = 64
"""With more than these the page shows the current round only, if it has no more; every round has a page of its own."""
MOST_ROWS = 64
"""Of standings on a page. With more of them the tournament's page shows the best."""
BEST_ROWS = 16

MOST_LINKED = 4100
"""With more pairings only the matches of the shown round are looked up: no bracket has as many."""

FORMAT_NAMES: dict[type[pure.Format], str] = {
    pure.RoundRobin: "Round robin",
    pure.Swiss: "Swiss",
    pure.SingleElimination: "Single elimination",
    pure.DoubleElimination: "Double elimination",
    pure.GroupsThenKnockout: "Groups, then single elimination",
}


@dataclass(frozen=True)
class Progress:
    """What is drawn of a tournament whose entries are closed."""

    cup: pure.Tournament
    facts: Facts
    played: int
    """Matches with a result that counts."""
    waiting: int
    """Matches on the way: queued, or being played."""

    @property
    def bracket(self) -> Drawing | None:
        """The bracket of a knockout, or the end of a large one."""
        return None if self.cup.bracket is None else draw(self.cup, self.facts, end_of(self.cup.bracket))

    @cached_property
    def bracket_parts(self) -> tuple[BracketPart, ...]:
        """What of a large bracket has pages of its own."""
        return () if self.cup.bracket is None else parts_of(self.cup.bracket)

    def bracket_part(self, number: int) -> Drawing | None:
        """One of these, drawn; None if there is none of that number."""
        found = next((part for part in self.bracket_parts if part.number == number), None)
        return None if found is None else draw(self.cup, self.facts, found.matches)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The standings, behind those of the groups; of a large field its best."""
        if len(self.standings_pages) == 1:
            return self.standings_pages[0]
        whole = standings(self.cup, self.facts)
        return (replace(whole, rows=whole.rows[:BEST_ROWS]),)

    @cached_property
    def standings_pages(self) -> tuple[tuple[Table, ...], ...]:
        """All standings, as many as a page takes on each: the groups', whose cross tables stand beside them, first."""
        of_groups, whole = groups(self.cup, self.facts), standings(self.cup, self.facts)
        if sum(len(table.rows) for table in (*of_groups, whole)) <= MOST_ROWS:
            return ((*of_groups, whole),)
        return (*paged(of_groups, MOST_ROWS // 2), *paged((whole,), MOST_ROWS))

    @property
    def cross_tables(self) -> tuple[CrossTable, ...]:
        """Everybody against everybody, for formats where that says something; of many groups, their pages have them."""
        is_aside = isinstance(self.cup.format, pure.GroupsThenKnockout) and len(self.standings_pages) > 1
        return () if is_aside else cross_tables(self.cup, self.facts)

    def cross_tables_of(self, tables: Sequence[Table]) -> tuple[CrossTable, ...]:
        """The cross tables of those of the tables that are a group's."""
        names = {table.name for table in tables}
        return tuple(table for table in cross_tables(self.cup, self.facts) if table.name in names)

    @property
    def cross_blocks(self) -> Blocks:
        """How the cross table of a round robin or a Swiss is cut; a large one has pages of its own."""
        return blocks(self.cup)

    def cross_block(self, rows: int, columns: int) -> CrossTable | None:
        """One of the blocks by its numbers, from 1; None if there is none of these."""
        cut = self.cross_blocks
        if not (1 <= rows <= len(cut.down) and 1 <= columns <= len(cut.across)):
            return None
        return block(self.cup, self.facts, cut.down[rows - 1], cut.across[columns - 1])

    @property
    def rounds(self) -> tuple[RoundList, ...]:
        """All rounds, or of many the current one, if that is short."""
        sizes = {one.number: len(one.pairings) for one in self.cup.rounds}
        if sum(sizes.values()) <= MOST_PAIRINGS:
            return rounds(self.cup, self.facts)
        now = self.cup.current_round
        return rounds(self.cup, self.facts, {now} if sizes.get(now, 0) <= MOST_PAIRINGS else ())

    @property
    def round_links(self) -> tuple[pure.Round, ...]:
        """Rounds to link beside the current one."""
        return links(self.cup, self.cup.current_round)

    def round(self, number: int) -> RoundList | None:
        """One round; None if there is none of that number."""
        return next(iter(rounds(self.cup, self.facts, {number})), None)


@dataclass(frozen=True)
class Overview:
    """What every page of a tournament says."""

    format: str
    """In a few words."""
    next_step: str
    """Where it stands and what happens next."""
    takes_entries: bool
    progress: Progress | None
    """None before entries are closed."""
    stamp: str
    """Changes with whatever the page shows of the progress."""


def overview(tournament: Tournament, entries: Sequence[Entry], number: int | None = None) -> Overview:
    """The tournament as its page shows it, or the page of one round."""
    progress = _progress(tournament, entries, number)
    now = timezone.now()
    parts = [tournament.state, len(entries), sum(entry.left_number is not None for entry in entries)]
    if progress is not None:
        parts += [progress.played, progress.waiting, len(progress.facts.live), len(progress.cup.results)]
    return Overview(
        format=format_words(tournament.chosen),
        next_step=_next_step(tournament, progress, len(entries)),
        takes_entries=tournament.state == State.OPEN and tournament.opens_at <= now < tournament.closes_at,
        progress=progress,
        stamp="-".join(map(str, parts)),
    )


def report(tournament: Tournament, progress: Progress) -> Report | None:
    """The final report, once it is over."""
    if not progress.cup.is_over:
        return None
    hands = _hands(tournament, progress.facts)
    return final_report(progress.cup, progress.facts, _highlights(tournament), hands)


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


def _progress(tournament: Tournament, entries: Sequence[Entry], number: int | None) -> Progress | None:
    cup = queries.shown(tournament)
    if cup is None:
        return None
    fixtures = queries.fixtures_of(tournament, _linked(cup, number))
    return Progress(
        cup=cup,
        facts=Facts(
            entrants={entry.pk: _entrant(entry) for entry in entries},
            # Of several draws of one match the newest, unless an earlier one was played.
            match_urls={
                queries.slot_of(one): reverse("ladder:match", args=[one.match_id])
                for one in sorted(fixtures, key=lambda one: (one.match.state == Match.State.FINISHED, one.draw))
            },
            live={queries.slot_of(one) for one in fixtures if one.match.state == Match.State.RUNNING},
            round_url=lambda number: reverse("tournaments:round", args=[tournament.slug, number]),
        ),
        played=len(cup.results) - len(cup.unused),
        waiting=sum(one.match.state in queries.LIVE for one in fixtures),
    )


def _linked(cup: pure.Tournament, number: int | None) -> set[int] | None:
    """The rounds whose matches the page links one by one; None for all.

    Of a large field only the one that is shown: whatever else the page names leads to the page of its round.
    """
    if number is not None:
        return {number}
    pairings = sum(len(one.pairings) for one in cup.rounds)
    return None if pairings <= MOST_LINKED else {cup.current_round}


def _entrant(entry: Entry) -> Entrant:
    owner = entry.bot.owner
    return Entrant(
        entry.bot.name, entry.bot.get_absolute_url(), owner.get_username() if owner else "", entry.milli, entry.reason
    )


def _highlights(tournament: Tournament) -> list[Highlight]:
    found = []
    longest, clearest = queries.longest_game(tournament), queries.clearest_game(tournament)
    if longest is not None:
        url = reverse("ladder:replay", args=[longest.match_id, longest.number + 1])
        hands = "hand" if longest.hands == 1 else "hands"
        found.append(
            Highlight("The longest game", f"{longest.hands} {hands}, {longest.score_a} to {longest.score_b}", url)
        )
    if clearest is not None:
        url = reverse("ladder:replay", args=[clearest.match_id, clearest.number + 1])
        found.append(Highlight("The clearest win", f"{clearest.score_a} to {clearest.score_b} points", url))
    return found


def _hands(tournament: Tournament, facts: Facts) -> list[Highlight]:
    return [
        Highlight(
            f"{facts.entrants[one.first_id].isolated} against {facts.entrants[one.second_id].isolated}",
            f"{one.most_moves} moves in hand {one.most_hand}",
            f"{reverse('ladder:replay', args=[one.match_id, one.most_game])}#{one.most_step}",
        )
        for one in queries.most_played(tournament)
    ]


def _next_step(tournament: Tournament, progress: Progress | None, entered: int) -> str:
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
    if progress is None or not progress.cup.current_round:
        return "It is under way."
    one = progress.cup.rounds[progress.cup.current_round - 1]
    missing = sum(len(pairing.missing) for pairing in one.pairings)
    matches = "1 match" if missing == 1 else f"{missing} matches"
    return f"Being played: {one.name}, with {matches} to go. What comes next begins by itself."
