"""Ladders, the matches played on them, and the ratings that follow.

A match lives `queued -> running(attempt, lease) -> finished | void`; only `ladder.services` moves it. A rating is the
fold of its ladder's finished rated matches in the order of `Match.sequence` (see `ladder.fold`).
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arena.elo import START_MILLI
from bots.models import Bot, BotVersion


class Ladder(models.Model):
    """A table of ratings under one rule set; all its rated matches are ordered by one counter."""

    slug = models.SlugField(max_length=50, unique=True)
    name = models.CharField(max_length=80)
    rule_set = models.CharField(max_length=30, default="classic")
    """A key of `arena.rules.RULE_SETS`; fixed once matches exist, since ratings under two rule sets mean nothing."""
    is_open = models.BooleanField(default=True, help_text="The scheduler queues matches on open ladders only.")
    last_sequence = models.PositiveBigIntegerField(default=0, editable=False)
    """`Match.sequence` of the newest finished match. The row lock that guards it also guards the ladder's ratings."""
    trends_at = models.DateTimeField(null=True, blank=True, editable=False)
    """The moment a day ago to which its `Trend`s look back; long ago when they are to be made anew."""
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Match(models.Model):
    """One or more mirrored pairs of games between two pinned bot versions."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        VOID = "void"

    class Origin(models.TextChoices):
        """Why the match is played; it decides in which queue its message waits (`services.matches`)."""

        LADDER = "ladder"
        """The scheduler chose it."""
        CHALLENGE = "challenge"
        """`asked_by` asked for it: unrated."""
        TOURNAMENT = "tournament"
        """A tournament's schedule asks for it (`tournaments.models.Fixture`)."""

    # As with other keys below, an index of the table's own begins with the column.
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="matches", db_index=False)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.LADDER)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    """Who challenged; None for what the scheduler chose, and once the account is gone."""
    is_rated = models.BooleanField(default=True)
    is_private = models.BooleanField(default=False)
    """In no list; its pages are for those whom `ladder.privacy` lets in. Never rated: a rating's history is public."""
    seed = models.CharField(max_length=64, blank=True, default="")
    """The deck seed in hex, drawn when the match is claimed. Show `published_seed`, never this."""
    attempt = models.PositiveIntegerField(default=0)
    """Number of claims so far: the fencing token by which a late result is told from the current one."""
    failures = models.PositiveIntegerField(default=0)
    """Attempts the house lost (a broken sandbox, a dead worker) since the match was queued by hand or scheduler."""
    worker = models.CharField(max_length=120, blank=True, default="")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(default=timezone.now)
    resend_at = models.DateTimeField(default=timezone.now)
    """While queued: when the broker's message counts as lost and is sent again."""
    claimed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    sequence = models.PositiveBigIntegerField(null=True, blank=True)
    """Place in the order of the ladder's finished matches, from 1; rated in this order."""
    error = models.TextField(blank=True, default="")
    """The house's last failure, for the operator; never shown as a bot's."""

    class Meta:
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(fields=["ladder", "sequence"], name="match_one_sequence_a_ladder"),
            models.CheckConstraint(
                condition=Q(state="running", lease_expires_at__isnull=False)
                | (~Q(state="running") & Q(lease_expires_at__isnull=True)),
                name="match_lease_only_while_running",
            ),
            models.CheckConstraint(
                condition=Q(state="finished", sequence__isnull=False, finished_at__isnull=False)
                | (~Q(state="finished") & Q(sequence__isnull=True, finished_at__isnull=True)),
                name="match_sequence_only_when_finished",
            ),
            models.CheckConstraint(
                condition=~Q(origin="challenge") | Q(is_rated=False), name="match_no_challenge_is_rated"
            ),
            models.CheckConstraint(
                condition=Q(is_private=False) | Q(is_rated=False), name="match_no_private_one_is_rated"
            ),
        ]
        indexes = [
            # Recovery and the scheduler look at live matches only: a handful among millions.
            models.Index(
                fields=["state", "resend_at"], name="match_live", condition=Q(state__in=["queued", "running"])
            ),
            models.Index(fields=["ladder", "claimed_at"], name="match_pace"),
            models.Index(fields=["ladder", "-id"], name="match_newest"),
            models.Index(fields=["asked_by", "-id"], name="match_asked_by", condition=Q(asked_by__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"Match {self.pk}"

    @property
    def published_seed(self) -> str | None:
        """The deck seed in hex once the match is finished; None before, for it would tell the cards to come."""
        return self.seed if self.state == self.State.FINISHED else None


class Seat(models.Model):
    """One side of a match: seat 0 or 1, the version that sits there, and what it scored.

    Seat `index` is the match's; in game 0 it is also the game's seat, in game 1 the seats are swapped.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats", db_index=False)
    index = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="seats", db_index=False)
    # What never changes is repeated here, so that the lists of a bot, and of two bots, read from one index each.
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="+", db_index=False)
    """`match.ladder`."""
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    """`version.bot`."""
    opponent = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    """The bot in the other seat."""
    score_quarters = models.PositiveSmallIntegerField(null=True, blank=True)
    """0..4 quarters of the match's point; the two seats' sum is 4. Null until finished."""
    games_won = models.PositiveSmallIntegerField(default=0)
    points = models.PositiveIntegerField(default=0)
    """Card points over all games of the match."""
    faults = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["match", "index"]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_once_a_match"),
            models.CheckConstraint(condition=Q(index__in=[0, 1]), name="seat_index_is_0_or_1"),
            models.CheckConstraint(
                condition=Q(score_quarters__isnull=True) | Q(score_quarters__lte=4), name="seat_score_in_quarters"
            ),
        ]
        indexes = [
            models.Index(fields=["version", "-match"], name="seat_newest_of_version"),
            models.Index(fields=["bot", "-match"], name="seat_newest_of_bot"),
            models.Index(fields=["bot", "ladder", "-match"], name="seat_newest_on_ladder"),
            models.Index(fields=["bot", "opponent", "-match"], name="seat_newest_of_two"),
            models.Index(fields=["bot", "-match"], name="seat_newest_with_faults", condition=Q(faults__gt=0)),
        ]

    def __str__(self) -> str:
        return f"seat {self.index} of match {self.match_id}"


class Game(models.Model):
    """The outcome of one game of a finished match. Every seat number here is the match's (`Seat.index`)."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="games", db_index=False)
    number = models.PositiveSmallIntegerField()
    """From 0; odd games replay the decks of the game before with the seats swapped."""
    seat0_index = models.PositiveSmallIntegerField()
    """The `Seat.index` that sat in the game's seat 0."""
    ending = models.CharField(max_length=20)
    """A value of `arena.bot.GameEnding`."""
    winner = models.PositiveSmallIntegerField(null=True, blank=True)
    """`Seat.index` of the winner; null for a draw."""
    score_a = models.PositiveIntegerField()
    """Card points of the match's seat 0."""
    score_b = models.PositiveIntegerField()
    """Card points of the match's seat 1."""
    hands = models.PositiveSmallIntegerField()
    style = models.TextField(blank=True, default="")
    """How each side played (`ladder.styles.to_text`); empty for games older than that, until they are tallied."""

    class Meta:
        ordering = ["match", "number"]
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="game_once_a_match")]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}"


