"""No cap is passed by two who ask at the same moment: the second waits, counts the first one's and is refused."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User

from arena.tournament import RoundRobin
from bots import services, trials
from ladder import services as ladder
from tables.models import Table
from tables.players import Player
from tables.services import open_table
from tests.sandbox.faulty import PLAYS
from tests.web import cups
from tests.web.entering import author, open_uploads
from tests.web.matches import make_ladder, make_version
from tests.web.overtaking import overtaken
from tournaments import services as tournaments


class Cap(NamedTuple):
    """A cap that is set to one."""

    setting: str
    ask: Callable[[User], Callable[[int], Any]]
    """Of one account: what asks for the one with that number."""
    table: str
    """Where what was asked for is written."""
    refusal: str


def bots(user: User) -> Callable[[int], Any]:
    return lambda number: services.create_bot(owner=user, name=f"Bot {number}")


def uploads(user: User) -> Callable[[int], Any]:
    entered = [services.create_bot(owner=user, name=f"Bot {number}") for number in range(2)]
    return lambda number: services.add_version(bot=entered[number], filename="bot.py", data=PLAYS.encode())


def drafts(user: User) -> Callable[[int], Any]:
    return lambda _: trials.start_trial(owner=user, code=PLAYS, opponent="simple")


def challenges(user: User) -> Callable[[int], Any]:
    on, mine, rival = make_ladder(), make_version("Mine", user), make_version("Rival")
    return lambda _: ladder.challenge(user=user, version=mine, opponent=rival.bot, ladder=on)


def cups_of(user: User) -> Callable[[int], Any]:
    make_ladder()
    return lambda number: tournaments.create(creator=user, plan=cups.plan(RoundRobin(), name=f"Cup {number}"))


def games(_: User) -> Callable[[int], Any]:
    version = make_version("Rival")
    # Two people at two addresses: this cap is the site's.
    people = [Player(letter * 32, None, letter) for letter in "ab"]
    return lambda number: open_table(player=people[number], version=version, rule_set="classic", is_quick=False)


CAPS = {
    "bots": Cap("ARENA_MAX_LIVE_BOTS", bots, "bots_bot", "too_many_bots"),
    "uploads": Cap("ARENA_MAX_UPLOADS_A_DAY", uploads, "bots_botversion", "too_many_uploads"),
    "trials": Cap("ARENA_MAX_TRIALS_A_DAY", drafts, "bots_trial", "trial_running"),
    "challenges": Cap("ARENA_MAX_CHALLENGES_A_DAY", challenges, "ladder_match", "too_many_challenges"),
    "tournaments": Cap("ARENA_MAX_TOURNAMENTS", cups_of, "tournaments_tournament", "too_many_tournaments"),
    "tables": Cap("ARENA_MAX_TABLES", games, "tables_table", "full"),
}


@pytest.mark.parametrize("name", CAPS)
def test_the_second_is_refused(name: str, transactional_db: None, settings: Any) -> None:
    open_uploads()
    cap = CAPS[name]
    ask = cap.ask(author())
    setattr(settings, cap.setting, 1)
    first, second = overtaken(lambda: ask(0), lambda: ask(1), before=f'INSERT INTO "{cap.table}"')
    assert not isinstance(first, str)
    assert second == cap.refusal


def test_two_clicks_at_once_deal_one_game(transactional_db: None) -> None:
    open_uploads()
    version, person = make_version("Rival"), Player("a" * 32, None, "here")
    deals = [
        lambda: open_table(player=person, version=version, rule_set="classic", is_quick=False).pk for _ in range(2)
    ]
    first, second = overtaken(*deals, before='INSERT INTO "tables_table"')
    assert first == second == Table.objects.get().pk
