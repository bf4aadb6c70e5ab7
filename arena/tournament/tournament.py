"""A tournament as a fold: from its format, its entrants, the results so far and who left, everything else follows.

Nothing is stored here and nothing is random. A match that is void is one whose result is left out; a round that is
played again is one whose results are left out (`Tournament.redo`). Whatever was paired on them is then paired anew, and
results that no pairing asks for any more are in `unused`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from arena.elo import MAX_QUARTERS
from arena.tournament.bracket import double_elimination, single_elimination
from arena.tournament.formats import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from arena.tournament.knockout import Bracket, play_bracket
from arena.tournament.pairings import Match, Pairing, Round, points_pairing, voided
from arena.tournament.results import Book, Result, Withdrawal
from arena.tournament.schedule import draw_groups, group_name, round_robin, seed_qualifiers
from arena.tournament.standings import Standing, Status, knockout_standings, points_standings
from arena.tournament.swiss import pair_round


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a group stage."""

    name: str
    entrants: tuple[int, ...]
    """In seed order."""
    standings: tuple[Standing, ...]
    """Their seeds are those within the group."""


@dataclass(frozen=True, slots=True)
class _State:
    """All that follows from a tournament's facts."""

    rounds: tuple[Round, ...]
    standings: tuple[Standing, ...]
    is_over: bool
    champion: int | None
    groups: tuple[Group, ...] = ()
    bracket: Bracket | None = None


