"""Tables for the staff: how games go, and what the house could not host. Not the cards, nor who somebody is."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from bots.paging import CappedPaginator
from ladder.admin import ReadOnly
from tables.models import Table


@admin.register(Table)
class TableAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Only the tables' own services write them."""

    list_display = (
        "id",
        "version",
        "rule_set",
        "state",
        "ending",
        "moves",
        "attempt",
        "failures",
        "created_at",
        "reason",
    )
    list_filter = ("state", "ending", "rule_set", "is_quick")
    list_select_related = ("version__bot",)
    search_fields = ("=id", "version__bot__name")
    ordering = ("-id",)
    show_full_result_count = False
    paginator = CappedPaginator
    # The seed and the actions tell the cards of a game that goes on, the token leads to it.
    view_on_site = False
    exclude = ("token", "player", "user", "origin", "seed", "actions", "record")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        """Without the games."""
        return super().get_queryset(request).defer("actions", "record")
