"""Tournaments for the staff, to find and read: what can be done to one is on its own pages."""

from __future__ import annotations

from django.contrib import admin

from ladder.admin import ReadOnly
from tournaments.models import Entry, Tournament


class EntryInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """Who takes part."""

    model = Entry
    fields = readonly_fields = ("bot", "seed", "entered_at", "left_number", "is_disqualified", "reason")


@admin.register(Tournament)
class TournamentAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """All tournaments, private ones too."""

    list_display = ("name", "edition", "state", "creator", "ladder", "starts_at", "is_public", "is_rated")
    list_filter = ("state", "is_public", "is_rated")
    search_fields = ("name", "creator__username")
    list_select_related = ("creator", "ladder")
    inlines = (EntryInline,)
