"""A ladder filled without playing it: bots with a true strength, and matches whose outcomes follow from it.

For load tests and demonstrations. What stands in the tables agrees as after real play: every rating comes from the
fold's own code, and every match has a record that replays to its result. The records come from a pool of matches that
the referee really played between house bots; a simulated match takes one with the outcome that was drawn for it, as
played or with the sides exchanged. So the same moves, decks and seeds hang on many matches: that alone is not real.

Nothing else may write matches meanwhile. A run that is killed leaves ratings behind their matches, which
`manage.py ladder rebuild` mends.
"""

from __future__ import annotations

import datetime as dt
import secrets
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from random import Random

from django.contrib.auth.models import User
from django.db import models, transaction
from django.utils import timezone

from arena.archive import BotSource
from arena.bots import house_source
from arena.elo import MAX_QUARTERS, START_MILLI, expected_score
from arena.local import UploadContestant
from arena.record import GameRecord, MatchRecord
from arena.referee import play_match
from arena.rules import RULE_SETS, Rules
from bots.models import Bot, BotVersion
from bots.names import slug_of
from ladder import services
from ladder.bulk import Rows, first_free_key, give_out_keys_behind
from ladder.fold import Result, Standing, rate_match
from ladder.models import Game, Ladder, Match, MatchRecordBlob, Rating, RatingChange, Seat
from ladder.styles import styles_of, to_text

OWNER_PREFIX = "simulated-"
BOTS_OF_AN_OWNER = 3
STRENGTH_SPREAD = 200.0
"""Standard deviation of the true strengths, in Elo points."""
REGULARS = 20
"""Bots of whom one sits in every REGULAR_SHARE of the matches, as house bots do: pages must bear a long history."""
REGULAR_SHARE = 0.05
NEIGHBOURS = 0.05
"""Share of the ladder, up or down, from which an opponent comes: standard deviation."""
SECOND_VERSIONS = 0.25
"""Share of the bots that bring a new version half-way."""
PACE = dt.timedelta(seconds=20)
"""Between two matches; the last one finished just now."""
CHUNK = 5_000
"""Matches in one transaction."""
POOL_POLICIES = ("simple", "hasty", "greedy", "random")


@dataclass(frozen=True, slots=True)
class Played:
    """A match of the pool in the shape of the tables' rows."""

    data: bytes
    seed: str
    hands: int
    games: tuple[Mapping[str, object], ...]
    seats: tuple[Mapping[str, object], Mapping[str, object]]

    @classmethod
    def of(cls, record: MatchRecord) -> Played:
        """What `services.finish_match` would store of the record; no bot of the pool fails or prints."""
        scores = [game.score() for game in record.games]
        quarters = record.score_quarters()
        seats = [
            {
                "score_quarters": quarters if side == 0 else MAX_QUARTERS - quarters,
                "games_won": record.games_won()[side],
                "points": record.points()[side],
            }
            for side in (0, 1)
        ]
        games = tuple(
            {
                "number": game.number,
                "seat0_index": game.side_of(0),
                "ending": game.ending.value,
                "winner": score.winner,
                "score_a": score.points[0],
                "score_b": score.points[1],
                "hands": len(game.hands),
                "style": to_text(styles_of(game, state)),
            }
            for game, score, state in zip(record.games, scores, record.replay(), strict=True)
        )
        hands = sum(len(game.hands) for game in record.games)
        return cls(record.public().to_bytes(), record.seed.hex(), hands, games, (seats[0], seats[1]))


def exchanged(record: MatchRecord) -> MatchRecord:
    """The match with its sides exchanged: the pair shares its decks, so its games only trade places."""

    def renumbered(game: GameRecord) -> GameRecord:
        return replace(game, number=1 - game.number)

    return replace(record, games=tuple(renumbered(game) for game in reversed(record.games)))


def play_pool(rules: Rules, size: int, rng: Random) -> dict[int, list[Played]]:
    """Matches by seat 0's quarters: `size` played ones and as many exchanged, more until 0, 1, 3 and 4 all occur."""
    sources = {name: {"bot.py": house_source(name)} for name in POOL_POLICIES}
    pool: dict[int, list[Played]] = {}
    count = 0
    while count < size or not {3, 4} <= pool.keys():
        first, second = (UploadContestant(sources[rng.choice(POOL_POLICIES)], "bot.py") for _ in range(2))
        record = play_match(rules, secrets.token_bytes(32), first, second)
        count += 1
        if any(game.faults for game in record.games):
            continue
        for side in (record, exchanged(record)):
            pool.setdefault(side.score_quarters(), []).append(Played.of(side))
    return pool


def draw_quarters(difference: float, rng: Random) -> int:
    """Seat 0's score of a mirrored pair when it is `difference` Elo points stronger in a game.

    The model was fitted to real play: the games of a pair correlate by rho = -0.40 (4pq)^2, a shared pair goes by
    points to the stronger with probability 1/(1+exp(-1.15 ln(p/q))).
    """
    p = expected_score(round(1000 * difference), 0)
    q = 1 - p
    rho = -0.40 * (4 * p * q) ** 2
    draw = rng.random()
    both, neither = p * p + rho * p * q, q * q + rho * p * q
    if draw < both:
        return 4
    if draw < both + neither:
        return 0
    return 3 if rng.random() < 1 / (1 + (q / p) ** 1.15) else 1