class Fault(models.Model):
    """A bot's own failure in a game (never the house's). Traceback, file and line are for the bot's owner only."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="faults", db_index=False)
    seat = models.PositiveSmallIntegerField()
    """`Seat.index` of the side that failed."""
    kind = models.CharField(max_length=20)
    """A value of `arena.player.FaultKind`."""
    message = models.TextField()
    traceback = models.TextField(blank=True, default="")
    file = models.CharField(max_length=255, blank=True, default="")
    line = models.PositiveIntegerField(null=True, blank=True)
    step = models.PositiveIntegerField(null=True, blank=True)
    """The step of the replay at which it had to decide, and failed; null where it failed to start, or is not known."""

    class Meta:
        ordering = ["game", "seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="fault_once_a_seat_and_game")]

    def __str__(self) -> str:
        return f"{self.kind} of seat {self.seat}"


class BotLog(models.Model):
    """What a bot printed during one game: for its owner only."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="logs", db_index=False)
    seat = models.PositiveSmallIntegerField()
    """`Seat.index` of the side that printed."""
    text = models.TextField()
    marks = models.JSONField(default=list, blank=True)
    """`arena.prints.Mark`s: where in it the prints of each step begin. None in logs of before they were kept."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="log_once_a_seat_and_game")]

    def __str__(self) -> str:
        return f"log of seat {self.seat}"


class MatchRecordBlob(models.Model):
    """The full move log of a finished match, in a table of its own so that lists of matches never read it."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True, related_name="record_blob")
    data = models.BinaryField()
    """`arena.record.MatchRecord.public().to_bytes()`: nothing in it is for an owner alone."""

    def __str__(self) -> str:
        return f"record of match {self.match_id}"


