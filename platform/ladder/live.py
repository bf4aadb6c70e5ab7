"""Matches that are being played, hand by hand: what workers tell of them, and what readers may know.

Only how each finished hand ended. Its cards stay secret until the match is over, for both games of a match are dealt
from the same decks. It lies in the shared cache: nobody misses it when it is lost, and it is gone when the match is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.core.cache import cache
from django.db import DatabaseError, InterfaceError
from django.db.models import Prefetch, QuerySet

from arena.events import HandEnding
from arena.game import Game
from ladder.models import Match, Seat

EVERY = 1.0
"""Seconds between two writes of a match at least; one that is over sooner writes nothing."""
KEPT = 120
"""Seconds after which a match that tells nothing new is forgotten, for its worker is gone."""

AWAY = (DatabaseError, InterfaceError)
"""The database that keeps the cache is busy or gone."""


@dataclass(frozen=True)
class LiveHand:
    """A finished hand. `winner` is the side of the match, 0 or 1, or None; `scores` are the game's, by side."""

    game: int
    """From 0."""
    number: int
    """From 1 within the game."""
    ending: HandEnding
    winner: int | None
    points: int
    scores: tuple[int, int]

    @property
    def place(self) -> int:
        """The game's number as people count, from 1."""
        return self.game + 1

    @property
    def how(self) -> str:
        """The ending in words, such as "big gin"."""
        return self.ending.value.replace("-", " ")


@dataclass(frozen=True)
class LiveMatch:
    """A match that is being played, with its finished hands in order."""

    match: Match
    seats: tuple[Seat, Seat]
    hands: tuple[LiveHand, ...]

    @property
    def newest(self) -> LiveHand | None:
        """The hand that ended last, as far as it is told."""
        return self.hands[-1] if self.hands else None


class Broadcast:
    """Tells of one attempt at a match, from the worker that plays it."""

    def __init__(self, match_id: int, attempt: int) -> None:
        self._key = _key(match_id, attempt)
        self._hands: list[LiveHand] = []
        self._told = time.monotonic()
        self._is_kept = False

    def after_hand(self, number: int, game: Game) -> None:
        """Take note of the hand that has just ended in game `number`, and tell of it unless it is too soon."""
        result, swapped = game.results[-1], number % 2
        winner = None if result.winner is None else result.winner ^ swapped
        scores = (game.scores[swapped], game.scores[1 - swapped])
        self._hands.append(LiveHand(number, game.hands_played, result.ending, winner, result.points, scores))
        if time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            with suppress(*AWAY):  # a match goes on without spectators
                cache.set(self._key, self._hands, KEPT)
                self._is_kept = True

    def end(self) -> None:
        """The match is over, or this worker plays it no more."""
        if self._is_kept:
            with suppress(*AWAY):  # it expires
                cache.delete(self._key)


def live_match(match_id: int) -> LiveMatch | None:
    """The match as it stands now; None unless it is being played."""
    match = _running().filter(pk=match_id).first()
    return None if match is None else _live(match, cache.get(_key(match.pk, match.attempt), ()))


def now_playing(*, limit: int = 3) -> list[LiveMatch]:
    """Some of the matches that are being played, no private ones, those with most to tell first."""
    running = list(_running().filter(is_private=False).order_by("-pk")[: 4 * limit])
    told = cache.get_many([_key(match.pk, match.attempt) for match in running])
    found = [_live(match, told.get(_key(match.pk, match.attempt), ())) for match in running]
    return sorted(found, key=lambda live: -len(live.hands))[:limit]


def _running() -> QuerySet[Match]:
    seats = Seat.objects.select_related("bot").only("match", "index", "bot__name", "bot__slug").order_by("index")
    return Match.objects.filter(state=Match.State.RUNNING).prefetch_related(Prefetch("seats", queryset=seats))


def _live(match: Match, hands: Sequence[LiveHand]) -> LiveMatch:
    first, second = match.seats.all()
    return LiveMatch(match, (first, second), tuple(hands))


def _key(match_id: int, attempt: int) -> str:
    return f"live-{match_id}-{attempt}"
