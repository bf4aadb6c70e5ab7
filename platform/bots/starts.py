"""What a bot that is written in the browser can begin from: the starter, a house bot, a version of one's own."""

from dataclasses import dataclass

from arena.bots import HOUSE_BOTS, house_source, starter_source
from bots import queries
from bots.models import Bot, BotVersion

STARTER = "starter"
OWN_VERSIONS = 5
"""So many of the newest are offered."""


@dataclass(frozen=True)
class Start:
    """One source to begin from. `key` is `starter`, a house bot's slug, or `v` and the number of a version."""

    key: str
    label: str
    version: BotVersion | None = None


@dataclass(frozen=True)
class StartGroup:
    """Sources of one kind, under a heading of the picker."""

    label: str
    starts: tuple[Start, ...]


def start_groups(bot: Bot | None) -> list[StartGroup]:
    """All that a new bot, or a new version of `bot`, can begin from."""
    house = tuple(Start(one.slug, f"{one.name}: {_decapitalized(one.description)}") for one in HOUSE_BOTS)
    groups = [
        StartGroup("To begin with", (Start(STARTER, "The starter, with comments"),)),
        StartGroup("House bots", house),
    ]
    own = [] if bot is None else own_versions(bot)
    if own:
        labels = ((one, f"Version {one.number}, {one.get_state_display()}") for one in own)
        groups.insert(0, StartGroup("Yours", tuple(Start(f"v{one.number}", label, one) for one, label in labels)))
    return groups


def own_versions(bot: Bot) -> list[BotVersion]:
    """The bot's newest versions that fit into one editor: those that came as a single file."""
    newest = bot.versions.exclude(filename__iendswith=".zip").defer("source").order_by("-number")
    return list(newest[:OWN_VERSIONS])


def start_text(start: Start) -> str:
    """The source behind a start."""
    if start.version is not None:
        stored = queries.source_of(start.version)
        return stored.files[stored.entry]
    return starter_source() if start.key == STARTER else house_source(start.key)


def _decapitalized(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
