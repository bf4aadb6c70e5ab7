"""The life of a table; whoever writes one does it here.

    --open_table-->                    queued    (the person may act at once: their cards follow from the seed)
    queued   --claim_table-->          running   (attempt + 1: a worker hosts it, and the bot answers)
    running  --finish_table-->         finished
    running  --hand_back_table-->      queued, when the worker is told to stop
    running  --release_table-->        queued, or failed after ATTEMPTS failures of the house
    running  --tend_tables-->          as release_table, when the worker stopped renewing its lease
    queued   --tend_tables-->          failed, when nobody has hosted it for GIVEN_UP

The actions are the truth. `act` appends the person's and `tell` the bot's, each only to the number of actions that it
was made for; a worker that takes a table over plays the actions again and goes on. Times are the database's.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from arena.actions import Action, BigGin, Discard, Draw, IllegalAction, format_action, parse_action
from arena.bot import GameEnding
from arena.record import MatchRecord
from bots import clock
from bots.caps import DAY, check_day
from bots.models import Bot, BotVersion
from bots.refusals import Refusal
from bots.services import uploads_closed
from bots.turns import take_turn
from ladder.match_view import FAULTS
from tables.games import read
from tables.models import LIVE, Table
from tables.players import Player
from tables.queries import own_tables

LEASE = timedelta(seconds=9)
"""Renewed three times in it: so soon somebody else takes the place of a worker that died."""
LOST_AFTER = timedelta(seconds=10)
"""A table that nobody hosts by then has its message sent again."""
GIVEN_UP = timedelta(minutes=5)
"""So long a person waits for a worker at most."""
ATTEMPTS = 3
KEPT = timedelta(days=90)
"""How long a game is remembered."""
AT_ONCE = 2
"""Games that a person may have under way."""
AT_ONE_ADDRESS = 6
"""Those of one address, which may be a school's; and the same person without the cookie."""
A_MINUTE = 10
"""Games that are dealt to one address in a minute."""
TWIN = timedelta(seconds=5)
"""A second click on the button is no second game."""
SEED_BYTES = 32


class Moved(Exception):  # noqa: N818 - not an error: somebody else was first
    """The table has gone on since the action was chosen."""


@dataclass(frozen=True)
class TableClaim:
    """The right to host a table, until the lease runs out."""

    table: Table
    """As it was claimed, with the version and its bot."""

    @property
    def attempt(self) -> int:
        """Which host of the table this is."""
        return self.table.attempt


def open_table(*, player: Player, version: BotVersion, rule_set: str, is_quick: bool) -> Table:
    """Deal a game against the version.

    Raises Refusal: the bot does not play or cannot be run here, or there are too many games: of the person at once or
    today, of their address, or at the site.
    """
    if version.bot.state != Bot.State.ACTIVE or version.state != BotVersion.State.ACTIVE:
        raise Refusal("opponent_not_playing", f"{version.bot} plays no games now. Choose another bot.", field="bot")
    if not version.bot.is_house and (closed := uploads_closed()) is not None:
        message = "Bots that people uploaded cannot be run on this server at the moment. Choose a bot of the house."
        raise Refusal(closed.code, message, field="bot")
    seat = secrets.randbelow(2)
    with transaction.atomic():
        # Deals queue: what the caps count, of this person and of the whole site, is counted before one more is written.
        take_turn("deal")
        now = clock.now()
        own = own_tables(player)
        live = Table.objects.filter(state__in=LIVE, is_resigned=False)
        twin = own.filter(version=version, rule_set=rule_set, is_quick=is_quick, created_at__gt=now - TWIN)
        if (found := twin.filter(pk__in=live).first()) is not None:
            return found
        _check_caps(player, own, live, now)
        table = Table(
            player=player.key,
            user=player.user,
            origin=player.origin,
            version=version,
            rule_set=rule_set,
            is_quick=is_quick,
            seat=seat,
            seed=secrets.token_bytes(SEED_BYTES).hex(),
            queued_at=now,
            created_at=now,
        )
        table.act_by = _deadline(now) if read(table).waits_for(seat) else None
        table.save()
        _send(table.pk)
    return table


def _check_caps(player: Player, own: QuerySet[Table], live: QuerySet[Table], now: datetime) -> None:
    if own.filter(pk__in=live).count() >= AT_ONCE:
        raise Refusal(
            "too_many_tables", f"You have {AT_ONCE} games under way. Finish or resign one before you begin the next."
        )
    if live.filter(origin=player.origin).count() >= AT_ONE_ADDRESS:
        raise Refusal("too_many_here", "Too many games are played from your address just now. Try again in a while.")
    if Table.objects.filter(origin=player.origin, created_at__gt=now - timedelta(minutes=1)).count() >= A_MINUTE:
        raise Refusal("too_fast", "Games are dealt too fast to your address. Wait a minute, then deal again.")
    if live.count() >= settings.ARENA_MAX_TABLES:
        raise Refusal("full", "All tables are taken just now. Try again in a few minutes.")
    check_day(
        times=list(own.filter(created_at__gt=now - DAY).order_by("-created_at").values_list("created_at", flat=True)),
        cap=settings.ARENA_MAX_GAMES_A_DAY,
        now=now,
        code="too_many_games",
        done="begun {} games",
    )


