"""Tables for the tests: hosted in this process by bots without a sandbox, and played by a person who plays simply."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction

from arena import Bot
from arena.actions import Action, Discard, Draw, format_action
from arena.bots.simple import Simple
from arena.client import LinkedPlayer
from arena.local import LocalContestant
from arena.view import view_of
from bots.models import BotVersion
from tables import host, services
from tables.games import read
from tables.models import Table
from tables.players import Player
from tests.web.entering import FakeDriver
from tests.web.matches import make_version

SOMEBODY = Player("a" * 32, None, "here")


def seated(monkeypatch: pytest.MonkeyPatch, mind: type[Bot] = Simple) -> None:
    """Let `mind` sit at every table, and hosts hand a table back as soon as the person is to act."""

    class Contestant:
        def __init__(self, *_args: object, **_options: object) -> None:
            self.local = LocalContestant(mind)

        def new_player(self) -> LinkedPlayer:
            return self.local.new_player()

        def close(self) -> None:
            pass

    monkeypatch.setattr(host, "SandboxContestant", Contestant)
    monkeypatch.setattr(host, "get_driver", FakeDriver)
    # No thread renews it while the test holds the database.
    monkeypatch.setattr(services, "LEASE", timedelta(hours=1))
    monkeypatch.setattr(host, "stopping", threading.Event())
    host.stopping.set()


def hosted_in_a_thread(monkeypatch: pytest.MonkeyPatch, mind: type[Bot] = Simple) -> Callable[[], None]:
    """As a worker does it: a thread for every message. Returns what ends them all."""
    seated(monkeypatch, mind)
    host.stopping.clear()
    threads: list[threading.Thread] = []

    def work(table_id: int) -> None:
        try:
            host.host(table_id)
        finally:
            connection.close()

    def send(table_id: int) -> None:
        threads.append(threading.Thread(target=work, args=[table_id]))
        threads[-1].start()

    def end() -> None:
        monkeypatch.setattr(services, "_send", lambda _table_id: None)
        host.stopping.set()
        for thread in threads:
            thread.join()

    monkeypatch.setattr(services, "_send", lambda table_id: transaction.on_commit(lambda: send(table_id)))
    return end


def dealt(
    player: Player = SOMEBODY,
    version: BotVersion | None = None,
    *,
    rule_set: str = "classic",
    is_quick: bool = False,
    decks: int = 1,
    seat: int = 0,
) -> Table:
    """A table whose cards `decks` fixes."""
    version = version or make_version("Gin Fizz")
    table = services.open_table(player=player, version=version, rule_set=rule_set, is_quick=is_quick)
    Table.objects.filter(pk=table.pk).update(seed=decks.to_bytes(32, "big").hex(), seat=seat)
    return reread(table)


def reread(table: Table) -> Table:
    return Table.objects.select_related("version__bot").get(pk=table.pk)


def choice(table: Table) -> Action:
    """What somebody does who takes nothing from the pile, throws what leaves least and knocks at once."""
    view = view_of(read(table).game, table.seat)
    if Draw.PASS in view.legal:
        return Draw.PASS
    if Draw.STOCK in view.legal:
        return Draw.STOCK
    if view.knock_options:
        return view.knock_options[0]
    return Discard(min(view.legal_discards, key=view.deadwood_after))


def moved(table: Table) -> Table:
    """After the person's action and all that the bot answers."""
    if read(table).waits_for(table.seat):
        services.act(table=table, at=table.moves, word=format_action(choice(table)))
    host.host(table.pk)
    return reread(table)


class _Acting(threading.Event):
    """What a host waits for: the person, who acts whenever it looks."""

    def __init__(self, table: Table, chosen: Callable[[Table], Action]) -> None:
        super().__init__()
        self.table = table
        self.chosen = chosen

    def wait(self, timeout: float | None = None) -> bool:
        table = reread(self.table)
        services.act(table=table, at=table.moves, word=format_action(self.chosen(table)))
        return False


def played_out(table: Table, chosen: Callable[[Table], Action] = choice) -> Table:
    """The finished table, all of it hosted by one host."""
    before, host.stopping = host.stopping, _Acting(table, chosen)
    try:
        host.host(table.pk)
    finally:
        host.stopping = before
    return reread(table)
