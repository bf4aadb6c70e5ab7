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
    HouseBot("random", "Random", "random_bot", "A beginner that plays anything the rules allow."),
    HouseBot("novice", "Novice", "novice", "A beginner that sees its melds, throws its highest card and often dozes."),
    HouseBot("collector", "Collector", "collector", "An improver that collects sets and never looks for a run."),
    HouseBot("runner", "Runner", "runner", "A beginner that hoards runs and sees no pairs."),
    HouseBot("greedy", "Greedy", "greedy", "A club player that takes whatever lowers its deadwood now."),
    HouseBot("hasty", "Hasty", "hasty", "A club player that takes low cards and knocks the first time it may."),
    HouseBot("simple", "Simple", "simple", "A club player that draws for melds and knocks at once."),
    HouseBot("cautious", "Cautious", "cautious", "A club player that dreads an undercut and knocks late and low."),
    HouseBot("watcher", "Watcher", "watcher", "A club player that reads the discards and gives nothing useful away."),
    HouseBot("counter", "Counter", "counter", "A strong player that counts which cards may still come."),
    HouseBot("purist", "Purist", "purist", "An expert for whom only gin ends a hand."),
    HouseBot("tactician", "Tactician", "tactician", "An expert that looks at the score before it knocks."),
    HouseBot(
        "reader", "Reader", "reader", "A strong player that guesses the opponent's hand from what it takes and leaves."
    ),
    HouseBot("dreamer", "Dreamer", "dreamer", "A strong player that imagines many deals before it knocks."),
    HouseBot("sharp", "Sharp", "sharp", "An expert that weighs what may come, starves its opponent and plays for gin."),
)


def house_source(slug: str) -> str:
    """The source of a house bot. Raises KeyError when there is none of that slug."""
    return _source({bot.slug: bot for bot in HOUSE_BOTS}[slug].module)


def starter_source() -> str:
    """The source of the starter bot."""
    return _source(STARTER)


def _source(module: str) -> str:
    return (Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8")
