"""Players of the EAAI challenge: the order of their calls, their habits, and whole games of two in its style."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena import Card, Discard, Draw, HandEnding, LayOff, Meld, Phase, View, mask_of, parse_cards
from arena.actions import Defend
from arena.bots import house_source
from arena.compat import CARDS, wrap
from arena.events import Defended, Discarded, Drew, HandEnded, HandStarted, Shown
from arena.hand import Hand
from arena.loader import load_bot
from arena.local import UploadContestant
from arena.record import GameRecord
from arena.referee import play_match
from arena.rules import CLASSIC, RULE_SETS

FOLDER = Path(__file__).parent / "eaai"
SEED = bytes(range(16))


def upload(name: str, **more: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (FOLDER / name).glob("*.py")} | more


def contestant(files: dict[str, str]) -> UploadContestant:
    return UploadContestant(files, "bot.py")


TABLES, NUMBERS = upload("tables"), upload("numbers")
LOGGED = """
import arena.compat, player
from functools import partialmethod

def told(self, method, *arguments):
    def words(value):
        if isinstance(value, list):
            return "[" + " ".join(map(words, value)) + "]"
        return str(int(value)) if value is not None else "-"
    answer = getattr(player.NumberPlayer, method)(self, *arguments)
    shown = words(answer) if method in ("willDrawFaceUpCard", "getDiscard") else ""
    print("CALL", method, *map(words, arguments), shown)
    return answer

METHODS = ("startGame willDrawFaceUpCard reportDraw getDiscard reportDiscard getFinalMelds reportFinalMelds"
           " reportScores reportLayoff reportFinalHand")
Logged = type("Logged", (player.NumberPlayer,), {name: partialmethod(told, name) for name in METHODS.split()})
Bot = arena.compat.wrap(Logged)
"""


def test_its_bot_is_two_lines_beside_its_own_modules() -> None:
    assert set(TABLES) == {"bot.py", "player.py", "cards.py", "melding.py"}
    for files, name in ((TABLES, "TablePlayer"), (NUMBERS, "NumberPlayer")):
        assert len(files["bot.py"].splitlines()) == 2
        bot = load_bot(files, "bot.py")
        assert bot.__name__ == name
        assert bot.__doc__ is not None


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_they_play_whole_games_without_a_fault_under_any_rules(rules: object) -> None:
    """The table player asserts in every method that it is called in turn and with the cards of its own table."""
    assert isinstance(rules, type(CLASSIC))
    record = play_match(rules, SEED, contestant(TABLES), contestant(NUMBERS))
    assert [fault for game in record.games for fault in game.faults] == []
    record.replay()
    assert sum(len(game.hands) for game in record.games) > 3


def test_they_knock_defend_lay_off_undercut_and_go_gin() -> None:
    """Enough games for everything that a hand can come to, on either side."""
    record = play_match(CLASSIC, SEED, contestant(TABLES), contestant(NUMBERS), pairs=3)
    assert [fault for game in record.games for fault in game.faults] == []
    seen = set()
    laid_off = set()
    for game in record.games:
        for result in game.replay().results:
            side = None if result.knocker is None else game.side_of(result.knocker)
            seen.add((result.ending, side))
            if result.defence and result.defence.layoffs and side is not None:
                laid_off.add(1 - side)
    assert {(HandEnding.KNOCK, 0), (HandEnding.KNOCK, 1)} <= seen
    assert {ending for ending, _ in seen} >= {HandEnding.UNDERCUT, HandEnding.GIN}
    assert laid_off == {0, 1}


def test_a_game_can_be_played_again_exactly() -> None:
    """The number player takes its chances from Python's own randomness."""
    files = NUMBERS | {"bot.py": NUMBERS["bot.py"]}
    first, second = (play_match(CLASSIC, SEED, contestant(files), contestant(files)) for _ in range(2))
    assert [game.scores for game in first.games] == [game.scores for game in second.games]
    assert [[hand.actions for hand in game.hands] for game in first.games] == [
        [hand.actions for hand in game.hands] for game in second.games
    ]


def words(cards: object) -> str:
    if isinstance(cards, list | tuple):
        return "[" + " ".join(words(card) for card in cards) + "]"
    assert isinstance(cards, int)
    return str(int(cards))


def melds_shown(melds: tuple[Meld, ...]) -> str:
    return words([list(meld.cards) for meld in melds])


