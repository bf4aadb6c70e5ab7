"""Tournaments for the staff, to find and read: what can be done to one is on its own pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from tournaments.models import Entry, Tournament


class _ReadOnly:
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class EntryInline(_ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """Who takes part."""

    model = Entry
    fields = readonly_fields = ("bot", "seed", "entered_at", "left_number", "is_disqualified", "reason")


@admin.register(Tournament)
class TournamentAdmin(_ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """All tournaments, private ones too."""

    list_display = ("name", "edition", "state", "creator", "ladder", "starts_at", "is_public", "is_rated")
    list_filter = ("state", "is_public", "is_rated")
    search_fields = ("name", "creator__username")
    list_select_related = ("creator", "ladder")
    inlines = (EntryInline,)