@dataclass(frozen=True)
class Tournament:
    """What is known of a tournament, and what follows.

    Raises ValueError on fewer than two entrants, an entrant or a withdrawal given twice, a withdrawal of somebody who
    did not enter, and two different results of one match.
    """

    format: Format
    entrants: tuple[int, ...]
    """Whatever numbers the caller has for them, the best seed first."""
    results: tuple[Result, ...] = ()
    """In any order."""
    withdrawals: tuple[Withdrawal, ...] = ()
    """In the order in which they left."""

    def __post_init__(self) -> None:
        if len(self.entrants) < 2:
            raise ValueError("A tournament needs two entrants or more.")
        if len(set(self.entrants)) < len(self.entrants):
            raise ValueError("A tournament's entrants are all different.")
        gone = [withdrawal.entrant for withdrawal in self.withdrawals]
        if len(set(gone)) < len(gone) or not set(gone) <= set(self.entrants):
            raise ValueError("An entrant withdraws once, and only entrants do.")
        self._book  # noqa: B018 - it refuses contradictory results

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds that are known: all of a round robin and of a bracket, up to the current one of a Swiss."""
        return self._state.rounds

    @property
    def current_round(self) -> int:
        """The number of the first round that is not complete, or of the last when all are; 0 if there is none."""
        return next((one.number for one in self.rounds if not one.is_complete), len(self.rounds))

    @property
    def playable(self) -> tuple[Match, ...]:
        """The matches that can be played now, in the order in which they should be.

        A round of a round robin, a Swiss or a group stage starts when the one before is complete; a match of a bracket
        when both its entrants are known.
        """
        bracket = self._state.bracket
        one_by_one = len(self.rounds) - len(bracket.rounds if bracket is not None else ())
        return tuple(
            match
            for one in self.rounds
            if one.number == self.current_round or one.number > one_by_one
            for pairing in one.pairings
            for match in pairing.missing
        )

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The entrants in order, as things stand."""
        return self._state.standings

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups, for a format that has them."""
        return self._state.groups

    @property
    def bracket(self) -> Bracket | None:
        """The bracket of a knockout; of groups then knockout once all groups are done."""
        return self._state.bracket

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return self._state.is_over

    @property
    def champion(self) -> int | None:
        """Who won, once it is over; None as well if everybody was disqualified or struck."""
        return self._state.champion

    @cached_property
    def unused(self) -> tuple[Result, ...]:
        """The results that no pairing asks for, because an earlier result has changed or is missing."""
        used = {result.key for one in self.rounds for pairing in one.pairings for result in pairing.results}
        return tuple(result for result in self.results if result.key not in used)

    def with_results(self, *results: Result) -> Tournament:
        """The tournament with these results as well."""
        return replace(self, results=(*self.results, *results))

    def redo(self, round_number: int) -> Tournament:
        """The tournament before that round was played.

        The other rounds of a round robin, or of the group stage, keep their results. In every other format, and in the
        knockout after groups, what comes later was paired on it and goes as well.
        """

        def stays(result: Result) -> bool:
            if isinstance(self.format, RoundRobin):
                return result.round != round_number
            if round_number <= self._group_rounds:
                return result.round != round_number and result.round <= self._group_rounds
            return result.round < round_number

        return replace(self, results=tuple(filter(stays, self.results)))

    def withdrawal(self, entrant: int, *, disqualified: bool = False, started: bool = False) -> Withdrawal:
        """The withdrawal of an entrant at this moment.

        Its current round stays paired as it is if a match of it has a result, or has `started` without one;
        otherwise the round is paired anew without it.
        """
        current = self.current_round
        if self.is_over:
            return Withdrawal(entrant, current + 1, disqualified)
        begun = started or any(result.round >= current for result in self.results)
        return Withdrawal(entrant, current if begun else current - 1, disqualified)

    def with_withdrawal(self, withdrawal: Withdrawal) -> Tournament:
        """The tournament after that withdrawal."""
        return replace(self, withdrawals=(*self.withdrawals, withdrawal))

    @cached_property
    def _book(self) -> Book:
        return Book(self.results)

    @cached_property
    def _left(self) -> tuple[int, ...]:
        return tuple(withdrawal.entrant for withdrawal in self.withdrawals)

    @cached_property
    def _last_rounds(self) -> dict[int, int]:
        return {withdrawal.entrant: withdrawal.after_round for withdrawal in self.withdrawals}

    @cached_property
    def _statuses(self) -> dict[int, Status]:
        return {
            withdrawal.entrant: Status.DISQUALIFIED if withdrawal.disqualified else Status.WITHDRAWN
            for withdrawal in self.withdrawals
        }

    @property
    def _disqualified(self) -> set[int]:
        return {entrant for entrant, status in self._statuses.items() if status is Status.DISQUALIFIED}

    @cached_property
    def _state(self) -> _State:
        match self.format:
            case RoundRobin():
                return self._round_robin(self.format)
            case Swiss():
                return self._swiss(self.format)
            case SingleElimination():
                layout = single_elimination(len(self.entrants))
            case DoubleElimination():
                layout = double_elimination(len(self.entrants), reset=self.format.reset)
            case GroupsThenKnockout():
                return self._groups_then_knockout(self.format)
        return self._knockout(play_bracket(layout, self.entrants, self.format.matches, self._book, self._left))

    def _round_robin(self, chosen: RoundRobin) -> _State:
        rounds, void = self._all_play_all([self.entrants], chosen.matches, chosen.legs)
        standings = points_standings(
            self.entrants,
            _pairings(rounds),
            matches=chosen.matches,
            byes={},
            statuses=self._statuses,
            last=self._disqualified | void,
        )
        is_over = all(one.is_complete for one in rounds)
        return _State(tuple(rounds), standings, is_over, self._first(standings, void) if is_over else None)

    def _all_play_all(self, groups: Sequence[tuple[int, ...]], matches: int, legs: int) -> tuple[list[Round], set[int]]:
        """The rounds of a round robin in each group, and those whose pairings are void."""
        rounds: list[Round] = []
        schedules = [round_robin(group, legs) for group in groups]
        count = max(map(len, schedules))
        grouped = isinstance(self.format, GroupsThenKnockout)
        # Who leaves after the last round leaves everything as it is.
        left = [entrant for entrant in self._left if not self._is_paired(entrant, count + 1)]
        for number in range(1, count + 1):
            pairings: list[Pairing] = []
            resting: list[int] = []
            for index, schedule in enumerate(schedules):
                if number > len(schedule):
                    resting += groups[index]
                    continue
                pairs, alone = schedule[number - 1]
                group = index if grouped else None
                pairings += [points_pairing(number, pair, matches, self._book, left, group=group) for pair in pairs]
                resting += [] if alone is None else [alone]
            name = f"Group round {number}" if grouped else f"Round {number}"
            rounds.append(Round(number, name, tuple(pairings), tuple(resting), is_complete=False))
        void = self._void(rounds, left)
        return [_completed(one, void) for one in rounds], void

    def _void(self, rounds: Iterable[Round], left: Iterable[int]) -> set[int]:
        """Who left before half of its pairings were played."""
        scheduled: Counter[int] = Counter()
        played: Counter[int] = Counter()
        for pairing in _pairings(rounds):
            for side in (pairing.first, pairing.second):
                scheduled[side] += 1
                played[side] += len(pairing.results) == pairing.matches
        return {entrant for entrant in left if 2 * played[entrant] < scheduled[entrant]}

    def _swiss(self, chosen: Swiss) -> _State:
        rounds: list[Round] = []
        byes: Counter[int] = Counter()
        quarters = dict.fromkeys(self.entrants, 0)
        met: set[frozenset[int]] = set()
        planned = chosen.rounds_for(len(self.entrants))
        is_over = False
        for number in range(1, planned + 1):
            active = [entrant for entrant in self.entrants if self._is_paired(entrant, number)]
            if len(active) < 2:
                is_over = True
                break
            active.sort(key=lambda entrant: -quarters[entrant])
            order = tuple((entrant, quarters[entrant]) for entrant in active)
            pairs, bye = pair_round(order, frozenset(met), frozenset(byes))
            pairings = tuple(points_pairing(number, pair, chosen.matches, self._book, self._left) for pair in pairs)
            resting = () if bye is None else (bye,)
            rounds.append(_completed(Round(number, f"Round {number}", pairings, resting, is_complete=False)))
            byes.update(resting)
            if not rounds[-1].is_complete:
                break
            for pairing in pairings:
                met.add(frozenset((pairing.first, pairing.second)))
                quarters[pairing.first] += pairing.quarters[0]
                quarters[pairing.second] += pairing.quarters[1]
            if bye is not None:
                quarters[bye] += chosen.matches * MAX_QUARTERS
            is_over = number == planned
        standings = points_standings(
            self.entrants,
            _pairings(rounds),
            matches=chosen.matches,
            byes=byes,
            statuses=self._statuses,
            last=self._disqualified,
        )
        return _State(tuple(rounds), standings, is_over, self._first(standings) if is_over else None)

    def _is_paired(self, entrant: int, number: int) -> bool:
        return self._last_rounds.get(entrant, number) >= number

    def _knockout(self, bracket: Bracket) -> _State:
        most = len(bracket.layout.rounds) + 1
        reached = {entrant: bracket.out_in.get(entrant, most) for entrant in self.entrants}
        standings = knockout_standings(
            self.entrants, _pairings(bracket.rounds), statuses=self._statuses, reached=reached, out_in=bracket.out_in
        )
        return _State(bracket.rounds, standings, bracket.is_over, self._winner(bracket, standings), bracket=bracket)

    def _groups_then_knockout(self, chosen: GroupsThenKnockout) -> _State:
        drawn = draw_groups(self.entrants, chosen.group_size)
        rounds, void = self._all_play_all(drawn, chosen.matches, 1)
        groups = []
        for index, entrants in enumerate(drawn):
            own = [pairing for pairing in _pairings(rounds) if pairing.group == index]
            # Who left before the knockout does not go on, so it stands behind those who may.
            away = {entrant for entrant in entrants if not self._is_paired(entrant, len(rounds) + 1)}
            standings = points_standings(
                entrants,
                own,
                matches=chosen.matches,
                byes={},
                statuses=self._statuses,
                last=away | (void & set(entrants)),
            )
            groups.append(Group(group_name(index), entrants, standings))
        bracket = None
        if all(one.is_complete for one in rounds):
            qualified = [
                [
                    line.entrant
                    for line in group.standings[: chosen.qualifiers]
                    if self._is_paired(line.entrant, len(rounds) + 1)
                ]
                for group in groups
            ]
            seeds = seed_qualifiers([group for group in qualified if group])
            if seeds:
                bracket = play_bracket(
                    single_elimination(len(seeds)),
                    seeds,
                    chosen.knockout_matches,
                    self._book,
                    self._left,
                    rounds_before=len(rounds),
                )
        return self._after_groups(rounds, tuple(groups), bracket)

    def _after_groups(self, rounds: list[Round], groups: tuple[Group, ...], bracket: Bracket | None) -> _State:
        # Places in a group count below every round of the knockout: a third is behind whoever reached it.
        reached = {line.entrant: -line.rank for group in groups for line in group.standings}
        out_in = {}
        if bracket is not None:
            most = len(rounds) + len(bracket.layout.rounds) + 1
            reached |= {entrant: bracket.out_in.get(entrant, most) for entrant in bracket.seeds}
            out_in = bracket.out_in
            rounds = [*rounds, *bracket.rounds]
        standings = knockout_standings(
            self.entrants, _pairings(rounds), statuses=self._statuses, reached=reached, out_in=out_in
        )
        groups_done = all(one.is_complete for one in rounds)
        is_over = groups_done if bracket is None else bracket.is_over
        champion = None if bracket is None else self._winner(bracket, standings)
        return _State(tuple(rounds), standings, is_over, champion, groups, bracket)

    @property
    def _group_rounds(self) -> int:
        return sum(1 for one in self.rounds if one.pairings and one.pairings[0].group is not None)

    def _winner(self, bracket: Bracket, standings: Sequence[Standing]) -> int | None:
        """The bracket's winner, or, if that was disqualified, the first who was not."""
        return bracket.winner if bracket.winner not in self._disqualified else self._first(standings)

    def _first(self, standings: Sequence[Standing], void: Iterable[int] = ()) -> int | None:
        barred = self._disqualified | set(void)
        return next((line.entrant for line in standings if line.entrant not in barred), None)


def _pairings(rounds: Iterable[Round]) -> Iterable[Pairing]:
    return (pairing for one in rounds for pairing in one.pairings)


def _completed(one: Round, void: Iterable[int] = ()) -> Round:
    """The round with its void pairings marked, and whether nothing of it is left to play."""
    barred = set(void)
    pairings = tuple(
        voided(pairing) if barred & {pairing.first, pairing.second} else pairing for pairing in one.pairings
    )
    return replace(one, pairings=pairings, is_complete=all(pairing.is_settled for pairing in pairings))
