"""Tournaments for the tests of their pages and for pictures of them: results drawn by lots, shown as a site would."""

import random
from collections.abc import Mapping

from django.template import engines
from django.template.loader import render_to_string

from arena.elo import expected_score
from arena.tournament import Format, Match, Result, RoundRobin, Tournament
from tournaments.presentation import Entrant, Facts

NAMES = (
    "Knock Knock", "Deadwood Dick", "Lady Gin", 40 * "W", "Meld & Run", "Ten or Bust", "The Quiet Discard", "Spades",
    "Monte Carlo Nine Hundred and Ninety-Nine Rollouts", "Gin Fizz", "Ωmega", "Schildkröte", "Patience",
    "二枚目のジョーカー", "Big Gin", "Layoff", "לוי", "Counting Sheep", "Stock Market", "Upcard", "Draw Two",
    "Box Score", "Kibitzer", "Widow",
)  # fmt: skip
PAGE = """{% extends "base.html" %}{% load static %}
{% block title %}Tournament{% endblock %}
{% block styles %}<link rel="stylesheet" href="{% static 'css/tournament.css' %}">{% endblock %}
{% block scripts %}{% include "htmx.html" %}
  <script src="{% static 'js/bracket.js' %}" type="module"></script>{% endblock %}
{% block content %}<h1>{{ title }}</h1>BODY{% endblock %}"""


def render(template: str, **context: object) -> str:
    """A template of the site, filled in."""
    return render_to_string(template, context)


def page(body: str, **context: object) -> str:
    """A whole page of the site around a template's text."""
    return engines["django"].from_string(PAGE.replace("BODY", body)).render(context)


def elo(entrant: int) -> int:
    """An entrant's rating in thousandths: the lower its number, the better."""
    return 1_900_000 - 25_000 * entrant


def entrants_of(cup: Tournament) -> dict[int, Entrant]:
    """Names for all of them; entrant 1 has the first."""
    return {
        entrant: Entrant(_name(entrant), f"/bots/{entrant}/", f"author{entrant}", elo(entrant))
        for entrant in cup.entrants
    }


def _name(entrant: int) -> str:
    lap, place = divmod(entrant - 1, len(NAMES))
    return f"{NAMES[place]} {lap + 1}" if lap else NAMES[place]


def facts_of(cup: Tournament, *, live: int = 0, entrants: Mapping[int, Entrant] | None = None) -> Facts:
    """What a site would know: a page for each match that is played or can be, the first few of these in play."""
    keys = [result.key for result in cup.results]
    playable = [(match.round, frozenset((match.first, match.second)), match.number) for match in cup.playable]
    return Facts(
        entrants=entrants_of(cup) if entrants is None else entrants,
        match_urls={key: f"/matches/{number}/" for number, key in enumerate([*keys, *playable], start=1)},
        live=frozenset(playable[:live]),
    )


def new_cup(chosen: Format, size: int) -> Tournament:
    """A tournament of so many entrants, the first the best seed."""
    return Tournament(chosen, tuple(range(1, size + 1)))


def played(cup: Tournament, *, most: int | None = None, seed: int = 1) -> Tournament:
    """The tournament after so many matches more, or all of them."""
    lots = random.Random(seed)
    if isinstance(cup.format, RoundRobin) and most is None:
        # Every round is known: a large field takes seconds to draw one by one.
        known = (match for one in cup.rounds for pairing in one.pairings for match in pairing.missing)
        return cup.with_results(*(_drawn(match, lots) for match in known))
    count = 0
    while cup.playable and (most is None or count < most):
        batch = cup.playable if most is None else cup.playable[: most - count]
        cup = cup.with_results(*(_drawn(match, lots) for match in batch))
        count += len(batch)
    return cup


def _drawn(match: Match, lots: random.Random) -> Result:
    chance = expected_score(elo(match.first), elo(match.second))
    quarters = lots.choice((4, 3)) if lots.random() < chance else lots.choice((0, 1))
    points = (lots.randint(90, 220), lots.randint(90, 220))
    return Result(match.round, match.first, match.second, match.number, (quarters, 4 - quarters), points)
