"""What the hostile bots share: they play on, so that nothing but their hostility can end a game early.

It is uploaded beside each of them. A bot that only looks around reports success by raising Escaped, a fault that its
expected.toml does not allow.
"""

import sys

from arena import Bot, Discard, Draw


class Escaped(BaseException):
    """Something worked that must not."""


def must_fail(what, action, *args, **kwargs):
    """Try something that a wall should stop."""
    try:
        result = action(*args, **kwargs)
    except (OSError, RuntimeError, ValueError, AttributeError, ImportError):
        return
    raise Escaped(f"{what} worked: {result!r:.200}")


def request():
    """The request being answered, found in the runner's own frames: a bot may learn all that its process knows."""
    frame = sys._getframe()
    while frame is not None:
        found = frame.f_locals.get("request")
        if isinstance(found, dict) and "nonce" in found:
            return found
        frame = frame.f_back
    raise RuntimeError("no request")


CHANNEL = 3
"""The descriptor that the runner talks on."""


class Plays(Bot):
    def choose_draw(self, view):
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view):
        card = min(view.legal_discards, key=view.deadwood_after)
        return Discard(card, knock=view.deadwood_after(card) <= view.knock_limit)
