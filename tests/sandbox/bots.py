"""Small bots with one habit each, as sources for real drivers and as scripts for the fake."""

import json
from dataclasses import dataclass

from arena.protocol import Ask, Request
from sandbox.drivers.scripted import Die, Hang, Reply, SpeakUp, Step

BOT = """
from arena import Bot, Discard, Draw

class Habit(Bot):
    def choose_draw(self, view):
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK
    def choose_discard(self, view):
        card = min(view.legal_discards, key=view.deadwood_after)
        return Discard(card, knock=view.deadwood_after(card) <= view.knock_limit)
"""


def loading(source: str, number: int = 1) -> Request:
    """A request to load a bot."""
    return Request(Ask.LOAD, number, f"{number:016x}", {"files": {"bot.py": source}, "entry": "bot.py"})


def loaded(line: bytes) -> Reply:
    """What a bot's process replies when the bot is loaded."""
    request = json.loads(line)
    answer = {"class": "Habit", "doc": "", "overrides": []}
    return Reply(json.dumps({"id": request["id"], "nonce": request["nonce"], "answer": answer}).encode(), 0.01, 0.01)


@dataclass(frozen=True)
class Habit:
    """What happens when the bot is loaded."""

    source: str
    steps: tuple[Step, ...]


GOOD = Habit(BOT, (loaded, loaded, loaded))
COMPUTES = Habit("while True: pass", (Hang(),))
SLEEPS = Habit("import time; time.sleep(10**6)", (Hang(computing=False),))
EXITS = Habit("import os; os._exit(7)", (Die(7),))
FLOODS = Habit("import os\nwhile True: os.write(3, b'x' * 4096)", (Reply(b"x" * 100_000),))
SPEAKS_UP = Habit(
    "import os, time\nos.write(3, b'first\\n')\ntime.sleep(0.3)" + BOT, (SpeakUp(b"first"), SpeakUp(b"second"))
)
