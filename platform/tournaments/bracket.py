"""A bracket as a drawing: boxes, wires and words with their places, which `tournaments/_bracket.html` writes as SVG.

A double elimination is drawn in two parts, one below the other, so that each is as narrow as can be: the winners'
bracket with the grand final at its end, and the losers' bracket. Of a large one a page draws its end or one of its
parts (`tournaments.parts`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.tournament import Bracket, BracketMatch, Feeder, Outcome, Pairing, Side, State, Takes, Tournament
from tournaments.parts import feeding, parts_of
from tournaments.presentation import Facts, score, shortened

BOX_WIDTH, BOX_HEIGHT = 196, 52
GAP = 30
"""Between columns, for the wires. Five columns fit the site's width."""
PITCH = 72
"""From row to row: a box and, above it, a line for what is noted of it."""
TOP, MARGIN = 20, 4
HEAD_HEIGHT = 34
NAME_WIDTH = 126
NAME_EMS = 9.6
"""The same in its letters' size, of 13."""
CURVE = 7
TALL_ROWS = 16
"""A part with more rows moves in a window of its own, below round names that stay."""

NOTES = {
    Outcome.POINTS: "on points",
    Outcome.EXTRA: "by an extra match",
    Outcome.SEED: "by seed",
    Outcome.WALKOVER: "walkover",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One side of a box."""

    y: int
    """Of the middle of its letters, from the top of the box."""
    entrant: int | None
    seed: int | None
    name: str
    """As far as it fits; a hint in its place while the entrant is not known."""
    full_name: str
    score: str
    state: str
    """A class: `won`, `lost`, `open` or `unknown`."""
    is_champion: bool
    has_bye: bool
    """Whether it comes here without having played."""


@dataclass(frozen=True, slots=True)
class Box:
    """A match, placed by its upper left corner."""

    key: str
    x: int
    y: int
    state: str
    """A class: `over`, `live`, `next`, `waiting` or `unneeded`."""
    lines: tuple[Line, Line]
    url: str
    """Empty while nobody is known to play it."""
    label: str
    """All of it in words, for who does not see it."""
    note: str
    shows_key: bool
    """Whether hints elsewhere name it by its key."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The way of a winner from one box to the next."""

    path: str
    state: str
    """A class: `open`, `won` or, on the champion's way, `title`."""
    entrant: int | None


@dataclass(frozen=True, slots=True)
class Column:
    """A round."""

    name: str
    middle: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Sign:
    """Words at the end of a wire that leads to the other part."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A drawing of its own."""

    name: str
    """Empty in single elimination, which has one part."""
    width: int
    height: int
    columns: tuple[Column, ...]
    wires: tuple[Wire, ...]
    signs: tuple[Sign, ...]
    head_height: int = HEAD_HEIGHT
    box_width: int = BOX_WIDTH
    box_height: int = BOX_HEIGHT
    name_width: int = NAME_WIDTH


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole bracket."""

    parts: tuple[Part, ...]
    is_tall: bool


def draw(cup: Tournament, facts: Facts, matches: Sequence[BracketMatch] | None = None) -> Drawing | None:
    """The tournament's bracket, or these matches of it; None if it has none, or none yet."""
    if cup.bracket is None or not cup.bracket.matches:
        return None
    return _Draughtsman(cup.bracket, facts, cup.bracket.matches if matches is None else matches).drawing()


class _Draughtsman:
    def __init__(self, bracket: Bracket, facts: Facts, drawn: Sequence[BracketMatch]) -> None:
        self._bracket, self._facts, self._drawn = bracket, facts, drawn
        self._drawn_keys = {match.node.key for match in drawn}
        self._seeds = {entrant: seed for seed, entrant in enumerate(bracket.seeds, start=1)}
        self._matches = {match.node.key: match for match in bracket.matches}
        self._double = any(match.node.side is Side.FINAL for match in bracket.matches)
        self._winner = bracket.winner
        self._last = next(match for match in reversed(bracket.matches) if match.state is not State.NOT_NEEDED)
        self._elsewhere = {match.node.key: part.name for part in parts_of(bracket) for match in part.matches}

    def drawing(self) -> Drawing:
        sides: list[tuple[str, tuple[Side, ...]]] = [("", (Side.WINNERS,))]
        if self._double:
            sides = [("Winners\N{RIGHT SINGLE QUOTATION MARK} bracket", (Side.WINNERS, Side.FINAL))]
            sides += [("Losers\N{RIGHT SINGLE QUOTATION MARK} bracket", (Side.LOSERS,))]
        own = [(name, [match for match in self._drawn if match.node.side in which]) for name, which in sides]
        parts = tuple(self._part(name, matches) for name, matches in own if matches)
        return Drawing(parts, any(part.height > TOP + TALL_ROWS * PITCH for part in parts))

    def _part(self, name: str, matches: Sequence[BracketMatch]) -> Part:
        columns = {at: place for place, at in enumerate(sorted({match.node.column for match in matches}))}
        sided = _sided(matches)
        rows = _rows(sided)
        places: dict[str, tuple[int, int]] = {}
        for match in matches:
            # The grand final stands beside the winners' final: what comes from the other part gets a sign.
            row = rows[(sided[-1] if match.node.side is Side.FINAL else match).node.key]
            places[match.node.key] = (
                MARGIN + columns[match.node.column] * (BOX_WIDTH + GAP),
                TOP + round(row * PITCH),
            )
        rounds = []
        for number in sorted({match.node.round for match in matches}):
            boxes = tuple(self._box(match, *places[match.node.key]) for match in matches if match.node.round == number)
            rounds.append(Column(self._round_name(number), boxes[0].x + BOX_WIDTH // 2, boxes))
        signs, sign_wires = self._signs(matches, places)
        bottom = max(y for _, y in places.values()) + BOX_HEIGHT
        return Part(
            name,
            MARGIN + len(columns) * (BOX_WIDTH + GAP) - GAP + MARGIN + (GAP + 90 if self._leads_to(matches) else 0),
            max([bottom, *(sign.y for sign in signs)]) + 2 * MARGIN,
            tuple(rounds),
            # The champion's way is drawn last, above the others where they meet.
            tuple(sorted([*self._wires(matches, places), *sign_wires], key=lambda wire: wire.state == "title")),
            tuple(signs),
        )

    def _round_name(self, number: int) -> str:
        return self._bracket.layout.rounds[number - 1].replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")

    def _box(self, match: BracketMatch, x: int, y: int) -> Box:
        pairing = match.pairing
        live = pairing is not None and self._facts.is_live(pairing)
        state = {
            State.WAITING: "waiting",
            State.PLAYING: "live" if live else "next",
            State.OVER: "over",
            State.NOT_NEEDED: "unneeded",
        }[match.state]
        first, second = (self._line(match, index) for index in (0, 1))
        return Box(
            match.node.key,
            x,
            y,
            state,
            (first, second),
            "" if pairing is None else self._facts.pairing_url(pairing),
            self._label(match, live=live),
            self._note(match, live=live),
            shows_key=self._double and match.node.side is Side.WINNERS,
        )

    def _line(self, match: BracketMatch, index: int) -> Line:
        entrant, pairing, feeder = match.sides[index], match.pairing, match.node.feeders[index]
        hint = "" if match.state is State.NOT_NEEDED else self._hint(match, feeder)
        name = None if entrant is None else self._facts.entrants[entrant].name
        if entrant is None:
            state = "unknown"
        elif match.winner is None:
            state = "open"
        else:
            state = "won" if match.winner == entrant else "lost"
        began = pairing is not None and (bool(pairing.results) or pairing.is_settled)
        return Line(
            round(BOX_HEIGHT * (0.25 + 0.5 * index)),
            entrant,
            None if entrant is None else self._seeds[entrant],
            hint if name is None else shortened(name, NAME_EMS),
            name or "",
            score(pairing.quarters[index]) if pairing is not None and began and not _is_unplayed(pairing) else "",
            state,
            is_champion=entrant is not None and match is self._last and self._winner == entrant,
            has_bye=feeder.takes is Takes.SEED and match.node.column > 0,
        )

    def _hint(self, match: BracketMatch, feeder: Feeder) -> str:
        """Who will stand there, where no wire says so."""
        if match.node.is_reset:
            return "If the unbeaten loses" if feeder is match.node.feeders[0] else ""
        if feeder.match is None:
            return ""
        source = self._matches[feeder.match].node
        if feeder.takes is Takes.LOSER:
            return f"Loser of {source.key}"
        if source.side is match.node.side and source.key not in self._drawn_keys:
            return f"From {self._elsewhere[source.key]}"
        crosses = source.side is Side.LOSERS and match.node.side is Side.FINAL
        return "Losers\N{RIGHT SINGLE QUOTATION MARK} final\N{RIGHT SINGLE QUOTATION MARK}s winner" if crosses else ""

    def _note(self, match: BracketMatch, *, live: bool) -> str:
        if match.state is State.NOT_NEEDED:
            return "not needed"
        pairing = match.pairing
        if pairing is None:
            return ""
        if pairing.outcome is not None:
            return NOTES.get(pairing.outcome, "")
        if live:
            return "playing now"
        return f"{len(pairing.results)} of {pairing.matches} played" if pairing.results else "up next"

    def _label(self, match: BracketMatch, *, live: bool) -> str:
        names = [
            self._source(feeder)
            if entrant is None
            else f"{self._facts.entrants[entrant].isolated} (seed {self._seeds[entrant]})"
            for entrant, feeder in zip(match.sides, match.node.feeders, strict=True)
        ]
        words = f"{self._round_name(match.node.round)}: {names[0]} against {names[1]}."
        pairing = match.pairing
        if match.state is State.NOT_NEEDED:
            return f"{self._round_name(match.node.round)}: not needed."
        if pairing is None:
            return f"{words} Not known yet."
        if pairing.results:
            words += f" {score(pairing.quarters[0])} to {score(pairing.quarters[1])}."
        if pairing.outcome is not None and match.winner is not None:
            return f"{words} {self._facts.entrants[match.winner].isolated} won. {pairing.outcome.words}"
        return f"{words} {'Playing now.' if live else 'To be played.'}"

    def _source(self, feeder: Feeder) -> str:
        if feeder.match is None:
            return f"seed {feeder.seed}"
        return f"the {feeder.takes.value} of {feeder.match}"

    def _wires(self, matches: Iterable[BracketMatch], places: dict[str, tuple[int, int]]) -> Iterable[Wire]:
        drawn: set[str] = set()
        for match in matches:
            for feeder in match.node.feeders:
                source = feeder.match
                if source is None or source not in places or source in drawn:
                    continue
                if feeder.takes is Takes.LOSER and match.node.side is not Side.FINAL:
                    continue
                drawn.add(source)
                (from_x, from_y), (to_x, to_y) = places[source], places[match.node.key]
                path = _elbow(from_x + BOX_WIDTH, from_y + BOX_HEIGHT // 2, to_x, to_y + BOX_HEIGHT // 2)
                yield self._wire(path, self._matches[source], is_needed=match.state is not State.NOT_NEEDED)

    def _wire(self, path: str, source: BracketMatch, *, is_needed: bool = True) -> Wire:
        if source.winner is None or not is_needed:
            return Wire(path, "open", None)
        return Wire(path, "title" if source.winner == self._winner else "won", source.winner)

    def _signs(
        self, matches: Sequence[BracketMatch], places: dict[str, tuple[int, int]]
    ) -> tuple[list[Sign], list[Wire]]:
        """Where the losers' bracket or a part of a large one leads, and where the losers' arrives."""
        root = _sided(matches)[-1]
        if words := self._leads_to(matches):
            x, y = places[root.node.key]
            x, y = x + BOX_WIDTH, y + BOX_HEIGHT // 2
            return [Sign(x + GAP + 6, y, words)], [self._wire(f"M{x} {y}H{x + GAP}", root)]
        final = next((match for match in matches if match.node.side is Side.FINAL), None)
        last = next((match for match in reversed(self._bracket.matches) if match.node.side is Side.LOSERS), None)
        if final is None or last is None:
            return [], []
        x, y = places[final.node.key]
        x, y = x + BOX_WIDTH // 2, y + BOX_HEIGHT
        sign = Sign(x + 10, y + 24, "from the losers\N{RIGHT SINGLE QUOTATION MARK} final")
        return [sign], [self._wire(f"M{x} {y + 30}V{y}", last)]

    def _leads_to(self, matches: Sequence[BracketMatch]) -> str:
        """Where the winner of these goes on, if that is drawn elsewhere; else empty."""
        won = Feeder(Takes.WINNER, match=_sided(matches)[-1].node.key)
        after = next((match for match in self._bracket.matches if won in match.node.feeders), None)
        if after is None or after.node.key in {match.node.key for match in matches}:
            return ""
        if after.node.side is Side.FINAL:
            return "to the grand final"
        name = self._round_name(after.node.round)
        return f"to {name[0].lower()}{name[1:]}"


def _sided(matches: Sequence[BracketMatch]) -> list[BracketMatch]:
    """Without the grand final, which is of no side."""
    return [match for match in matches if match.node.side is not Side.FINAL]


def _rows(matches: Sequence[BracketMatch]) -> dict[str, float]:
    """The row of each match of a side, from 0: what no drawn one feeds takes the next, others the middle of theirs."""
    among = {match.node.key: match for match in matches}
    rows: dict[str, float] = {}
    free = itertools.count()

    def place(match: BracketMatch) -> float:
        fed = [place(before) for before in feeding(match, among)]
        rows[match.node.key] = sum(fed) / len(fed) if fed else float(next(free))
        return rows[match.node.key]

    place(matches[-1])
    return rows


def _is_unplayed(pairing: Pairing) -> bool:
    """Whether it was given away without a match: its score would say that somebody played."""
    return pairing.outcome is Outcome.WALKOVER and not pairing.results


def _elbow(x: int, y: int, to_x: int, to_y: int) -> str:
    """A path from one point to another further right: across, up or down in the middle of the gap, across."""
    if y == to_y:
        return f"M{x} {y}H{to_x}"
    turn, curve = to_x - GAP // 2, min(CURVE, abs(to_y - y) // 2)
    step = curve if to_y > y else -curve
    return (
        f"M{x} {y}H{turn - curve}Q{turn} {y} {turn} {y + step}V{to_y - step}Q{turn} {to_y} {turn + curve} {to_y}H{to_x}"
    )
