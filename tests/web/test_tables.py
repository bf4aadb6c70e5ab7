"""A person's game against a bot: how it is dealt, played, given up and hosted, and what of it nobody sees too early."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import ClassVar

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from arena.actions import Action, Discard, Draw, format_action
from arena.bots.simple import Simple
from arena.cards import DECK, Card
from arena.events import Event, HandStarted
from arena.hand import Hand
from arena.local import LocalContestant
from arena.player import HouseFailure
from arena.record import MatchRecord
from arena.referee import play_game
from arena.rules import RULE_SETS
from arena.steps import pretty
from arena.view import View, events_of, view_of
from bots import services as bots
from bots.models import Bot, BotVersion, SandboxStatus
from bots.refusals import Refusal
from tables import host, services
from tables.games import read
from tables.models import Table
from tables.players import Player
from tables.present import state_of
from tests.web.games import Forgetful
from tests.web.hosting import SOMEBODY, choice, dealt, moved, played_out, reread, seated
from tests.web.matches import make_version

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _uploads() -> None:
    bots.record_sandbox(driver="docker", runs_uploads=True)


@pytest.fixture(autouse=True)
def _seated(monkeypatch: pytest.MonkeyPatch) -> None:
    seated(monkeypatch)


def refused(table: Table, word: str) -> str:
    """The code of the refusal, which has changed nothing."""
    before = reread(table)
    with pytest.raises(Refusal) as refusal:
        services.act(table=table, at=table.moves, word=word)
    after = reread(table)
    assert (after.actions, after.moves) == (before.actions, before.moves)
    assert refusal.value.message.endswith(".")
    return refusal.value.code


def cards_named(data: object) -> set[Card]:
    """Every card that the JSON names, as data or in words."""
    text = json.dumps(data, ensure_ascii=False)
    return {card for card in DECK if f'"{card}"' in text or re.search(rf"(?<![0-9A-Z]){pretty(card)}", text)}


class TestPlaying:
    def test_a_game_is_played_to_the_target_and_its_record_replays(self) -> None:
        seat = 1
        table = played_out(dealt(seat=seat))
        assert table.ending == Table.Ending.TARGET
        record = MatchRecord.from_bytes(bytes(table.record))
        (game,) = record.games
        assert (game.winner, list(game.scores)) == (table.winner, table.scores)
        assert max(game.replay().scores) >= 100
        assert read(table).game.totals == game.scores
        assert table.moves == len(table.actions.split())
        state = state_of(table, is_player=True)
        assert state["over"][0].startswith("You win" if table.winner == seat else "Gin Fizz wins")

    def test_a_quick_game_is_one_hand_without_the_bonuses_of_a_game(self) -> None:
        table = played_out(dealt(rule_set="tally", is_quick=True))
        game = read(table).game
        assert (table.ending, game.hands_played) == (Table.Ending.HAND_CAP, 1)
        assert max(table.scores) == game.results[0].points

    def test_what_the_rules_forbid_is_refused_with_their_sentence(self) -> None:
        table = dealt()
        host.host(table.pk)
        table = reread(table)
        assert refused(table, "s") == "stock"  # the turned-up card is offered
        assert refused(table, "5h") == "phase"
        assert refused(table, "nonsense") == "no_action"
        assert refused(table, "a") == "showdown"
        services.act(table=table, at=table.moves, word="u")
        table = reread(table)
        hand = read(table).game.hand
        assert hand.taken is not None
        assert refused(table, str(hand.taken)) == "taken"
        assert refused(table, str(hand.cards(1)[0])) == "holding"
        assert refused(table, f"{hand.cards(0)[0]}!") in {"knock", "taken"}
        services.act(table=table, at=table.moves, word=str(next(c for c in hand.cards(0) if c != hand.taken)))
        assert refused(reread(table), "s") == "not_your_turn"

    def test_an_action_is_played_once(self) -> None:
        table = moved(dealt())
        while read(table).game.hand.phase.value != "draw":
            table = moved(table)
        services.act(table=table, at=table.moves, word="s")
        with pytest.raises(services.Moved):  # the same page, a second time
            services.act(table=table, at=table.moves, word="s")
        with pytest.raises(services.Moved):  # another page that was drawn before
            services.act(table=reread(table), at=table.moves, word="s")
        assert reread(table).moves == table.moves + 1


def open_cards(hand: Hand, seat: int) -> set[Card]:
    """The cards of a hand that a seat has seen: its own, the pile's from the first on, what was laid open."""
    seen = {*hand.dealt(seat), hand.first_upcard}
    for step in hand.steps:
        if isinstance(step.action, Discard):
            seen.add(step.action.card)
        if step.seat == seat and step.card is not None:
            seen.add(step.card)
    if hand.knocker_arrangement is not None:
        seen |= {card for each in (0, 1) if hand.known_mask(each) == hand.mask(each) for card in hand.cards(each)}
    if hand.result is not None and not hand.result.ending.is_void:
        seen |= {*hand.result.hands[0], *hand.result.hands[1]}
    return seen