def challenge_calls(game: GameRecord, seat: int) -> Iterator[str]:
    """What the challenge's game would call on the player in a seat, told from the hands as they were played."""
    state = game.replay()
    scores = [0, 0]
    for hand in state.hands:
        yield f"startGame {seat} {1 - hand.dealer} {words(hand.dealt(seat))} "
        knocked = False
        pile = [hand.first_upcard]
        for step in hand.steps:
            mine = step.seat == seat
            match step.action:
                case Draw() as draw:
                    is_offer = draw is not Draw.STOCK or not both_passed(hand, step)
                    if mine and is_offer:
                        yield f"willDrawFaceUpCard {words(pile[-1])} {int(draw is Draw.UPCARD)}"
                    if draw is Draw.PASS:
                        continue
                    card = pile.pop() if draw is Draw.UPCARD else step.card
                    known = mine or draw is Draw.UPCARD
                    yield f"reportDraw {step.seat} {words(card) if known else '-'} "
                case Discard(card, knock):
                    if mine:
                        yield f"getDiscard {words(card)}"
                    yield f"reportDiscard {step.seat} {words(card)} "
                    pile.append(card)
                    knocked = knock
                    if mine:
                        yield "getFinalMelds "
                case Defend() | _:
                    pass
        result = hand.result
        assert result is not None
        if knocked:
            knocker, shown, defence = result.knocker, result.knocker_arrangement, result.defence
            assert knocker is not None
            assert shown is not None
            assert defence is not None
            yield f"reportFinalMelds {knocker} {melds_shown(shown.melds)} "
            if knocker != seat:
                yield "getFinalMelds "
            yield f"reportFinalMelds {1 - knocker} {melds_shown(defence.arrangement.melds)} "
            melds = [list(meld.cards) for meld in shown.melds]
            for layoff in defence.layoffs:
                yield f"reportLayoff {1 - knocker} {words(layoff.card)} {words(melds[layoff.meld_index])} "
                melds[layoff.meld_index].append(layoff.card)
        for other in (0, 1):
            if knocked or other == seat:
                yield f"reportFinalHand {other} {words(result.hands[other])} "
        if result.winner is not None:
            scores[result.winner] += result.points
        yield f"reportScores {words(scores)} "


def both_passed(hand: Hand, step: object) -> bool:
    """Whether this is the draw after both left the first upcard."""
    before = hand.steps[: hand.steps.index(step)]
    return [other.action for other in before] == [Draw.PASS, Draw.PASS]


def test_they_are_called_as_in_the_challenges_own_game() -> None:
    logged = contestant(NUMBERS | {"bot.py": LOGGED})
    record = play_match(CLASSIC, SEED, logged, contestant({"bot.py": house_source("simple")}), pairs=2)
    kinds = set()
    for game in record.games:
        assert game.faults == ()
        seat = game.side_of(0)
        calls = [line.removeprefix("CALL ") for line in game.logs[seat].splitlines() if line.startswith("CALL ")]
        expected = list(challenge_calls(game, seat))
        assert calls == expected[: len(calls)]
        # A log is kept to its first 64 Ki characters; no game here is longer.
        assert len(calls) == len(expected)
        kinds |= {call.split()[0] for call in calls}
    assert len(kinds) == 10


def view(decision: Phase, cards: str, upcard: str, **more: object) -> View:
    hand = tuple(sorted(parse_cards(cards)))
    known: dict[str, object] = {
        "seat": 0, "rules": CLASSIC, "decision": decision, "hand": hand, "mask": mask_of(hand),
        "upcard": Card.parse(upcard), "discard_pile": (Card.parse(upcard),), "known_opponent_cards": (),
        "stock_size": 20, "dealer": 1, "scores": (0, 0), "hand_number": 1, "turns": 4, "knock_limit": 10,
    }  # fmt: skip
    return View(**(known | more))  # type: ignore[arg-type]


class Scripted:
    """Gives the answers it was given and notes what it was told."""

    def __init__(self, **answers: object) -> None:
        self.answers = answers
        self.told: list[tuple[object, ...]] = []

    def __getattr__(self, name: str) -> object:
        def call(*arguments: object) -> object:
            self.told.append((name, *arguments))
            return self.answers.get(name)

        return call


def play(player: Scripted, cards: list[object] | None = None) -> Any:
    bot = wrap(lambda: player, cards=cards)()
    bot.start_hand(HandStarted(1, 1, parse_cards("As 2s 3s 4h 5h 6h 8c 9c Tc Kd"), Card.parse("Qh"), (0, 0)))
    return bot


