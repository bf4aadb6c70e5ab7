"""A seat names its ladder, its bot and the other bot; lists read from one index; indexes that repeat another go."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Q, Subquery


def name_bots(apps: Any, schema_editor: Any) -> None:
    """Fills the new columns of the seats that are there."""
    Seat = apps.get_model("ladder", "Seat")
    BotVersion = apps.get_model("bots", "BotVersion")
    Match = apps.get_model("ladder", "Match")
    other = Seat.objects.filter(match=OuterRef("match")).exclude(index=OuterRef("index"))
    Seat.objects.update(
        bot=Subquery(BotVersion.objects.filter(pk=OuterRef("version")).values("bot")[:1]),
        ladder=Subquery(Match.objects.filter(pk=OuterRef("match")).values("ladder")[:1]),
        opponent=Subquery(other.values("version__bot")[:1]),
    )


def _key(to: str, on_delete: Any, related_name: str, *, null: bool = False) -> Any:
    return models.ForeignKey(to, db_index=False, null=null, on_delete=on_delete, related_name=related_name)


CASCADE, PROTECT = django.db.models.deletion.CASCADE, django.db.models.deletion.PROTECT
NEW = {"bot": "bots.bot", "ladder": "ladder.ladder", "opponent": "bots.bot"}
INDEXED_BEFORE = [
    ("botlog", "game", _key("ladder.game", CASCADE, "logs")),
    ("fault", "game", _key("ladder.game", CASCADE, "faults")),
    ("game", "match", _key("ladder.match", CASCADE, "games")),
    ("match", "ladder", _key("ladder.ladder", PROTECT, "matches")),
    ("rating", "ladder", _key("ladder.ladder", PROTECT, "ratings")),
    ("ratingchange", "rating", _key("ladder.rating", CASCADE, "changes")),
    ("seat", "match", _key("ladder.match", CASCADE, "seats")),
    ("seat", "version", _key("bots.botversion", PROTECT, "seats")),
]
INDEXES = [
    ("match", models.Index(fields=["ladder", "-id"], name="match_newest")),
    ("seat", models.Index(fields=["bot", "-match"], name="seat_newest_of_bot")),
    ("seat", models.Index(fields=["bot", "ladder", "-match"], name="seat_newest_on_ladder")),
    ("seat", models.Index(fields=["bot", "opponent", "-match"], name="seat_newest_of_two")),
    ("seat", models.Index(fields=["bot", "-match"], name="seat_newest_with_faults", condition=Q(faults__gt=0))),
]


class Migration(migrations.Migration):
    dependencies = [("bots", "0001_initial"), ("ladder", "0001_initial")]

    operations = [
        *(migrations.AddField("seat", name, _key(to, PROTECT, "+", null=True)) for name, to in NEW.items()),
        migrations.RunPython(name_bots, migrations.RunPython.noop),
        *(migrations.AlterField("seat", name, _key(to, PROTECT, "+")) for name, to in NEW.items()),
        *(migrations.AlterField(model, name, field) for model, name, field in INDEXED_BEFORE),
        *(migrations.AddIndex(model, index) for model, index in INDEXES),
    ]
