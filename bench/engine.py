"""Measures the engine against its peers, in turns on one core, and prints how many times faster it is.

    pip install --requirement bench/requirements.txt
    python -m bench.engine --seconds 20

Every engine is driven from Python and draws its cards and its random moves from the same stream of numbers. Time is
CPU time of this process; the engines take turns every few hands, so that a busy machine slows all alike. OpenSpiel and
RLCard are played as their documentation plays them: a new state for every hand, and the environment. What a hand costs
from a copy of OpenSpiel's first state is printed as well, because making a new one is more than half of its time.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import cycle
from typing import Any, NamedTuple

import pyspiel

from arena.bots.simple import Simple
from arena.cards import DECK
from arena.deadwood import best_discard, least_deadwood, melds_with
from arena.hand import Hand
from arena.legal import Phase
from arena.local import LocalContestant
from arena.position import KNOCK, PASS, STOCK, UPCARD, Position
from arena.referee import play_game
from arena.rules import CLASSIC
from arena.showdown import outcome

Play = Callable[[], int]
"""Plays, and returns how many hands."""

_numbers = random.Random(20260101)
draw = cycle([_numbers.getrandbits(30) for _ in range(100_003)]).__next__
"""The next number of the stream that all engines share."""


class Player(NamedTuple):
    """A way to play hands."""

    name: str
    play: Play
    rounds: int
    """How often it plays in a turn, so that turns are about as long as the others'."""


class Contest(NamedTuple):
    """Ours against a peer's, and how many times faster it should be; None where nobody said."""

    title: str
    ours: Player
    peer: Player
    target: float | None


def shuffled() -> list[int]:
    left = list(range(52))
    return [left.pop(draw() % size) for size in range(52, 0, -1)]


# -- ours ---------------------------------------------------------------------------------------------------------


def random_position() -> int:
    position = Position(CLASSIC, shuffled(), draw() & 1)
    moves, play = position.moves, position.play
    while legal := moves():
        play(legal[draw() % len(legal)])
    outcome(position)
    return 1


def random_hand() -> int:
    hand = Hand(CLASSIC, [DECK[card] for card in shuffled()], draw() & 1)
    while hand.result is None:
        actions = hand.legal_actions()
        hand.apply(actions[draw() % len(actions)])
    return 1


_OFFER, _DRAW, _DISCARD = Phase.OFFER, Phase.DRAW, Phase.DISCARD


def simple_position() -> int:
    """Both seats take the upcard for a meld, keep the least deadwood and knock at once."""
    position = Position(CLASSIC, shuffled(), draw() & 1)
    play = position.play
    while True:
        phase = position.phase
        if phase is _DISCARD:
            points, card = best_discard(position.suits[position.turn], position.taken)
            play(KNOCK + card if points <= position.knock_limit else card)
        elif phase is _DRAW or phase is _OFFER:
            if not position.must_draw_stock and melds_with(position.suits[position.turn], position.pile[-1]):
                play(UPCARD)
            else:
                play(PASS if phase is _OFFER else STOCK)
        else:
            outcome(position)
            return 1


def simple_bots() -> int:
    """A game to 100 between two house bots, through views, events and the referee, as in a match."""
    seed = draw().to_bytes(16, "big")
    return len(play_game(CLASSIC, seed, (_simple, _simple)).hands)


_simple = LocalContestant(Simple)


# -- OpenSpiel ----------------------------------------------------------------------------------------------------

_game = pyspiel.load_game("gin_rummy")
_first_state = _game.new_initial_state()
_bots = [pyspiel.make_simple_gin_rummy_bot(_game.get_parameters(), seat) for seat in (0, 1)]


def openspiel_random(new_state: Callable[[], Any] = _game.new_initial_state) -> int:
    state = new_state()
    legal, apply, is_over = state.legal_actions, state.apply_action, state.is_terminal
    while not is_over():
        actions = legal()
        apply(actions[draw() % len(actions)])
    state.returns()
    return 1


def openspiel_random_from_a_copy() -> int:
    return openspiel_random(_first_state.clone)


