"""The house bots, which keep a ladder going and anchor its scale, and the starter that authors begin with.

Each is one file that works as an upload, and is played like one: read its source, do not import it.
"""

from dataclasses import dataclass
from pathlib import Path

STARTER = "starter"
"""The module of the commented starter bot."""


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A bot of the house."""

    slug: str
    """What URLs and the command line call it."""
    name: str
    module: str
    """The file in this package, without its suffix."""
    description: str
    """One sentence for its page."""


HOUSE_BOTS: tuple[HouseBot, ...] = (
    HouseBot("random", "Random", "random_bot", "Plays anything the rules allow."),
    HouseBot("simple", "Simple", "simple", "Draws for melds, keeps deadwood low and knocks as soon as it may."),
    HouseBot("sharp", "Sharp", "sharp", "Weighs what may still come, starves its opponent and plays for gin."),
)


def house_source(slug: str) -> str:
    """The source of a house bot. Raises KeyError when there is none of that slug."""
    return _source({bot.slug: bot for bot in HOUSE_BOTS}[slug].module)


def starter_source() -> str:
    """The source of the starter bot."""
    return _source(STARTER)


def _source(module: str) -> str:
    return (Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8")
