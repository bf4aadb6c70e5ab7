"""A replay in other forms: a game as plain text, a decision as numbers and as a unit test."""

from __future__ import annotations

import textwrap
from pprint import pformat
from typing import Any

from arena.actions import Action, format_action
from arena.decisions import Decision, Outlook, discard_options, draw_options, in_words
from arena.events import event_to_wire
from arena.legal import Phase
from ladder.match_view import MatchView
from ladder.replay_view import TEXT_STYLE, ReplayView, text_signs

TEST_CASE = '''\
"""{address}

Run me in your bot's folder, beside bot.py: `python -m unittest {module}`.
"""

import unittest
from contextlib import closing

from arena import GameStart, View
from arena.actions import parse_action
from arena.cli.bots import find_bot
from arena.events import event_from_wire

VIEW = View.from_wire(
{view}
)
# What the seat saw of the hand so far.
EVENTS = [
{events}
]
SEED = "{seed}"
PLAYED = {played}


class {name}(unittest.TestCase):
    def test_what_my_bot_does_here(self) -> None:
        with closing(find_bot("bot.py").contestant().new_player()) as player:
            player.start(GameStart(VIEW.rules, VIEW.seat, SEED))
            action = player.decide(VIEW, [event_from_wire(event) for event in EVENTS])
        print(f"\\n{{action}}; in the match: {{PLAYED}}")
        self.assertIn(action, VIEW.legal)  # to ask for more: self.assertEqual(action, parse_action("{wanted}"))
'''
"""What `unittest_of` fills in."""


def as_text(view: MatchView, replay: ReplayView) -> str:
    """The game as plain text: a paragraph for each hand."""
    first, second = replay.names
    game = replay.row.game
    rules = view.match.ladder.rule_set
    head = f"Match {view.match.pk}, game {replay.place}: {first} against {second}, {rules} rules"
    parts = [f"{head}\nResult: {first} {game.score_a}, {second} {game.score_b}\n"]
    for hand in replay.hands:
        lines = [f"Hand {hand.number} ({hand.terms}): {hand.result}"]
        for move in hand.moves:
            lines.append(f"{move.index:5}  {move.words}")
            lines += [f"       {line}" for line in move.sums]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts).replace(TEXT_STYLE, "")


def decision_data(decision: Decision, adviser: str, advice: Action) -> dict[str, Any]:
    """A decision as JSON values: what the hand could do, and what was done there and by the adviser's choice."""
    view = decision.view
    data: dict[str, Any] = {
        "step": decision.number,
        "seat": view.seat,
        "decision": view.decision.value if view.decision else None,
        "knock_limit": view.knock_limit,
        "played": None if decision.action is None else _done(decision.action),
        "adviser": {"bot": adviser, **_done(advice)},
    }
    if view.decision is Phase.DISCARD:
        data["discards"] = [
            {
                "card": str(option.card),
                "is_legal": option.is_legal,
                "may_knock": option.may_knock,
                **_outlook(option.outlook),
            }
            for option in discard_options(view)
        ]
    else:
        draws = draw_options(view)
        data["stock"] = _outlook(draws.stock)
        data["upcard"] = None if draws.upcard is None else str(draws.upcard)
        data["deadwood_taking"] = draws.deadwood_taking
    return data


def unittest_of(decision: Decision, seed: str, *, name: str, address: str) -> str:
    """A Python module that puts the decision to a bot; `seed` is that of the seat's randomness, `name` the class's."""
    action = decision.action
    return TEST_CASE.format(
        address=address,
        module=f"test_{name.lower()}",
        view=textwrap.indent(pformat(decision.view.to_wire(), width=112, compact=True, sort_dicts=False), "    "),
        events="\n".join(f"    {event_to_wire(event)!r}," for event in decision.events),
        seed=seed,
        played="None" if action is None else f'parse_action("{format_action(action)}")',
        name=name,
        wanted=format_action(decision.view.legal[0] if action is None else action),
    )


def _done(action: Action) -> dict[str, str]:
    return {"action": format_action(action), "words": text_signs(in_words(action))}


def _outlook(outlook: Outlook) -> dict[str, Any]:
    return {
        "deadwood": outlook.deadwood,
        "unseen": outlook.unseen,
        "better": [str(card) for card in outlook.better],
        "knocks": outlook.knocks,
        "gins": outlook.gins,
    }
