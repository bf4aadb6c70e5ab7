"""What the pages read about tables."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from bots.models import Bot, BotVersion
from bots.queries import bots_like
from tables.models import Table
from tables.players import Player

SHOWN = 12
"""Games of a person that are listed, the newest first."""
_HEAVY = ("version__source", "version__report", "record")


def table_at(token: str) -> Table | None:
    """The table of that address, with its version's bot."""
    return (
        Table.objects.select_related("version__bot", "user")
        .defer("version__source", "version__report")
        .filter(token=token)
        .first()
    )


def opponents_like(text: str) -> list[Bot]:
    """Bots that play and have the text in their name."""
    playing = Bot.objects.filter(state=Bot.State.ACTIVE, versions__state=BotVersion.State.ACTIVE).distinct()
    return bots_like(text, playing)


def own_tables(player: Player) -> QuerySet[Table]:
    """The person's games, those of their account and those of their browser."""
    mine = Q(player=player.key)
    return Table.objects.filter(mine if player.user is None else mine | Q(user=player.user))


def tables_of(player: Player) -> list[Table]:
    """The person's newest games."""
    return list(
        own_tables(player).select_related("version__bot").defer(*_HEAVY, "actions").order_by("-created_at")[:SHOWN]
    )
