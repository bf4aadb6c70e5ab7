"""Bots that are files of the right kind and yet no bots, or none that plays: what the validation must say of each."""

from dataclasses import dataclass

HEAD = "from arena import Bot, Discard, Draw\n\n\n"
DRAW = """\
    def choose_draw(self, view):
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

"""
DISCARD = """\
    def choose_discard(self, view):
        card = min(view.legal_discards, key=view.deadwood_after)
        return Discard(card, knock=view.deadwood_after(card) <= view.knock_limit)
"""
CLASS = f"{HEAD}class Mine(Bot):\n"
PLAYS = f"{CLASS}{DRAW}{DISCARD}"


@dataclass(frozen=True)
class Faulty:
    """An upload and the check it fails."""

    name: str
    files: dict[str, str]
    check: str
    code: str
    file: str | None = "bot.py"
    line: int | None = None
    says: str = ""
    """A part of the message."""


FAULTY = [
    Faulty("not Python", {"bot.py": "<!doctype html>\n<p>Hello</p>\n"}, "load", "not_python", says="HTML"),
    Faulty("syntax error", {"bot.py": PLAYS + "\n\ndef odd(:\n    pass\n"}, "load", "syntax", line=13),
    Faulty("no bot class", {"bot.py": "class Mine:\n    pass\n"}, "load", "no_bot"),
    Faulty(
        "two bot classes",
        {"bot.py": PLAYS + PLAYS.replace("Mine", "Other")},
        "load",
        "two_bots",
        says="Other",
    ),
    Faulty(
        "import error", {"bot.py": "import no_such_thing\n" + PLAYS}, "load", "import", line=1, says="no_such_thing"
    ),
    Faulty(
        "import error in a helper",
        {"bot.py": "import helper\n" + PLAYS, "helper.py": "\n\nfrom nowhere import thing\n"},
        "load",
        "import",
        file="helper.py",
        line=3,
        says="nowhere",
    ),
    Faulty(
        "constructor raises",
        {"bot.py": f"{CLASS}    def __init__(self):\n        raise ValueError('no luck')\n\n{DRAW}{DISCARD}"},
        "load",
        "constructor",
        line=6,
        says="no luck",
    ),
    Faulty(
        "exception in a decision",
        {"bot.py": f"{CLASS}{DRAW}    def choose_discard(self, view):\n        return view.cards[11]\n"},
        "house_game",
        "exception",
        line=9,
        says="AttributeError",
    ),
    Faulty(
        "wrong answer",
        {"bot.py": f"{CLASS}{DRAW}    def choose_discard(self, view):\n        return 'Ts'\n"},
        "house_game",
        "illegal",
        file=None,
        says="choose_discard must return",
    ),
    Faulty(
        "exception at the game's end",
        {"bot.py": PLAYS + "\n    def end_game(self, end):\n        return 1 / 0\n"},
        "house_game",
        "exception",
        line=13,
        says="ZeroDivisionError",
    ),
]


def name_of(faulty: Faulty) -> str:
    """The test's id."""
    return faulty.name
