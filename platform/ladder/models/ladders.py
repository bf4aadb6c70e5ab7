"""A ladder, and what checks of its ratings found."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Ladder(models.Model):
    """A table of ratings under one rule set; all its rated matches are ordered by one counter."""

    slug = models.SlugField(max_length=50, unique=True)
    name = models.CharField(max_length=80)
    rule_set = models.CharField(max_length=30, default="classic")
    """A key of `arena.rules.RULE_SETS`; fixed once matches exist, since ratings under two rule sets mean nothing."""
    is_open = models.BooleanField(default=True, help_text="The scheduler queues matches on open ladders only.")
    last_sequence = models.PositiveBigIntegerField(default=0, editable=False)
    """`Match.sequence` of the newest finished match. The row lock that guards it also guards the ladder's ratings."""
    public_matches = models.PositiveBigIntegerField(default=0, editable=False)
    """Finished matches that everybody may see, rated or not: what pages call played."""
    trends_at = models.DateTimeField(null=True, blank=True, editable=False)
    """The moment a day ago to which its `Trend`s look back; long ago when they are to be made anew."""
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


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