class Rating(models.Model):
    """A version's standing on a ladder: the fold of its `changes`, kept for the pages."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="ratings", db_index=False)
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="ratings")
    predecessor = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="successors")
    """The rating of the bot's version before, whose standing after match `start_sequence` this one started from."""
    start_sequence = models.PositiveBigIntegerField(default=0)
    start_milli = models.IntegerField(default=START_MILLI)
    milli = models.IntegerField(default=START_MILLI)
    """Elo in thousandths of a point."""
    matches = models.PositiveIntegerField(default=0)
    """Rated matches of this version; the n of `arena.elo.k_factor`."""
    wins = models.PositiveIntegerField(default=0)
    """Rated matches scored above one half."""
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ladder", "version"], name="rating_once_a_ladder"),
            models.CheckConstraint(
                condition=Q(matches=F("wins") + F("draws") + F("losses")), name="rating_counts_every_match"
            ),
        ]
        indexes = [models.Index(fields=["ladder", "-milli"], name="rating_best_first")]

    def __str__(self) -> str:
        return f"{self.points} on ladder {self.ladder_id}"

    @property
    def points(self) -> int:
        """Whole Elo points, as pages show them."""
        return round(self.milli / 1000)


class RatingChange(models.Model):
    """What one rated match did to one rating. Rows are appended and never edited."""

    rating = models.ForeignKey(Rating, on_delete=models.CASCADE, related_name="changes", db_index=False)
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="rating_changes")
    sequence = models.PositiveBigIntegerField()
    """`Match.sequence`, repeated here so that a rating's history reads from one index."""
    before_milli = models.IntegerField()
    delta_milli = models.IntegerField()
    matches_before = models.PositiveIntegerField()

    class Meta:
        ordering = ["rating", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["rating", "match"], name="change_once_a_match"),
            models.UniqueConstraint(fields=["rating", "sequence"], name="change_once_a_sequence"),
        ]

    def __str__(self) -> str:
        return f"{self.delta_milli / 1000:+.1f}"

    @property
    def after_milli(self) -> int:
        """The rating after the match, in thousandths of a point."""
        return self.before_milli + self.delta_milli


class Fit(models.Model):
    """The newest Bradley-Terry fit of a ladder: over which matches, and what it says of the whole (`ladder.strengths`).

    Made in the background and always a little behind: no result waits for it.
    """

    ladder = models.OneToOneField(Ladder, on_delete=models.CASCADE, primary_key=True, related_name="fit")
    sequence = models.PositiveBigIntegerField(default=0)
    """`Match.sequence` of the newest match in it."""
    matches = models.PositiveBigIntegerField(default=0)
    """Rated matches in it."""
    dispersion = models.FloatField(default=1)
    """The variance of a match's score as a share of a coin's."""
    pairs_met = models.PositiveBigIntegerField(default=0)
    """Pairs of current versions with a rated match behind them."""
    pairs_possible = models.PositiveBigIntegerField(default=0)
    """Pairs of current versions that may meet in a rated match."""
    seconds = models.FloatField(default=0)
    """What it cost."""
    computed_at = models.DateTimeField(null=True, blank=True)
    """Null until the first one is done."""
    busy_until = models.DateTimeField(null=True, blank=True)
    """A worker is at the next one until then, if it lives."""

    def __str__(self) -> str:
        return f"fit of ladder {self.ladder_id}"

    @property
    def completeness(self) -> float | None:
        """The share of the pairs that may meet and have; None when no two may."""
        return self.pairs_met / self.pairs_possible if self.pairs_possible else None


class Strength(models.Model):
    """A version's Bradley-Terry rating by its ladder's newest fit, with a 95 % interval; in thousandths of a point.

    In a table of its own, so that the transaction of a result never waits for a fit that is being stored.
    """

    rating = models.OneToOneField(Rating, on_delete=models.CASCADE, primary_key=True, related_name="strength")
    milli = models.IntegerField()
    low_milli = models.IntegerField()
    high_milli = models.IntegerField()
    is_anchor = models.BooleanField(default=False)
    """The version whose strength is 1500 by definition; the others are measured from it."""

    def __str__(self) -> str:
        return f"{self.points} by Bradley-Terry"

    @property
    def points(self) -> int:
        """Whole points, as pages show them."""
        return round(self.milli / 1000)

    @property
    def margin(self) -> int:
        """Half the interval in whole points."""
        return round((self.high_milli - self.low_milli) / 2000)


