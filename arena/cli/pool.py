"""Plays mirrored pairs in child processes, one or several at a time.

The bots' code never runs in the tool's own process: Ctrl-C then always reaches the tool, and a bot that ends its
process ends only that.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from types import TracebackType
from typing import NamedTuple, Self

from arena.cli.bots import HOUSE, NamedBot, refuse_unloadable
from arena.cli.terminal import Progress, UsageError
from arena.cli.timing import Timed, Timing
from arena.record import GameRecord
from arena.referee import bot_seed, play_game
from arena.rules import Rules

MAX_JOBS = 61
"""As many processes as Windows can wait for."""


class Fixture(NamedTuple):
    """A pair of games to play between two bots of the pool, by their places in it."""

    a: int
    b: int
    number: int
    """Of the pair, from 0; it picks the decks."""


@dataclass
class Pair:
    """A mirrored pair that was played."""

    fixture: Fixture
    games: tuple[GameRecord, ...]
    timings: tuple[Timing, Timing] = field(default_factory=lambda: (Timing(), Timing()))
    """Of bots A and B."""

    def score(self, side: int) -> float:
        """The games that a side won, 0 to 2, a draw counting half."""
        winners = [game.score().winner for game in self.games]
        return sum(0.5 if winner is None else float(winner == side) for winner in winners)

    def points(self, side: int) -> int:
        """The points of a side in both games."""
        return sum(game.score().points[side] for game in self.games)

    @property
    def hands(self) -> int:
        """The hands dealt in both games."""
        return sum(len(game.hands) for game in self.games)

    def faults(self, side: int) -> int:
        """The games that a side forfeited."""
        return sum(side in game.score().forfeits for game in self.games)


class PairPool:
    """Child processes that play pairs between given bots under given rules and a seed."""

    def __init__(self, bots: Sequence[NamedBot], rules: Rules, seed: bytes, jobs: int) -> None:
        self._bots = tuple(bots)
        self._jobs = jobs
        self._executor = ProcessPoolExecutor(
            jobs,
            # Children that begin afresh are the same on every system.
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(self._bots, rules, seed),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:  # what is being played is of no more use
            for child in multiprocessing.active_children():
                child.terminate()
        self._executor.shutdown(cancel_futures=True)

    def check(self) -> None:
        """Load every bot once. Raises UsageError for the first that cannot be."""
        for place, bot in enumerate(self._bots):
            try:
                with interrupt_held_back():
                    loading = self._executor.submit(_refuse, place)
                refusal = loading.result()
            except BrokenProcessPool:
                raise UsageError(f"{bot.name} ends the process that loads it.") from None
            if refusal:
                raise UsageError(refusal)

    def play(self, fixtures: Iterable[Fixture]) -> Iterator[Pair]:
        """The pairs in the order in which they are done. Raises ChildLost."""
        running: dict[Future[Pair], Fixture] = {}
        todo = iter(fixtures)
        while True:
            # Two for each child: it never waits, and little is lost when the rest is not wanted.
            while len(running) < 2 * self._jobs and (fixture := next(todo, None)) is not None:
                with interrupt_held_back():
                    running[self._executor.submit(_play, fixture)] = fixture
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                fixture = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    both = {self._bots[place].name for place in (fixture.a, fixture.b)}
                    suspects = {name for name in both if not name.startswith(HOUSE)} or both
                    names = " or ".join(sorted(suspects))
                    raise ChildLost(f"{names} ended the process that played, as sys.exit cannot.") from None


@contextmanager
def interrupt_held_back() -> Iterator[None]:
    """For handing in work, which is when children are made: they inherit that Ctrl-C waits, even while they import.

    In this process it comes through afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which lets Ctrl-C through again when it is first started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def play_out(
    bots: Sequence[NamedBot],
    fixtures: Sequence[Fixture],
    options: argparse.Namespace,
    seed: bytes,
    take: Callable[[Pair], str],
) -> int:
    """Play the fixtures under the options of `add_play_options`, and hand each pair to `take` when it is done.

    What `take` returns stands beside the progress. The result is the tool's exit status: what was done before Ctrl-C,
    or before a bot ended its process, has been taken. Raises UsageError.
    """
    done, status = 0, 0
    progress = Progress(len(fixtures), "pairs")
    try:
        with PairPool(bots, options.rules, seed, options.jobs) as pool:
            pool.check()
            for done, pair in enumerate(pool.play(fixtures), 1):
                progress.update(done, take(pair))
    except KeyboardInterrupt:
        progress.clear()
        print(f"Stopped after {done} of {len(fixtures)} pairs.", file=sys.stderr)
        status = 130
    except ChildLost as lost:
        progress.clear()
        print(lost, file=sys.stderr)
        status = 1
    progress.clear()
    return status


class ChildLost(Exception):  # noqa: N818 - what happened
    """A child process is gone; the text is a sentence on whose doing that was."""


_bots: tuple[NamedBot, ...]
_rules: Rules
_seed: bytes


def _begin(bots: tuple[NamedBot, ...], rules: Rules, seed: bytes) -> None:
    """What a child process keeps."""
    global _bots, _rules, _seed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the tool's own process decides what Ctrl-C means
    _bots, _rules, _seed = bots, rules, seed


def _refuse(place: int) -> str | None:
    return refuse_unloadable(_bots[place])


def _play(fixture: Fixture) -> Pair:
    pair = Pair(fixture, ())
    a, b = (Timed(_bots[place], timing) for place, timing in zip(fixture[:2], pair.timings, strict=True))
    games = []
    for number in (2 * fixture.number, 2 * fixture.number + 1):
        random.seed(bot_seed(_seed, number, 0))  # for bots that use it in place of `self.random`
        seats = (a, b) if number % 2 == 0 else (b, a)
        games.append(play_game(_rules, _seed, seats, number=number))
    pair.games = tuple(games)
    return pair
