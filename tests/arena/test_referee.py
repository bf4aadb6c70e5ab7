from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from arena.actions import Action, Discard, Draw
from arena.bot import GameEnd, GameEnding, GameStart
from arena.bots.simple import Simple
from arena.cards import Card
from arena.decks import deal
from arena.events import Event, HandEnded, HandStarted
from arena.legal import Phase
from arena.local import LocalContestant
from arena.player import BotFault, FaultKind, HouseFailure
from arena.prints import prints_of
from arena.record import GameRecord, MatchRecord, game_seed
from arena.referee import bot_seed, play_game, play_match
from arena.rules import CLASSIC, Rules
from arena.steps import steps
from arena.view import View

SEED = bytes(range(32))
SHORT = Rules("short", target=30)


class Scripted:
    """A contestant that draws from the stock and throws its highest card, but for what a test makes it do."""

    def __init__(
        self,
        decide: Callable[[View, int], Action | None] = lambda view, count: None,
        on_start: Callable[[GameStart], None] = lambda start: None,
        on_end: Callable[[GameEnd], None] = lambda end: None,
    ) -> None:
        self.script, self.on_start, self.on_end = decide, on_start, on_end
        self.players: list[ScriptedPlayer] = []

    def new_player(self) -> ScriptedPlayer:
        self.players.append(ScriptedPlayer(self))
        return self.players[-1]


class ScriptedPlayer:
    def __init__(self, contestant: Scripted) -> None:
        self.contestant = contestant
        self.starts: list[GameStart] = []
        self.events: list[Event] = []
        self.views: list[View] = []
        self.ends: list[GameEnd] = []
        self.closed = 0
        self.log = ""
        self.spent = 0.0

    def start(self, start: GameStart) -> None:
        self.starts.append(start)
        self.contestant.on_start(start)

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        self.events += events
        self.views.append(view)
        self.spent += 0.001
        self.log = f"decided {len(self.views)} times"
        action = self.contestant.script(view, len(self.views))
        if action is not None:
            return action
        if view.decision is Phase.DISCARD and not view.knock_options:
            return Discard(max(view.legal_discards, key=lambda card: (card.points, card)))
        if view.knock_options:
            return view.knock_options[0]
        return view.legal[-1]

    def end(self, end: GameEnd) -> None:
        self.ends.append(end)
        self.contestant.on_end(end)

    def close(self) -> None:
        self.closed += 1


def raising(error: Exception) -> Callable[..., Any]:
    def raise_it(*_: object) -> None:
        raise error

    return raise_it


def at_decision(number: int, does: Callable[[View], Action]) -> Callable[[View, int], Action | None]:
    return lambda view, count: does(view) if count == number else None


def play(first: Any, second: Any, rules: Rules = SHORT) -> GameRecord:
    record = play_game(rules, SEED, (first, second))
    record.replay()
    return record


def test_a_pair_shares_its_decks_with_the_seats_swapped() -> None:
    a, b = Scripted(), Scripted()
    play_match(SHORT, SEED, a, b)
    first, second = a.players
    assert [first.starts[0].seat, second.starts[0].seat] == [0, 1]
    assert [player.starts[0].seat for player in b.players] == [1, 0]
    for own, other in ((a.players[0], b.players[1]), (b.players[0], a.players[1])):
        dealt = [(event.cards, event.upcard) for event in own.events if isinstance(event, HandStarted)]
        mirrored = [(event.cards, event.upcard) for event in other.events if isinstance(event, HandStarted)]
        assert dealt
        assert dealt == mirrored


def test_a_deterministic_bot_against_itself_scores_exactly_half() -> None:
    for number in range(12):
        record = play_match(CLASSIC, bytes([number]) * 32, Scripted(), Scripted())
        assert record.score_quarters() == 2
        assert record.games[0].hands[0].actions == record.games[1].hands[0].actions


def test_every_pair_has_decks_of_its_own() -> None:
    record = play_match(SHORT, SEED, Scripted(), Scripted(), pairs=2)
    assert [game.number for game in record.games] == [0, 1, 2, 3]
    seeds = [game.seed for game in record.games]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3]


def test_every_game_gets_a_fresh_player_and_closes_it() -> None:
    a, b = Scripted(), Scripted()
    play_match(SHORT, SEED, a, b)
    assert [len(side.players) for side in (a, b)] == [2, 2]
    assert all(player.closed for side in (a, b) for player in side.players)