class Trend(models.Model):
    """Where a bot that plays stood on a ladder a day ago and before: made anew every hour (`ladder.trends`)."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="trends", db_index=False)
    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="trends")
    rank = models.PositiveIntegerField()
    """At `Ladder.trends_at`, from 1."""
    millis = models.JSONField()
    """Its ratings in milli-Elo: the last one at `Ladder.trends_at`, each one before a day earlier."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ladder", "bot"], name="trend_once_a_ladder_and_bot")]

    def __str__(self) -> str:
        return f"number {self.rank} on ladder {self.ladder_id} a day ago"


class Tally(models.Model):
    """How a version has fared and played in its rated matches: sums for the pages (`ladder.tallies`).

    Made in the background from the log, a few seconds behind it.
    """

    rating = models.OneToOneField(Rating, on_delete=models.CASCADE, primary_key=True, related_name="tally")
    matches = models.PositiveIntegerField(default=0)
    """Rated matches in it."""
    seats = models.JSONField(default=list)
    """By the seat of a game: `[games, won, drawn, points]`."""
    style = models.TextField(blank=True, default="")
    """A `ladder.styles.Style`."""
    curve = models.JSONField(default=list)
    """The rating in thousandths after every so many matches (`ladder.tallies.stride`)."""
    best = models.ForeignKey(Match, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    """The match won against the opponent that was rated highest then."""
    best_milli = models.IntegerField(null=True)
    """That opponent's rating."""
    worst = models.ForeignKey(Match, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    """The match lost to the opponent that was rated lowest then."""
    worst_milli = models.IntegerField(null=True)

    class Meta:
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"tally of rating {self.rating_id}"


class Meeting(models.Model):
    """What came of a bot's rated matches against one other on a ladder, over all versions of both."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="+", db_index=False)
    opponent = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    matches = models.PositiveIntegerField()
    wins = models.PositiveIntegerField()
    draws = models.PositiveIntegerField()
    losses = models.PositiveIntegerField()
    narrow_wins = models.PositiveIntegerField()
    """Of the wins, those by points alone: 3 quarters instead of 4."""
    narrow_losses = models.PositiveIntegerField()
    """Of the losses, those by points alone: 1 quarter instead of none."""
    quarters = models.PositiveIntegerField()
    """Of the matches' points, as `Seat.score_quarters`."""
    games_won = models.PositiveIntegerField()
    points = models.PositiveBigIntegerField()
    """Card points of the bot over all games."""
    expected = models.PositiveBigIntegerField()
    """What the ratings before each match promised, in millionths of a match's point."""
    opponent_milli = models.IntegerField()
    """The opponent's rating before they last met."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bot", "ladder", "opponent"], name="meeting_once_a_pair")]

    def __str__(self) -> str:
        return f"bot {self.bot_id} against {self.opponent_id}"


class Tallied(models.Model):
    """How far a ladder's matches are in its tallies and meetings. Whoever writes those holds this row's lock."""

    ladder = models.OneToOneField(Ladder, on_delete=models.CASCADE, primary_key=True, related_name="tallied")
    sequence = models.PositiveBigIntegerField(default=0)
    """`Match.sequence` of the newest match in them."""
    style = models.TextField(blank=True, default="")
    """The `ladder.styles.Style` of all sides together: what a bot's own is held against."""

    class Meta:
        verbose_name_plural = "tallied"

    def __str__(self) -> str:
        return f"tallies of ladder {self.ladder_id}"


class Check(models.Model):
    """A check of a ladder's ratings: when it last ran, and while it fails the alarm (`ladder.watch`)."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="checks")
    name = models.CharField(max_length=20)
    checked_at = models.DateTimeField(default=timezone.now)
    seconds = models.FloatField(default=0)
    """What it cost."""
    alarm = models.TextField(blank=True, default="")
    """What is wrong and what to do, in sentences; empty while the check passes."""
    raised_at = models.DateTimeField(null=True, blank=True)
    """When the alarm was raised."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ladder", "name"], name="check_once_a_ladder_and_name")]

    def __str__(self) -> str:
        return f"check of {self.name} on ladder {self.ladder_id}"