@dataclass(slots=True)
class Entrant:
    """A bot, the version it plays as now, and that version's standing."""

    bot: Bot
    version: BotVersion
    rating: Rating
    standing: Standing
    strength: float


class Simulation:
    """One run on one ladder: `fill` writes the matches, chunk by chunk."""

    def __init__(self, ladder: Ladder, *, bots: int, pool: dict[int, list[Played]], rng: Random) -> None:
        """Enters so many new bots, with owners and first versions, or takes the simulated bots of an earlier run."""
        self._ladder = ladder
        self._pool = pool
        self._rng = rng
        tables: tuple[type[models.Model], ...] = (Match, Seat, Game, RatingChange)
        self._next = {model: first_free_key(model) for model in tables}
        with transaction.atomic():
            self.entrants = self._enter(bots) if bots else self._present()
        self._is_new = bots > 0
        common = {"ladder_id": ladder.pk}
        finished = {"state": Match.State.FINISHED, "attempt": 1, "worker": "simulation", "sequence": 0}
        self._matches = Rows(Match, **common, **finished)
        self._seats = Rows(Seat, **common)
        self._games, self._blobs, self._changes = Rows(Game), Rows(MatchRecordBlob), Rows(RatingChange)
        self.hands = 0
        """Hands in the records written so far."""
        self.record_bytes = 0
        """Their size."""

    def fill(self, matches: int, progress: Callable[[int], None]) -> None:
        """Writes so many matches, and the ratings in the end, be it reached or not; `progress` hears how many."""
        began = timezone.now() - PACE * matches
        Bot.objects.filter(pk__in=[one.bot.pk for one in self.entrants], created_at__gt=began).update(created_at=began)
        try:
            for start in range(0, matches, CHUNK):
                count = min(CHUNK, matches - start)
                if self._is_new and start <= matches // 2 < start + count:
                    self._bring_new_versions(began + PACE * start)
                with transaction.atomic():
                    self._write_chunk(count, began + PACE * start)
                progress(start + count)
        finally:
            self._write_ratings()
            give_out_keys_behind(list(self._next))

    def _enter(self, count: int) -> list[Entrant]:
        start = User.objects.filter(username__startswith=OWNER_PREFIX).count()
        owners = [User(username=f"{OWNER_PREFIX}{start + n:06}") for n in range(-(-count // BOTS_OF_AN_OWNER))]
        for owner in owners:
            owner.set_unusable_password()
        owners = User.objects.bulk_create(owners, batch_size=1_000)
        names = [f"{_word(start * BOTS_OF_AN_OWNER + n)} {start * BOTS_OF_AN_OWNER + n + 1}" for n in range(count)]
        bots = Bot.objects.bulk_create(
            [Bot(owner=owners[n // BOTS_OF_AN_OWNER], name=name, slug=slug_of(name)) for n, name in enumerate(names)],
            batch_size=1_000,
        )
        versions = BotVersion.objects.bulk_create([_version(bot, 1) for bot in bots], batch_size=500)
        ratings = self._rated(Rating(version=version) for version in versions)
        return [
            Entrant(bot, version, rating, _standing(rating), self._rng.gauss(0, STRENGTH_SPREAD))
            for bot, version, rating in zip(bots, versions, ratings, strict=True)
        ]

    def _present(self) -> list[Entrant]:
        """The simulated bots that are on the ladder, as strong as they are rated."""
        ratings = Rating.objects.filter(
            ladder=self._ladder, version__bot__owner__username__startswith=OWNER_PREFIX
        ).select_related("version__bot")
        newest = {rating.version.bot_id: rating for rating in ratings.order_by("version__number")}
        return [
            Entrant(rating.version.bot, rating.version, rating, _standing(rating), (rating.milli - START_MILLI) / 1000)
            for rating in sorted(newest.values(), key=lambda rating: rating.version.bot_id)
        ]

    def _bring_new_versions(self, when: dt.datetime) -> None:
        """Some bots go on as a second version, a bit stronger, from their rating of this moment."""
        renewed = self._rng.sample(self.entrants, round(SECOND_VERSIONS * len(self.entrants)))
        with transaction.atomic():
            self._write_ratings()
            versions = BotVersion.objects.bulk_create([_version(one.bot, 2) for one in renewed], batch_size=500)
            ratings = self._rated(
                Rating(version=version, predecessor=one.rating, start_milli=milli, milli=milli, created_at=when)
                for one, version, milli in zip(renewed, versions, [one.standing.milli for one in renewed], strict=True)
            )
        for entrant, version, rating in zip(renewed, versions, ratings, strict=True):
            entrant.version, entrant.rating, entrant.standing = version, rating, _standing(rating)
            entrant.strength += 30

    def _rated(self, fresh: Iterator[Rating]) -> list[Rating]:
        ratings = list(fresh)
        for rating in ratings:
            rating.ladder, rating.start_sequence = self._ladder, self._ladder.last_sequence
        return Rating.objects.bulk_create(ratings, batch_size=1_000)

    def _write_chunk(self, count: int, began: dt.datetime) -> None:
        order = sorted(self.entrants, key=lambda entrant: entrant.standing.milli)
        places = [entrant.standing.milli for entrant in order]
        for n in range(count):
            self._play(order, places, began + PACE * n)
        for rows in (self._matches, self._seats, self._games, self._blobs, self._changes):
            rows.insert()
        self._ladder.save(update_fields=["last_sequence", "public_matches"])

    def _play(self, order: Sequence[Entrant], places: Sequence[int], when: dt.datetime) -> None:
        """The rows of one more match, and what it does to the standings."""
        rng, ladder = self._rng, self._ladder
        pair = self._pair(order, places)
        drawn = draw_quarters(pair[0].strength - pair[1].strength, rng)
        played = rng.choice(self._pool[drawn])
        self.hands += played.hands
        self.record_bytes += len(played.data)
        ladder.last_sequence += 1
        ladder.public_matches += 1
        key = self._key(Match)
        self._matches.add(
            id=key,
            seed=played.seed,
            queued_at=when - PACE,
            resend_at=when - PACE,
            claimed_at=when - dt.timedelta(seconds=1),
            finished_at=when,
            sequence=ladder.last_sequence,
        )
        for index, (entrant, other) in enumerate([pair, pair[::-1]]):
            self._seats.add(
                id=self._key(Seat),
                match_id=key,
                index=index,
                version_id=entrant.version.pk,
                bot_id=entrant.bot.pk,
                opponent_id=other.bot.pk,
                **played.seats[index],
            )
        for game in played.games:
            self._games.add(id=self._key(Game), match_id=key, **game)
        self._blobs.add(match_id=key, data=played.data)
        ratings = pair[0].rating.pk, pair[1].rating.pk
        result = Result(ladder.last_sequence, key, ratings, drawn)
        for change in rate_match(pair[0].standing, pair[1].standing, result):
            values = change._asdict()
            rating, match = values.pop("rating"), values.pop("match")
            self._changes.add(id=self._key(RatingChange), rating_id=rating, match_id=match, **values)

    def _pair(self, order: Sequence[Entrant], places: Sequence[int]) -> tuple[Entrant, Entrant]:
        rng = self._rng
        regular = rng.random() < REGULAR_SHARE
        first = rng.choice(self.entrants[:REGULARS] if regular else self.entrants)
        around = bisect_left(places, first.standing.milli)
        while True:
            reach = max(2.0, NEIGHBOURS * len(order))
            second = order[min(max(0, round(rng.gauss(around, reach))), len(order) - 1)]
            if second.bot.owner_id != first.bot.owner_id:
                return (first, second) if rng.random() < 0.5 else (second, first)

    def _key(self, model: type[models.Model]) -> int:
        key = self._next[model]
        self._next[model] += 1
        return key

    def _write_ratings(self) -> None:
        ratings = []
        for entrant in self.entrants:
            for name, value in asdict(entrant.standing).items():
                setattr(entrant.rating, name, value)
            ratings.append(entrant.rating)
        Rating.objects.bulk_update(ratings, list(asdict(self.entrants[0].standing)), batch_size=500)


def _word(number: int) -> str:
    first = ("Brisk", "Calm", "Deft", "Eager", "Frugal", "Gentle", "Hardy", "Iron", "Jolly", "Keen", "Lucid", "Merry")
    second = ("Knocker", "Melder", "Drawer", "Dealer", "Runner Up", "Undercut", "Meld", "Gin", "Layoff", "Deadwood")
    return f"{first[number % len(first)]} {second[number // len(first) % len(second)]}"


def _version(bot: Bot, number: int) -> BotVersion:
    # A bot that plays, should the scheduler ever ask for it.
    source = BotSource({"bot.py": f"# {bot.name}, version {number}\n{house_source('simple')}"}, "bot.py")
    return BotVersion(
        bot=bot,
        number=number,
        sha256=source.sha256,
        source=source.to_bytes(),
        filename="bot.py",
        class_name="Simple",
        state=BotVersion.State.ACTIVE,
        validated_at=timezone.now(),
    )


def _standing(rating: Rating) -> Standing:
    return Standing(**{field.name: getattr(rating, field.name) for field in fields(Standing)})


def simulate(
    ladder: Ladder, *, bots: int, matches: int, pool_size: int, seed: str, progress: Callable[[int], None]
) -> Simulation:
    """Fills the ladder; `progress` hears how many matches stand so far. With no `bots` those of an earlier run play on.

    Needs four bots at least: of two owners.
    """
    rng = Random(seed)
    pool = play_pool(RULE_SETS[ladder.rule_set], pool_size, rng)
    simulation = Simulation(ladder, bots=bots, pool=pool, rng=rng)
    simulation.fill(matches, progress)
    services.tally_all(ladder=ladder)
    return simulation
