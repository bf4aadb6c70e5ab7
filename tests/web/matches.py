"""What the tests of matches share: bots without a sandbox, and records with a result of one's choice.

A record comes from the real referee; its games end at the start, by faults of the sides that the test names.
"""

from collections.abc import Sequence

from django.contrib.auth.models import User

from arena.actions import Action
from arena.archive import BotSource
from arena.bot import GameEnd, GameStart
from arena.events import Event
from arena.player import BotFault, FaultKind
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import RULE_SETS
from arena.view import View
from bots.models import Bot, BotVersion
from ladder import services
from ladder.models import Ladder, Match
from ladder.services import Claim

SCORES = {4: ("b", "b"), 3: ("b", "ab"), 2: ("a", "b"), 1: ("a", "ab"), 0: ("a", "a")}
"""Side A's quarters -> who fails in game 0 and in game 1: two lost games, a lost and a drawn one, one each."""


class FailingPlayer:
    """A player that fails at the start of its game, or does nothing at all."""

    log = ""
    spent = 0.0

    def __init__(self, *, fails: bool) -> None:
        self.fails = fails

    def start(self, start: GameStart) -> None:
        if self.fails:
            raise BotFault(FaultKind.START, "It did not start.", traceback="frames", file="bot.py", line=3)

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        raise AssertionError("One side fails before the first decision.")

    def end(self, end: GameEnd) -> None:
        raise AssertionError("A forfeited game tells nobody its end.")

    def close(self) -> None:
        pass


class FailingContestant:
    """Fails in the games whose numbers it is given."""

    def __init__(self, *games: int) -> None:
        self.games = games
        self.number = -1

    def new_player(self) -> FailingPlayer:
        self.number += 1
        return FailingPlayer(fails=self.number in self.games)


def record_of(claim: Claim, quarters: int) -> MatchRecord:
    """A record of the claimed match in which side A scores so many quarters."""
    sides = [FailingContestant(*(n for n, failing in enumerate(SCORES[quarters]) if side in failing)) for side in "ab"]
    return play_match(RULE_SETS[claim.rule_set], claim.seed, *sides)


def make_ladder(slug: str = "classic", rule_set: str = "classic") -> Ladder:
    return Ladder.objects.create(slug=slug, name=slug.title(), rule_set=rule_set)


def make_version(name: str, owner: User | None = None, number: int = 1, source: str = "") -> BotVersion:
    """An active version of the named bot, which is made when it is not there."""
    bot, _ = Bot.objects.get_or_create(
        slug=name.lower(), defaults={"name": name, "owner": owner, "is_house": owner is None}
    )
    files = BotSource({"bot.py": source or f"# {name} {number}"}, "bot.py")
    return BotVersion.objects.create(
        bot=bot,
        number=number,
        sha256=files.sha256,
        source=files.to_bytes(),
        filename="bot.py",
        state=BotVersion.State.ACTIVE,
    )


def claimed(match: Match, worker: str = "w1") -> Claim:
    claim = services.claim_match(match_id=match.pk, worker=worker)
    assert claim is not None
    return claim


def finished(ladder: Ladder, versions: Sequence[BotVersion], quarters: int, *, is_rated: bool = True) -> Match:
    """A match played to the given score of seat 0."""
    match = services.enqueue_match(ladder=ladder, versions=versions, is_rated=is_rated)
    claim = claimed(match)
    assert services.finish_match(claim=claim, record=record_of(claim, quarters))
    match.refresh_from_db()
    return match
