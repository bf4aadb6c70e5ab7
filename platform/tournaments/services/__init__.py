"""Every write to tournaments: keyword-only functions, each one transaction under the tournament's row lock.

Locks in the order tournament, then what `ladder.services` takes; nothing that holds a match or a ladder asks for a
tournament.
"""

from tournaments.services.entries import disqualify, enter, leave, set_seeds
from tournaments.services.hands import note_hands
from tournaments.services.notices import claim_mail, give_back_mail, set_muted
from tournaments.services.organizing import cancel, pause, redo_round, resume
from tournaments.services.running import advance, close_entries, due, start
from tournaments.services.setup import Plan, create, edit, publish

__all__ = [
    "Plan",
    "advance",
    "cancel",
    "claim_mail",
    "close_entries",
    "create",
    "disqualify",
    "due",
    "edit",
    "enter",
    "give_back_mail",
    "leave",
    "note_hands",
    "pause",
    "publish",
    "redo_round",
    "resume",
    "set_muted",
    "set_seeds",
    "start",
]
