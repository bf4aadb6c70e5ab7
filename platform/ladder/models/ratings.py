"""Where versions stand: Elo match by match, Bradley-Terry over all of them, and both a day ago."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arena.elo import START_MILLI
from bots.models import Bot, BotVersion
from ladder.models.ladders import Ladder
from ladder.models.matches import Match


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

    @property
    def win_rate(self) -> float | None:
        """The share of rated matches won, a draw counting half; None before the first."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None


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
