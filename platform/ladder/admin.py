"""Ladders and matches for the staff. Results and ratings are there to read: they follow from the log alone."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from arena.rules import RULE_SETS
from bots.paging import CappedPaginator
from ladder import services
from ladder.models import Fault, Game, Ladder, Match, Rating, RatingChange, Seat

# Django's admin classes take their type argument in the stubs only.


class ReadOnly:
    """For rows that only the services write."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody's."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody's."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody's."""
        return False


class LadderForm(forms.ModelForm):  # type: ignore[type-arg]
    """A ladder with its rule set chosen from those the engine knows."""

    rule_set = forms.ChoiceField(choices=[(name, name) for name in RULE_SETS])

    class Meta:
        model = Ladder
        fields = ("slug", "name", "rule_set", "is_open")


@admin.register(Ladder)
class LadderAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Open, close, rename or add ladders."""

    form = LadderForm
    list_display = ("name", "slug", "rule_set", "is_open", "last_sequence")
    list_filter = ("is_open", "rule_set")
    readonly_fields = ("last_sequence", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Ladder | None = None) -> tuple[str, ...]:
        """The rule set is fixed once matches exist: ratings under two rule sets mean nothing."""
        fixed = ("rule_set",) if obj is not None and obj.matches.exists() else ()
        return ("last_sequence", "created_at", *fixed)

    def save_model(self, request: HttpRequest, obj: Ladder, form: Any, change: bool) -> None:
        """Writes what the form shows and nothing else: matches go on finishing while it is open."""
        obj.save(update_fields=form.changed_data if change else None)

    def has_delete_permission(self, request: HttpRequest, obj: Ladder | None = None) -> bool:
        """A ladder with history stays; it can be closed."""
        return obj is not None and not obj.matches.exists() and super().has_delete_permission(request, obj)


class SeatInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """Who sat where, and what came of it."""

    model = Seat
    fields = readonly_fields = ("index", "version", "score_quarters", "games_won", "points", "faults")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        """Without the sources."""
        return super().get_queryset(request).select_related("version__bot").defer("version__source", "version__report")


class GameInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The games of a finished match."""

    model = Game
    fields = readonly_fields = ("number", "seat0_index", "ending", "winner", "score_a", "score_b", "hands")
    show_change_link = True


class ChangeInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """What a match did to the ratings."""

    model = RatingChange
    fields = readonly_fields = ("rating", "sequence", "before_milli", "delta_milli", "matches_before")


class DeadLetterFilter(admin.SimpleListFilter):
    """What the house could not play, with its last error beside it."""

    title = "dead letters"
    parameter_name = "dead"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Given up for good, or on the way there."""
        return [("void", "Void: given up, or taken out"), ("failing", "Failed before, and tried again")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        """The chosen ones."""
        if self.value() == "void":
            return queryset.filter(state=Match.State.VOID)
        if self.value() == "failing":
            return queryset.filter(state__in=(Match.State.QUEUED, Match.State.RUNNING), failures__gt=0)
        return queryset


@admin.register(Match)
class MatchAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Watch matches; queue one again or take it out, here or on its page (`admin/ladder/match/change_form.html`)."""

    list_display = (
        *("id", "ladder", "seats_line", "state", "origin", "is_rated"),
        *("attempt", "failures", "queued_at", "error_line"),
    )
    list_filter = (DeadLetterFilter, "state", "origin", "is_rated", "ladder")
    list_select_related = ("ladder",)
    search_fields = ("=id", "seats__version__bot__name", "seats__version__bot__slug")
    ordering = ("-id",)
    show_full_result_count = False
    paginator = CappedPaginator
    actions = ("queue_again", "make_void")
    inlines = (SeatInline, GameInline, ChangeInline)
    # Not the seed: of a running match it tells the cards to come.
    fields = (
        *("ladder", "state", "origin", "asked_by", "is_rated", "published_seed"),
        *("attempt", "failures", "worker", "lease_expires_at"),
        *("queued_at", "resend_at", "claimed_at", "finished_at", "sequence", "error"),
    )
    readonly_fields = ("published_seed",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        """With the seats, without the sources."""
        return super().get_queryset(request).prefetch_related("seats__version__bot")

    @admin.display(description="seats")
    def seats_line(self, match: Match) -> str:
        """Both versions, seat 0 first."""
        return " - ".join(str(seat.version) for seat in match.seats.all())

    @admin.display(description="error")
    def error_line(self, match: Match) -> str:
        """The beginning of the house's last failure."""
        return match.error[:80]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """With the buttons that would do something."""
        may, state = self.has_operate_permission(request), context["original"].state
        buttons = {
            "queue_again": ("Queue again", (Match.State.VOID, Match.State.RUNNING)),
            "make_void": ("Make void", (Match.State.QUEUED, Match.State.RUNNING)),
        }
        context["buttons"] = [(name, text) for name, (text, states) in buttons.items() if may and state in states]
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.action(description="Queue again (void or running matches)", permissions=["operate"])
    def queue_again(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        """Failures are forgiven; a worker that still plays it finds its claim lost."""
        keys = list(queryset.values_list("pk", flat=True))
        done = sum(services.requeue_match(match_id=key) for key in keys)
        self._report(request, done, len(keys), "queued again", "Queued and finished matches stay as they are.")

    @admin.action(description="Make void (queued or running matches)", permissions=["operate"])
    def make_void(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        """A void match leaves the ladder as if it had never been."""
        keys = list(queryset.values_list("pk", flat=True))
        by = f"Made void by {request.user.get_username()}."
        done = sum(services.void_match(match_id=key, error=by) for key in keys)
        self._report(request, done, len(keys), "made void", "Finished and void matches stay as they are.")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whoever may change matches in Django's sense may run the actions."""
        return request.user.has_perm("ladder.change_match")

    def _report(self, request: HttpRequest, done: int, asked: int, what: str, rest: str) -> None:
        text = f"{done} of {asked} matches {what}."
        level = messages.SUCCESS if done == asked else messages.WARNING
        self.message_user(request, text if done == asked else f"{text} {rest}", level)


class FaultInline(ReadOnly, admin.StackedInline):  # type: ignore[type-arg]
    """Where a bot failed."""

    model = Fault
    fields = readonly_fields = ("seat", "kind", "message", "file", "line", "traceback")


@admin.register(Game)
class GameAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """One game with its faults; reached from its match."""

    fields = ("match", "number", "seat0_index", "ending", "winner", "score_a", "score_b", "hands")
    list_display = ("match", "number", "ending", "winner", "score_a", "score_b")
    list_filter = ("ending",)
    ordering = ("-id",)
    show_full_result_count = False
    paginator = CappedPaginator
    inlines = (FaultInline,)


@admin.register(Rating)
class RatingAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Standings; `manage.py ladder rebuild` is the only way to change one."""

    list_display = ("version", "ladder", "milli", "matches", "wins", "draws", "losses")
    list_filter = ("ladder", "version__bot__is_house")
    search_fields = ("version__bot__name", "version__bot__slug")
    ordering = ("-milli",)
    show_full_result_count = False
    paginator = CappedPaginator
    fields = (
        *("ladder", "version", "milli", "matches", "wins", "draws", "losses"),
        *("predecessor", "start_sequence", "start_milli", "created_at"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Rating]:
        """Without the sources."""
        rows = super().get_queryset(request).select_related("version__bot", "ladder")
        return rows.defer("version__source", "version__report")
