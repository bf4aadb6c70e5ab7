"""What a house bot would have done at a decision of a finished match.

House bots are the arena's own code and run in this process: one at a time, so that readers of replays cannot take the
site's processors away from it, and each decision once.
"""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from arena.actions import Action, Discard
from arena.bot import Bot, Clock, GameStart
from arena.bots import HOUSE_BOTS
from arena.cards import Card
from arena.decisions import Decision
from arena.events import HandStarted
from arena.legal import Phase

SECONDS = 2.0
"""How long a reader waits; the slowest house bot takes a twentieth of it when nothing else is going on."""

_one_at_a_time = ThreadPoolExecutor(max_workers=1, thread_name_prefix="advice")


class Busy(Exception):  # noqa: N818 - not an error: there is an answer, but not now
    """Other readers' questions come first."""


def advised(decision: Decision, seed: str, slug: str) -> Action:
    """What the house bot of that slug does at the decision, knowing what the seat saw of the hand and no more.

    `seed` is that of the seat's own randomness in the game. Raises Busy, and KeyError when there is no such bot.
    """
    bot_class = _class_of(slug)
    asked = _one_at_a_time.submit(_choice, decision, seed, bot_class)
    try:
        return asked.result(timeout=SECONDS)
    except TimeoutError:
        asked.cancel()
        raise Busy("Too many readers ask the house bots just now. Try again in a few seconds.") from None


@lru_cache(maxsize=4096)
def _choice(decision: Decision, seed: str, bot_class: type[Bot]) -> Action:
    bot, view = bot_class(), decision.view.replace(time_left=SECONDS)
    bot.random.seed(int(seed, 16))
    bot.start_game(GameStart(view.rules, view.seat, seed, Clock(SECONDS, SECONDS)))
    for event in decision.events:
        if isinstance(event, HandStarted):
            bot.start_hand(event)
        else:
            bot.observe(event)
    if view.decision is not Phase.DISCARD:
        return bot.choose_draw(view)
    choice = bot.choose_discard(view)
    return Discard(choice) if isinstance(choice, Card) else choice


@lru_cache(maxsize=len(HOUSE_BOTS))
def _class_of(slug: str) -> type[Bot]:
    name = {bot.slug: bot.module for bot in HOUSE_BOTS}[slug]
    module = importlib.import_module(f"arena.bots.{name}")
    (found,) = {kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Bot)} - {Bot}
    return found