HAND = "As 2s 3s 4h 5h 6h 8c 9c Tc Kd 9d"
RUNS = [[26, 27, 28], [16, 17, 18], [7, 8, 9]]


def test_none_means_to_play_on_and_melds_mean_to_knock() -> None:
    bot = play(Scripted(getDiscard=51, getFinalMelds=None))
    choice = view(Phase.DISCARD, HAND, "2h", drawn=Card.parse("9d"))
    assert bot.choose_discard(choice) == Discard(Card.parse("Kd"))
    bot = play(Scripted(getDiscard=51, getFinalMelds=RUNS))
    assert bot.choose_discard(choice) == Discard(Card.parse("Kd"), knock=True)
    arranged = bot.arrange(view(Phase.ARRANGE, HAND.replace(" Kd", ""), "Kd"))
    assert list(map(str, arranged)) == ["As2s3s", "4h5h6h", "8c9cTc"]


def test_a_rule_set_that_wants_less_deadwood_than_the_challenge_lets_it_play_on() -> None:
    bot = play(Scripted(getDiscard=51, getFinalMelds=RUNS))
    for limit, knocks in ((9, True), (8, False), (0, False)):
        choice = view(Phase.DISCARD, HAND, "2h", drawn=Card.parse("9d"), knock_limit=limit)
        assert bot.choose_discard(choice).knock is knocks
    # More than the challenge's own ten is the player's mistake, and forfeits there as here.
    bot = play(Scripted(getDiscard=51, getFinalMelds=RUNS[:2]))
    assert bot.choose_discard(view(Phase.DISCARD, HAND, "2h")).knock


def test_an_illegal_discard_is_left_to_the_referee_and_never_reported() -> None:
    player = Scripted(getDiscard=35, getFinalMelds=RUNS)  # the ten of spades is not in the hand
    choice = play(player).choose_discard(view(Phase.DISCARD, HAND, "2h"))
    assert choice == Discard(Card.parse("Ts"))
    assert [told[0] for told in player.told] == ["startGame", "getDiscard"]


@pytest.mark.parametrize("answer", [None, "KD", 52, -1, True, 3.0, object()])
def test_what_is_no_card_is_told_by_the_methods_name(answer: object) -> None:
    with pytest.raises(TypeError, match="getDiscard must give cards"):
        play(Scripted(getDiscard=answer)).choose_discard(view(Phase.DISCARD, HAND, "2h"))


def test_what_is_no_meld_is_told() -> None:
    bot = play(Scripted(getDiscard=51, getFinalMelds=[[0, 1, 15]]))
    with pytest.raises(ValueError, match="Ac2c3h is not a meld"):
        bot.choose_discard(view(Phase.DISCARD, HAND, "2h"))


def test_a_defender_without_melds_leaves_them_to_the_arena() -> None:
    shown = (Meld.parse("7c7h7d"),)
    bot = play(Scripted(getFinalMelds=None))
    assert bot.arrange(view(Phase.DEFEND, HAND[:29], "2h", knocker_melds=shown)) is None
    bot = play(Scripted(getFinalMelds=[RUNS[0], []]))
    melds = bot.arrange(view(Phase.DEFEND, HAND[:29], "2h", knocker_melds=shown))
    assert list(map(str, melds)) == ["As2s3s"]


def test_a_knock_of_the_opponents_is_reported_with_each_layoff_on_the_meld_as_it_was() -> None:
    player = Scripted(getFinalMelds=[])
    bot = play(player)
    runs = (Meld.parse("3d4d5d"), Meld.parse("QsQhQd"))
    events = (
        Drew(1, Draw.STOCK, None),
        Discarded(1, Card.parse("2h"), knock=True),
        Shown(1, runs, parse_cards("2c")),
        Defended(0, (Meld.parse("As2s3s"),), (LayOff(Card.parse("6d"), 0), LayOff(Card.parse("7d"), 0)), ()),
    )
    for event in events:
        bot.observe(event)
    ended = HandEnded(HandEnding.KNOCK, 1, 30, (0, 30), parse_cards("2c 3d 4d 5d Qs Qh Qd"))
    bot.end_hand(ended)
    assert player.told[1:] == [
        ("reportDraw", 1, None),
        ("reportDiscard", 1, 14),
        ("reportFinalMelds", 1, [[41, 42, 43], [24, 37, 50]]),
        ("reportFinalMelds", 0, [[26, 27, 28]]),
        ("reportLayoff", 0, 44, [41, 42, 43]),
        ("reportLayoff", 0, 45, [41, 42, 43, 44]),
        ("reportFinalHand", 0, sorted(parse_cards("As 2s 3s 4h 5h 6h 8c 9c Tc Kd"))),
        ("reportFinalHand", 1, list(parse_cards("2c 3d 4d 5d Qs Qh Qd"))),
        ("reportScores", [0, 30]),
    ]