def openspiel_simple() -> int:
    state = _game.new_initial_state()
    for bot in _bots:
        bot.restart()
    while not state.is_terminal():
        if state.is_chance_node():
            cards = state.legal_actions()
            state.apply_action(cards[draw() % len(cards)])
        else:
            state.apply_action(_bots[state.current_player()].step(state))
    state.returns()
    return 1


# -- RLCard -------------------------------------------------------------------------------------------------------


def rlcard_random() -> Play:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import rlcard

        environment = rlcard.make("gin-rummy")

    def play() -> int:
        state, _ = environment.reset()
        while not environment.is_over():
            actions = list(state["legal_actions"])
            state, _ = environment.step(actions[draw() % len(actions)])
        environment.get_payoffs()
        return 1

    return play


# -- measuring ----------------------------------------------------------------------------------------------------


def cpu_seconds(player: Player) -> float:
    """CPU seconds of a hand, over one turn of the player."""
    start = time.process_time()
    hands = sum(player.play() for _ in range(player.rounds))
    return (time.process_time() - start) / hands


def measure(contest: Contest, seconds: float) -> tuple[float, float]:
    """Both sides' mean CPU seconds of a hand, after a warm-up of each."""
    for _ in range(20):
        cpu_seconds(contest.ours)
    cpu_seconds(contest.peer)
    ours, peer = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ours.append(cpu_seconds(contest.ours))
        peer.append(cpu_seconds(contest.peer))
    return sum(ours) / len(ours), sum(peer) / len(peer)


def deadwood_microseconds(seconds: float) -> tuple[float, float, float]:
    """Microseconds for the least deadwood of ten cards: OpenSpiel's, ours of a new hand, ours of one seen before."""
    utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    theirs = new = known = 0.0
    hands = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        dealt = [shuffled()[:10] for _ in range(100)]
        masks = [sum(1 << card for card in cards) for cards in dealt]
        theirs += call_seconds(utils.min_deadwood, dealt)
        new += call_seconds(least_deadwood, masks)
        known += call_seconds(least_deadwood, masks * 10) / 10
        hands += len(dealt)
    return 1e6 * theirs / hands, 1e6 * new / hands, 1e6 * known / hands


def call_seconds(function: Callable[[Any], object], arguments: Sequence[Any]) -> float:
    start = time.process_time()
    for argument in arguments:
        function(argument)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the engine against OpenSpiel and RLCard.")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each comparison runs")
    seconds = parser.parse_args().seconds
    ours = Player("arena", random_position, 40)
    openspiel, openspiel_bots = Player("OpenSpiel", openspiel_random, 2), Player("OpenSpiel", openspiel_simple, 2)
    contests = (
        Contest("random play", ours, openspiel, 20),
        Contest("random play", ours, Player("RLCard", rlcard_random(), 1), 60),
        Contest("random play", ours, Player("OpenSpiel, copied state", openspiel_random_from_a_copy, 4), None),
        Contest("random play, named actions", Player("arena", random_hand, 15), openspiel, None),
        Contest("simple v simple", Player("arena", simple_position, 60), openspiel_bots, 25),
        Contest("house Simple, via views", Player("arena", simple_bots, 1), openspiel_bots, None),
    )
    load = os.getloadavg()[0]
    versions = ", ".join(f"{name} {version(name)}" for name in ("open_spiel", "rlcard"))
    print(f"Python {platform.python_version()}, {versions}")
    print(f"{os.cpu_count()} cores, load {load:.1f}; {seconds:.0f} seconds a line, CPU time\n")
    print(f"{'':28}{'hands/s':>9}  {'peer':24}{'hands/s':>9}{'ratio':>8}{'target':>8}")
    for contest in contests:
        mine, other = measure(contest, seconds)
        target = "" if contest.target is None else f"{contest.target:.0f}"
        print(
            f"{contest.title:28}{1 / mine:9.0f}  {contest.peer.name:24}{1 / other:9.0f}{other / mine:8.1f}{target:>8}",
            flush=True,
        )
    theirs, new, known = deadwood_microseconds(seconds)
    print(f"\nleast deadwood of ten cards: {new:.2f} us new, {known:.3f} us seen before; OpenSpiel {theirs:.2f} us")


if __name__ == "__main__":
    main()