def act(*, table: Table, at: int, word: str) -> None:
    """Play the person's action, a word of `arena.actions.format_action`, which follows on `at` others.

    Raises Moved when the table has gone on, and Refusal with the rule's sentence; then nothing has changed.
    """
    if not table.is_live:
        raise Refusal("over", "This game is over.")
    if at != table.moves:
        raise Moved
    reading = read(table)
    if not reading.waits_for(table.seat):
        raise Refusal("not_your_turn", f"It is not your turn: {table.version.bot} has to act.")
    try:
        action = parse_action(word)
        if not isinstance(action, Draw | Discard | BigGin):
            raise Refusal("showdown", "The cards of the showdown are laid out for you.")
        reading.game.apply(action)
    except IllegalAction as illegal:
        raise Refusal(illegal.rule, str(illegal)) from None
    except ValueError as error:
        raise Refusal("no_action", str(error)) from None
    played = Table.objects.filter(pk=table.pk, moves=at, state__in=LIVE, is_resigned=False).update(
        actions=f"{table.actions} {word}".strip(),
        moves=at + 1,
        act_by=_deadline(clock.now()) if reading.waits_for(table.seat) else None,
    )
    if not played:
        raise Moved


def resign(*, table: Table) -> None:
    """Give the game up, whoever's turn it is. Its host ends it, and a second word changes nothing."""
    Table.objects.filter(pk=table.pk, state__in=LIVE).update(is_resigned=True, act_by=None)


def claim_table(*, table_id: int) -> TableClaim | None:
    """Take the table to host it; None when it is over, or somebody else hosts it."""
    queued = Table.objects.filter(pk=table_id, state=Table.State.QUEUED)
    if not queued.update(state=Table.State.RUNNING, attempt=F("attempt") + 1, lease_expires_at=clock.now() + LEASE):
        return None
    return TableClaim(Table.objects.select_related("version__bot").get(pk=table_id))


def renew_table(*, claim: TableClaim) -> bool:
    """Hold the claim for another lease; False when it is lost."""
    return bool(_held(claim).update(lease_expires_at=clock.now() + LEASE))


def look(*, claim: TableClaim) -> Table | None:
    """The table as far as its host waits for it; None when the claim is lost."""
    return _held(claim).only("actions", "moves", "act_by", "is_resigned").first()


def tell(*, claim: TableClaim, at: int, actions: Sequence[Action]) -> bool:
    """Append what was done since the person's last action, who acts next; False when the claim is lost."""
    table = _held(claim).filter(moves=at).only("actions").first()
    if table is None:
        return False
    words = [table.actions, *map(format_action, actions)]
    told = _held(claim).filter(moves=at)
    return bool(
        told.update(
            actions=" ".join(filter(None, words)), moves=at + len(actions), act_by=_deadline(clock.now()), failures=0
        )
    )


def finish_table(*, claim: TableClaim, record: MatchRecord, ending: Table.Ending) -> bool:
    """Store the game; False when the claim is lost. `ending` says it where the record knows only of a fault."""
    (game,) = record.public().games
    words = [format_action(action) for hand in game.hands for action, _ in hand.moves()]
    reason = ""
    if ending == Table.Ending.FAULT and game.fault is not None:
        reason = f"It {FAULTS[game.fault.kind.value]}. {game.fault.message}"
    return bool(
        _held(claim).update(
            state=Table.State.FINISHED,
            ending=ending,
            winner=game.winner,
            scores=list(game.scores),
            reason=reason,
            record=record.public().to_bytes(),
            actions=" ".join(words),
            moves=len(words),
            act_by=None,
            lease_expires_at=None,
            finished_at=clock.now(),
        )
    )


def ending_of(ending: GameEnding) -> Table.Ending:
    """The ending of a game that its rules or the bot ended."""
    return Table.Ending(ending.value)


def hand_back_table(*, claim: TableClaim) -> None:
    """Queue it again at once, because its worker is told to stop. Nobody failed."""
    if _held(claim).update(state=Table.State.QUEUED, lease_expires_at=None, queued_at=clock.now()):
        _send(claim.table.pk)


def release_table(*, claim: TableClaim, error: str) -> None:
    """Give it back after a failure of the house: another try, or the end."""
    _give_back(_held(claim), error)


def tend_tables() -> None:
    """Find a host for every table that lost its own or its message, and forget the games of long ago."""
    now = clock.now()
    _give_back(Table.objects.filter(state=Table.State.RUNNING, lease_expires_at__lt=now), "Its worker was lost.")
    waiting = Table.objects.filter(state=Table.State.QUEUED)
    waiting.filter(queued_at__lt=now - GIVEN_UP).update(
        state=Table.State.FAILED, act_by=None, reason="No worker hosted it.", finished_at=now
    )
    for table_id in waiting.filter(Q(attempt__gt=0) | Q(queued_at__lt=now - LOST_AFTER)).values_list("pk", flat=True):
        _send(table_id)
    Table.objects.filter(created_at__lt=now - KEPT).delete()


def _give_back(tables: QuerySet[Table], error: str) -> None:
    now = clock.now()
    back = {"lease_expires_at": None, "reason": error, "failures": F("failures") + 1}
    tables.filter(failures__gte=ATTEMPTS - 1).update(state=Table.State.FAILED, act_by=None, finished_at=now, **back)
    tables.update(state=Table.State.QUEUED, queued_at=now, **back)


def _held(claim: TableClaim) -> QuerySet[Table]:
    return Table.objects.filter(pk=claim.table.pk, attempt=claim.attempt, state=Table.State.RUNNING)


def _deadline(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.TABLE_IDLE_SECONDS)


def _send(table_id: int) -> None:
    # By name: tasks import services, not the other way round. A lost message is sent again by `tend_tables`.
    transaction.on_commit(lambda: current_app.send_task("tables.tasks.host_table", args=[table_id]), robust=True)