def test_after_gin_the_defender_is_asked_and_both_hear_both_hands() -> None:
    gin = (Meld.parse("3d4d5d6d7d8d"), Meld.parse("QsQhQdQc"))
    player = Scripted(getFinalMelds=[])
    bot = play(player)
    bot.observe(Shown(1, gin, ()))
    best = [[7, 8, 9], [16, 17, 18], [26, 27, 28]]
    assert player.told[2:] == [("getFinalMelds",), ("reportFinalMelds", 0, best)]
    player = Scripted()
    bot = play(player)
    bot.observe(Shown(0, gin, ()))
    bot.end_hand(HandEnded(HandEnding.GIN, 0, 60, (60, 0), parse_cards("Kc Kh Ks 2c 4c 6c")))
    assert ("reportFinalMelds", 1, [[12, 25, 38]]) in player.told


def test_after_a_void_hand_the_other_side_is_not_shown() -> None:
    player = Scripted()
    play(player).end_hand(HandEnded(HandEnding.VOID_STOCK, None, 0, (5, 7), ()))
    assert [told[:2] for told in player.told[1:]] == [("reportFinalHand", 0), ("reportScores", [5, 7])]


def test_the_first_upcard_may_be_left_and_then_is_not_asked_about() -> None:
    player = Scripted(willDrawFaceUpCard=False)
    bot = play(player)
    ten = HAND.removesuffix(" 9d")
    assert bot.choose_draw(view(Phase.OFFER, ten, "Qh")) is Draw.PASS
    assert bot.choose_draw(view(Phase.DRAW, ten, "Qh", must_draw_stock=True)) is Draw.STOCK
    assert [told[0] for told in player.told] == ["startGame", "willDrawFaceUpCard"]
    assert bot.choose_draw(view(Phase.DRAW, ten, "Qh")) is Draw.STOCK
    bot = play(Scripted(willDrawFaceUpCard=True))
    assert bot.choose_draw(view(Phase.OFFER, ten, "Qh")) is Draw.UPCARD


def test_cards_are_ids_and_objects_at_once_and_one_of_each() -> None:
    ids = {"AC": 0, "KC": 12, "AH": 13, "7H": 19, "TS": 35, "AD": 39, "KD": 51}
    for text, card_id in ids.items():
        card = CARDS[card_id]
        assert (str(card), card, card.getId()) == (text, card_id, card_id)
        assert (card.suit * 13 + card.rank, card.getSuit(), card.getRank()) == (card_id, card.suit, card.rank)
        assert card.isRed() is (text[1] in "HD")
        assert copy.deepcopy([card])[0] is card
        assert copy.copy(card) is card


def test_cards_can_be_named_where_they_are_not_found() -> None:
    class Rank:
        def __init__(self, number: int) -> None:
            self.suit, self.rank = divmod(number, 13)

    deck: list[object] = [Rank(number) for number in range(52)]
    player = Scripted(getDiscard=deck[51])
    bot = play(player, deck)
    assert player.told[0][3] == [deck[card] for card in parse_cards("As 2s 3s 4h 5h 6h 8c 9c Tc Kd")]
    bot.choose_discard(view(Phase.DISCARD, HAND, "2h"))
    assert player.told[2][2] is deck[51]
    for wrong in (deck[:51], deck[::-1], list(range(52)), [str] * 52):
        with pytest.raises(ValueError, match="52 card objects in the order of their ids"):
            wrap(Scripted, cards=wrong)


def test_a_fault_of_the_players_points_into_its_own_modules() -> None:
    broken = TABLES["player.py"].replace("        assert len(self.cards) == 11\n", "        raise KeyError('mine')\n")
    record = play_match(CLASSIC, SEED, contestant(TABLES | {"player.py": broken}), contestant(NUMBERS))
    fault = record.games[0].fault
    assert fault is not None
    line = broken.splitlines().index("        raise KeyError('mine')") + 1
    assert (fault.message, fault.file, fault.line) == ("KeyError: 'mine'", "player.py", line)
