"""What tournament pages show, made of an `arena.tournament.Tournament` and plain mappings: no request, no database.

A view gathers the `Facts` and hands a template what these functions give, under the name that it expects:

    facts = Facts(entrants={id: Entrant(name, url, owner, milli)}, match_urls={result.key: url}, live={key, ...},
                  round_url=lambda number: reverse("tournaments:round", args=[slug, number]))

    tournaments/_bracket.html     bracket=bracket.draw(cup, facts)             None without a knockout, or not yet
    tournaments/_standings.html   table=tables.standings(cup, facts)           and once for each of tables.groups(...)
    tournaments/_crosstable.html  table=...                                    for each of crosstable.cross_tables(...)
    tournaments/_rounds.html      rounds=rounds.rounds(cup, facts)             or some of them, by their numbers
    tournaments/_report.html      report=report.final_report(cup, facts, ...)  None until it is over

The page links `css/tournament.css` and, for the bracket, the module `js/bracket.js`. A pairing of one match links to
that match; one of several links to its line among the rounds, at `round_url(its round)`, where each match has a link.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from arena.elo import MAX_QUARTERS
from arena.tournament import Pairing

MatchKey = tuple[int, frozenset[int], int]
"""As `arena.tournament.Result.key` has it: the round, the two entrants, and which match of the pairing, from 1."""

QUARTERS = ("", "\N{VULGAR FRACTION ONE QUARTER}", "\N{VULGAR FRACTION ONE HALF}", "\N{VULGAR FRACTION THREE QUARTERS}")
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


@dataclass(frozen=True, slots=True)
class Entrant:
    """What is shown of an entrant."""

    name: str
    url: str = ""
    owner: str = ""
    milli: int | None = None
    """Its Elo when entries closed, in thousandths of a point; upsets are told by it."""
    reason: str = ""
    """Why it was disqualified."""

    @property
    def isolated(self) -> str:
        """The name for running text: in whatever direction it is written, it leaves its surroundings as they are."""
        return f"{ISOLATE}{self.name}{END_ISOLATE}"


def _this_page(_round: int) -> str:
    return ""


@dataclass(frozen=True)
class Facts:
    """What is shown beside what the tournament itself knows."""

    entrants: Mapping[int, Entrant]
    """Every entrant of the tournament."""
    match_urls: Mapping[MatchKey, str] = field(default_factory=dict)
    """The pages of the matches that exist, played or not."""
    live: Collection[MatchKey] = frozenset()
    """The matches that are being played now."""
    round_url: Callable[[int], str] = _this_page
    """The address of the page that lists a round's pairings, by its number."""

    def pairing_url(self, pairing: Pairing) -> str:
        """Where a reader finds what was played: the match if there is one alone, else the pairing among the rounds."""
        if pairing.matches == 1:
            url = self.match_urls.get(match_key(pairing, 1))
            if url is not None:
                return url
        return f"{self.round_url(pairing.round)}#{anchor(pairing)}"

    def is_live(self, pairing: Pairing) -> bool:
        """Whether one of its matches is being played now."""
        return any(match_key(pairing, match.number) in self.live for match in pairing.missing)


def match_key(pairing: Pairing, number: int) -> MatchKey:
    """The key of a match of a pairing."""
    return pairing.round, frozenset((pairing.first, pairing.second)), number


def anchor(pairing: Pairing) -> str:
    """The id of a pairing's line among the rounds."""
    return f"pairing-{pairing.round}-{pairing.first}-{pairing.second}"


def score(quarters: int) -> str:
    """A score as people write it: 11 quarters are "2¾"."""
    whole, rest = divmod(quarters, MAX_QUARTERS)
    return f"{whole or ''}{QUARTERS[rest]}" or "0"


def shortened(name: str, ems: float) -> str:
    """The name, isolated, cut with an ellipsis where it would be wider than so many ems in an ordinary typeface."""
    room = ems - _width(name[:1])
    for index in range(1, len(name)):
        if _extends(name, index):
            continue
        room -= _width(name[index])
        if room < 0:
            # The ellipsis takes the place of the last letters that fitted.
            cut = _fitting(name, ems - 1.0)
            return f"{ISOLATE}{name[:cut].rstrip()}\N{HORIZONTAL ELLIPSIS}{END_ISOLATE}"
    return f"{ISOLATE}{name}{END_ISOLATE}"


def _fitting(name: str, ems: float) -> int:
    """How many characters of a name fit, without parting what is drawn as one."""
    fits = 0
    used = 0.0
    for index, character in enumerate(name):
        if index and _extends(name, index):
            continue
        if used > ems:
            break
        fits = index
        used += _width(character)
    return max(fits, 1)


def _extends(name: str, index: int) -> bool:
    """Whether the character there belongs to the one before: accents, joined emoji and their skin tones."""
    joiner = "\N{ZERO WIDTH JOINER}"
    character = name[index]
    return (
        unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf")
        or name[index - 1] == joiner
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def _width(character: str) -> float:
    """About how many ems it takes, rather too many than too few."""
    if unicodedata.east_asian_width(character) in "WF":
        return 1.1
    if character in "iIjl.,:;'|!()[] ":
        return 0.34
    if character in "ftr-":
        return 0.45
    if character in "mwMW@%":
        return 0.95
    return 0.72 if character.isupper() else 0.6
