"""Sums that follow from the log in the background, for the pages of bots (`ladder.tallies`)."""

from __future__ import annotations

from django.db import models

from bots.models import Bot
from ladder.models.ladders import Ladder
from ladder.models.matches import Match
from ladder.models.ratings import Rating


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