def test_players_hear_the_whole_game_and_how_it_ended() -> None:
    a, b = Scripted(), Scripted()
    record = play(a, b)
    for player, seat in ((a.players[0], 0), (b.players[0], 1)):
        (end,) = player.ends
        assert (end.ending, end.winner, end.scores) == (GameEnding.TARGET, record.winner, record.scores)
        hands = [event for event in (*player.events, *end.events) if isinstance(event, HandEnded)]
        assert len(hands) == len(record.hands)
        assert hands[-1].scores == record.scores
        assert all(view.seat == seat and view.decision for view in player.views)


def test_the_record_holds_times_and_logs() -> None:
    a, b = Scripted(), Scripted()
    record = play(a, b)
    seconds = [second for hand in record.hands for _, second in hand.moves()]
    assert seconds == pytest.approx([0.001] * len(seconds), rel=0.16)
    assert record.logs == (a.players[0].log, b.players[0].log)
    assert "decided" in record.logs[0]


class Talker(Simple):
    """Says what it sees when it decides, and a word at the beginning, after the game and wherever it fails."""

    fails_at = 0

    def start_game(self, start: GameStart) -> None:
        super().start_game(start)
        print("hello")

    def choose_draw(self, view: View) -> Draw:
        print(f"{view.stock_size} in the stock, {' '.join(map(str, view.hand))}")
        if view.turns + 1 == self.fails_at:
            raise RuntimeError
        return super().choose_draw(view)

    def end_game(self, end: GameEnd) -> None:
        print("over")


def test_each_print_stands_at_the_step_it_came_with() -> None:
    record = play(LocalContestant(Talker), LocalContestant(Simple), CLASSIC)
    found = list(steps(record))
    (first, *middle, last) = prints_of(record.logs[0], record.marks[0])
    assert (first, last) == ((0, "hello\n"), (len(found) - 1, "over\n"))
    # What it said is the table as it was before that step.
    decisions = [step for step in found if step.actor == 0 and step.kind in {"draw", "pass"}]
    before = [found[step.number - 1] for step in decisions]
    assert [step for step, _ in middle] == [step.number for step in decisions]
    assert [text for _, text in middle] == [
        f"{step.stock_size} in the stock, {' '.join(map(str, step.seats[0].cards))}\n" for step in before
    ]
    assert record.marks[1] == ()


def test_what_led_to_a_fault_stands_at_the_fault() -> None:
    record = play(LocalContestant(Simple), LocalContestant(type("Failing", (Talker,), {"fails_at": 3})), CLASSIC)
    *_, (step, _) = prints_of(record.logs[1], record.marks[1])
    assert [found.number for found in steps(record) if found.kind == "fault"] == [step]


def test_no_two_games_or_seats_share_a_bot_seed_and_none_gives_the_decks_away() -> None:
    seeds = [bot_seed(SEED, number, seat) for number in range(4) for seat in (0, 1)]
    assert len(set(seeds)) == 8
    for seed in seeds:
        assert len(bytes.fromhex(seed)) == 16
        assert seed not in SEED.hex()
        assert deal(bytes.fromhex(seed), 0) != deal(game_seed(SEED, 0), 0)
    a, b = Scripted(), Scripted()
    play_match(SHORT, SEED, a, b)
    assert [player.starts[0].seed for player in (*a.players, *b.players)] == [seeds[0], seeds[3], seeds[1], seeds[2]]


def test_a_short_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        play_match(CLASSIC, b"short", Scripted(), Scripted())


@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_in_a_decision_forfeits_the_game(seat: int) -> None:
    error = BotFault(FaultKind.TIME, "too slow", traceback="T", file="bot.py", line=3)
    bad, good = Scripted(at_decision(3, raising(error))), Scripted()
    record = play(*((bad, good) if seat == 0 else (good, bad)))
    assert (record.ending, record.winner) == (GameEnding.FAULT, 1 - seat)
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.message) == (seat, FaultKind.TIME, "too slow")
    assert (fault.traceback, fault.file, fault.line) == ("T", "bot.py", 3)
    assert (fault.hand, fault.move) == (1, len(record.hands[0].times))
    assert not good.players[0].ends
    assert good.players[0].closed