def at_every_position(rules: str, seat: int) -> Iterator[Table]:
    """A table at each position of the first hands of a game, between two bots; nothing is in the database."""
    simple = LocalContestant(Simple)
    record = play_game(RULE_SETS[rules], bytes(32), (simple, simple))
    words = [format_action(action) for hand in record.hands[:3] for action, _ in hand.moves()]
    version = BotVersion(bot=Bot(name="Gin Fizz"))
    for moves in range(len(words) + 1):
        actions = " ".join(words[:moves])
        yield Table(version=version, rule_set=rules, seat=seat, seed=bytes(32).hex(), actions=actions, moves=moves)


class TestSecrets:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_the_page_names_no_card_that_the_person_has_not_seen(self, seat: int) -> None:
        ended = 0
        for table in at_every_position("classic", seat):
            reading = read(table)
            hand = reading.game.hand
            state = state_of(table, is_player=True)
            showdowns = state.pop("showdowns")
            assert [showdown["hand"] - 1 for showdown in showdowns] == list(reading.ended)
            for showdown, place in zip(showdowns, reading.ended, strict=True):
                ended += 1
                assert cards_named(showdown) <= open_cards(reading.game.hands[place], seat)
            assert cards_named(state) <= open_cards(hand, seat)
            assert {*hand.cards(seat)} <= cards_named(state)
            assert len(open_cards(hand, seat)) < 52
        assert ended > 2

    def test_a_void_hand_is_shown_by_nobody(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seated(monkeypatch, Patient)
        table = played_out(dealt(is_quick=True), patient)
        game = read(table).game
        assert game.results[0].ending.is_void
        assert table.winner is None
        state = state_of(table, is_player=True)
        assert "void" in state["showdowns"][0]["lines"][0]
        assert cards_named(state) <= open_cards(game.hand, 0)


class Patient(Simple):
    """Never knocks."""

    def choose_discard(self, view: View) -> Discard:
        return Discard(view.legal_discards[-1])


def patient(table: Table) -> Action:
    view = view_of(read(table).game, table.seat)
    if Draw.PASS in view.legal:
        return Draw.PASS
    return Draw.STOCK if Draw.STOCK in view.legal else Discard(view.legal_discards[-1])


class TestEnding:
    def test_a_bot_that_fails_loses_and_its_traceback_stays_private(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seated(monkeypatch, Forgetful)
        table = played_out(dealt())
        assert (table.ending, table.winner) == (Table.Ending.FAULT, 0)
        assert table.reason.startswith("It raised an exception. ")
        game = MatchRecord.from_bytes(bytes(table.record)).games[0]
        assert game.fault is not None
        assert (game.fault.traceback, game.logs) == ("", ("", ""))
        over = state_of(table, is_player=True)["over"]
        assert over == ["Gin Fizz cannot go on: you win the game.", table.reason]

    def test_resigning_counts_at_once_and_makes_a_record(self) -> None:
        table = moved(moved(dealt()))
        services.resign(table=table)
        assert refused(reread(table), "s") == "over"
        assert state_of(reread(table), is_player=True)["over"] == ["You resigned: Gin Fizz wins the game."]
        table = moved_by_host(table)
        assert (table.state, table.ending, table.winner) == (Table.State.FINISHED, Table.Ending.RESIGNED, 1)
        assert MatchRecord.from_bytes(bytes(table.record)).games[0].replay().hand_number == 1

    def test_who_does_nothing_for_too_long_has_left(self, settings: Settings) -> None:
        table = moved(dealt())
        assert table.act_by is not None
        left = (table.act_by - timezone.now()).total_seconds()
        assert settings.TABLE_IDLE_SECONDS - 5 < left <= settings.TABLE_IDLE_SECONDS
        Table.objects.update(act_by=timezone.now() - timedelta(seconds=1))
        table = moved_by_host(table)
        assert (table.state, table.ending, table.winner) == (Table.State.FINISHED, Table.Ending.LEFT, 1)


def moved_by_host(table: Table) -> Table:
    host.host(table.pk)
    return reread(table)


class Remembering(Simple):
    """Says at its first question what it has seen."""

    seen: ClassVar[list[list[Event]]] = []

    def __init__(self) -> None:
        super().__init__()
        self.seen.append([])

    def observe(self, event: Event) -> None:
        self.seen[-1].append(event)


class TestHosts:
    def test_a_worker_that_is_lost_is_replaced_and_the_game_goes_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        Remembering.seen.clear()
        seated(monkeypatch, Remembering)
        table = moved(moved(moved(dealt(is_quick=True))))
        # Killed: it holds the claim and says nothing any more, while the person acts.
        claim = services.claim_table(table_id=table.pk)
        assert claim is not None
        before = reread(table)
        services.act(table=before, at=before.moves, word=format_action(choice(before)))
        host.host(table.pk)  # nobody else gets in while the lease runs
        assert reread(table).moves == before.moves + 1
        Table.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
        services.tend_tables()
        after = moved_by_host(table)
        assert after.actions.startswith(before.actions)
        assert after.moves > before.moves + 1 or read(after).waits_for(0)
        # What comes from the first one is too late.
        assert not services.renew_table(claim=claim)
        assert services.look(claim=claim) is None
        assert not services.tell(claim=claim, at=after.moves, actions=[Draw.STOCK])
        # The new mind has been told all that happened, as the first one was, piece by piece.
        told = [event for event in events_of(read(after).game, 1) if not isinstance(event, HandStarted)]
        assert Remembering.seen[-1] == told[: len(Remembering.seen[-1])]
        assert len(Remembering.seen[-1]) >= before.moves
        assert played_out(after).state == Table.State.FINISHED

    def test_what_the_house_breaks_is_tried_again_and_then_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_args: object, **_options: object) -> None:
            raise HouseFailure("The engine does not answer.")

        table = dealt()
        monkeypatch.setattr(host, "SandboxContestant", broken)
        for _ in range(services.ATTEMPTS):
            assert reread(table).state == Table.State.QUEUED
            host.host(table.pk)
        table = reread(table)
        assert (table.state, table.is_live) == (Table.State.FAILED, False)
        over = state_of(table, is_player=True)["over"]
        assert over[0].startswith("We are sorry")
        assert "engine" not in over[0]

    def test_without_any_worker_the_person_does_not_wait_for_ever(self) -> None:
        table = dealt()
        Table.objects.update(queued_at=timezone.now() - services.GIVEN_UP - timedelta(seconds=1))
        services.tend_tables()
        assert reread(table).state == Table.State.FAILED

    def test_old_games_are_forgotten(self) -> None:
        table = dealt()
        Table.objects.update(created_at=timezone.now() - services.KEPT - timedelta(days=1))
        services.tend_tables()
        assert not Table.objects.filter(pk=table.pk).exists()


class TestCaps:
    def test_a_person_an_address_the_site_and_a_day_have_their_limits(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        version = make_version("Gin Fizz")

        def deal(player: Player, rule_set: str = "classic") -> str:
            try:
                services.open_table(player=player, version=version, rule_set=rule_set, is_quick=False)
            except Refusal as refusal:
                return refusal.code
            return ""

        assert [deal(SOMEBODY, name) for name in ("classic", "classic", "tally", "oklahoma")] == ["", "", "", TOO_MANY]
        assert Table.objects.count() == 2  # the second click found the first one's game
        others = [Player(letter * 32, None, "here") for letter in "bcdef"]
        assert [deal(other) for other in others] == ["", "", "", "", "too_many_here"]
        Table.objects.filter(player=SOMEBODY.key).update(is_resigned=True)
        settings.ARENA_MAX_TABLES = 4
        assert deal(Player("0" * 32, None, "there")) == "full"
        monkeypatch.setattr(services, "A_MINUTE", 6)
        assert deal(others[-1]) == "too_fast"
        Table.objects.update(state=Table.State.FINISHED)
        Table.objects.update(created_at=timezone.now() - timedelta(hours=1))
        settings.ARENA_MAX_GAMES_A_DAY = 2
        assert deal(SOMEBODY) == "too_many_games"

    def test_uploads_wait_for_a_sandbox_and_house_bots_do_not(self) -> None:
        SandboxStatus.objects.update(runs_uploads=False)
        with pytest.raises(Refusal, match="uploaded cannot be run"):
            dealt(version=make_version("Gin Fizz", User.objects.create_user("ada")))
        assert dealt(version=make_version("Sharp")).pk


TOO_MANY = "too_many_tables"
