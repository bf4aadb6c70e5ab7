"""How much time a bot has: the numbers that the site's sandbox and the author's tool both keep, and their sentences."""

from __future__ import annotations

START_SECONDS = 5.0
"""CPU seconds to load the bot and start the game."""
DECISION_SECONDS = 2.0
"""CPU seconds for one decision at most."""
GAME_SECONDS = 10.0
"""CPU seconds for all decisions of a game together."""
WALL_FACTOR = 5.0
"""How much longer than its CPU budget an answer may take on the wall's clock, for a machine that is busy."""
WALL_GRACE_SECONDS = 2.0
"""Added to every wall budget, so that a small CPU budget does not turn a hiccup of the machine into a fault."""


def start_rule(start_seconds: float) -> str:
    """What a bot that is too slow to start is told."""
    return f"The limit for loading and starting a bot is {start_seconds:g} s."


def game_rule(decision_seconds: float, game_seconds: float, spent: float) -> str:
    """What a bot that is too slow to play is told."""
    return (
        f"The limits are {decision_seconds:g} s a decision and {game_seconds:g} s a game, of which"
        f" {spent:.2f} s were used before."
    )


def cpu_overrun(used: float, budget: float) -> str:
    """What a bot that computed for too long is told."""
    return f"The bot used {used:.2f} s of CPU time; it had {budget:.2f} s."


def wall_overrun(used: float, budget: float) -> str:
    """What a bot that neither answered nor computed is told; `budget` is on the wall's clock."""
    return f"The bot did not answer within {budget:.1f} s, of which it computed for {used:.2f} s."