@pytest.mark.parametrize(
    ("at", "action", "says"),
    [
        (1, lambda view: Draw.STOCK, "answered by taking it or passing"),
        (1, lambda view: Discard(view.hand[0]), "is not an answer here"),
        (2, lambda view: Discard(next(Card(n) for n in range(52) if n not in view.hand)), "is not in the hand"),
        (2, lambda view: Draw.STOCK, "is not an answer here"),
    ],
)
def test_an_illegal_action_forfeits_the_game(at: int, action: Callable[[View], Action], says: str) -> None:
    record = play(Scripted(), Scripted(at_decision(at, action) if at == 1 else _taking(action)))
    assert record.winner == 0
    assert record.fault is not None
    assert record.fault.kind is FaultKind.ILLEGAL
    assert says in record.fault.message


def _taking(action: Callable[[View], Action]) -> Callable[[View, int], Action | None]:
    """Take the upcard, then do the wrong thing."""
    return lambda view, count: Draw.UPCARD if count == 1 else action(view)


@pytest.mark.parametrize("hook", ["on_start", "on_end"])
@pytest.mark.parametrize("failing", [(0,), (1,), (0, 1)])
def test_a_fault_at_the_start_or_the_end_forfeits_the_game(hook: str, failing: tuple[int, ...]) -> None:
    error = BotFault(FaultKind.EXCEPTION, "boom")
    sides = [Scripted(**{hook: raising(error)}) if seat in failing else Scripted() for seat in (0, 1)]
    record = play(sides[0], sides[1])
    assert record.ending is GameEnding.FAULT
    assert record.winner == (1 - failing[0] if len(failing) == 1 else None)
    assert [fault.seat for fault in record.faults] == list(failing)
    assert all(len(side.players[0].starts) == 1 for side in sides)


def test_who_fails_in_one_game_of_a_split_pair_has_fewer_points() -> None:
    crashing = Scripted(lambda view, count: raising(BotFault(FaultKind.CRASH, "gone"))() if view.seat == 0 else None)
    record = play_match(SHORT, SEED, crashing, Scripted())
    assert record.games[0].winner == 1
    assert record.score_quarters() == (1 if record.games[1].winner == 1 else 0)


@pytest.mark.parametrize(
    "contestant",
    [
        Scripted(raising(HouseFailure("engine gone"))),
        Scripted(on_start=raising(HouseFailure("engine gone"))),
        Scripted(on_end=raising(HouseFailure("engine gone"))),
    ],
    ids=["decide", "start", "end"],
)
def test_a_house_failure_ends_the_match_and_closes_the_players(contestant: Scripted) -> None:
    other = Scripted()
    with pytest.raises(HouseFailure):
        play_match(SHORT, SEED, other, contestant)
    assert other.players[0].closed
    assert contestant.players[0].closed


def test_a_house_failure_at_the_second_player_closes_the_first() -> None:
    class Absent:
        def new_player(self) -> ScriptedPlayer:
            raise HouseFailure("no box")

    first = Scripted()
    with pytest.raises(HouseFailure):
        play_match(SHORT, SEED, first, Absent())
    assert first.players[0].closed


def test_the_callback_comes_after_every_hand_and_its_error_ends_the_match() -> None:
    calls: list[tuple[int, int]] = []
    record = play_match(
        SHORT, SEED, Scripted(), Scripted(), on_hand=lambda number, game: calls.append((number, game.hands_played))
    )
    assert calls == [(game.number, hand) for game in record.games for hand in range(1, len(game.hands) + 1)]
    side = Scripted()
    with pytest.raises(LookupError):
        play_match(SHORT, SEED, side, Scripted(), on_hand=raising(LookupError()))
    assert side.players[0].closed


def test_a_game_in_which_nobody_scores_is_a_draw() -> None:
    never = Scripted(
        lambda view, count: view.legal[-1] if view.decision is not Phase.DISCARD else Discard(view.legal_discards[0])
    )
    record = play(never, never, Rules("stubborn", hand_cap=3, knock_limit=0))
    assert (record.ending, record.winner, record.scores, len(record.hands)) == (GameEnding.HAND_CAP, None, (0, 0), 3)


def test_real_bots_play_the_same_match_from_the_same_seed() -> None:
    def match() -> MatchRecord:
        return play_match(CLASSIC, SEED, LocalContestant(Simple), LocalContestant(Simple))

    first, second = match(), match()
    assert [[hand.actions for hand in game.hands] for game in first.games] == [
        [hand.actions for hand in game.hands] for game in second.games
    ]
    assert all(game.ending is GameEnding.TARGET for game in first.games)
    assert not any(game.faults for game in first.games)
