"""Bots for the staff. Sources and reports are there to read; only a bot's state can be changed by hand."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from bots import closing, queries, services
from bots.models import Bot, BotVersion, SandboxStatus, Trial
from bots.paging import CappedPaginator
from bots.refusals import Refusal


class _ReadOnly:
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class VersionInline(_ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """A bot's versions, with a link to each."""

    model = BotVersion
    fields = readonly_fields = ("number", "state", "class_name", "filename", "note", "created_at")
    show_change_link = True
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[BotVersion]:
        """Without the sources."""
        return super().get_queryset(request).defer("source")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody edits a version."""
        return False


@admin.register(Bot)
class BotAdmin(_ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Bench, retire, bring back or delete a bot."""

    actions = ("hide",)

    list_display = ("name", "owner", "state", "is_house", "created_at")
    list_filter = ("state", "is_house")
    list_select_related = ("owner",)
    search_fields = ("name", "slug", "owner__username")
    show_full_result_count = False
    paginator = CappedPaginator
    fields = ("name", "slug", "owner", "is_house", "state", "benched_reason", "created_at")
    readonly_fields = ("name", "slug", "owner", "is_house", "created_at")
    inlines = (VersionInline,)

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Every state but deleted: that takes the name away too, which the action does."""
        kwargs["choices"] = [choice for choice in Bot.State.choices if choice[0] != Bot.State.DELETED]
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Bot | None = None) -> tuple[str, ...]:
        """A deleted bot stays deleted."""
        gone = ("state", "benched_reason") if obj is not None and obj.state == Bot.State.DELETED else ()
        return (*self.readonly_fields, *gone)

    @admin.action(description="Delete: hide the bot, keep its matches", permissions=["change"])
    def hide(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        """As its owner could. House bots stay: the scale hangs on them."""
        bots = list(queryset.exclude(is_house=True).exclude(state=Bot.State.DELETED))
        for bot in bots:
            services.delete_bot(bot=bot)
        self.message_user(request, f"{len(bots)} bots deleted. House bots and deleted ones stay as they are.")


admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """Django's own, but that an account ends as its owner could end it: matches and tournaments point to its row."""

    actions = ("close",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not the row."""
        return False

    @admin.action(description="Delete: forget who it was, delete its bots, keep their matches", permissions=["close"])
    def close(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """One by one: the last that can administer the site stays."""
        for user in queryset:
            name = user.get_username()
            try:
                closing.close_account(user=user)
            except Refusal as refused:
                self.message_user(request, f"The account {name} stays. {refused.message}", messages.ERROR)
            else:
                self.message_user(request, f"The account {name} is deleted.", messages.SUCCESS)

    def has_close_permission(self, request: HttpRequest) -> bool:
        """Whoever may delete accounts in Django's sense."""
        return request.user.has_perm("auth.delete_user")


@admin.register(BotVersion)
class BotVersionAdmin(_ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """One upload: its source and what its validation found."""

    list_display = ("__str__", "state", "owner", "filename", "created_at")
    list_filter = ("state", "bot__is_house")
    list_select_related = ("bot__owner",)
    search_fields = ("bot__name", "bot__slug", "bot__owner__username", "sha256")
    show_full_result_count = False
    paginator = CappedPaginator
    exclude = ("source", "report")
    readonly_fields = (
        "bot", "number", "state", "class_name", "filename", "note", "sha256", "created_at", "validated_at",
        "attempt", "lease_expires_at", "house_error", "findings", "source_text",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[BotVersion]:
        """Without the sources, which only the page of one version shows."""
        return super().get_queryset(request).defer("source")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody edits a version."""
        return False

    @admin.display(description="owner")
    def owner(self, version: BotVersion) -> str:
        """Who uploaded it."""
        return version.bot.owner.get_username() if version.bot.owner else "the house"

    @admin.display(description="validation")
    def findings(self, version: BotVersion) -> SafeString:
        """Every check with its sentence and traceback, then what the bot printed."""
        checks = (
            (check["name"], "passed" if check["ok"] else "failed", check["message"], check["traceback"])
            for check in version.report.get("checks", [])
        )
        found = format_html_join("", "<p>{}: {}. {}</p><pre>{}</pre>", checks)
        return format_html("{}<pre>{}</pre>", found, version.report.get("log", ""))

    @admin.display(description="source")
    def source_text(self, version: BotVersion) -> SafeString:
        """Every file of the upload."""
        files = queries.source_of(version).files.items()
        return format_html_join("", "<h3>{}</h3><pre>{}</pre>", files)


@admin.register(Trial)
class TrialAdmin(_ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Who tries drafts out, and what the house could not play. Not the drafts: their authors were promised that."""

    list_display = ("id", "owner", "opponent", "state", "hands", "attempt", "created_at", "house_error")
    list_filter = ("state", "opponent")
    list_select_related = ("owner",)
    search_fields = ("=id", "owner__username")
    ordering = ("-id",)
    show_full_result_count = False
    paginator = CappedPaginator
    exclude = ("source", "record")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Trial]:
        """Without the drafts and their games."""
        return super().get_queryset(request).defer("source", "record")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only workers write it."""
        return False


@admin.register(SandboxStatus)
class SandboxStatusAdmin(_ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """What the workers of each machine last said about its sandbox."""

    list_display = ("machine", "driver", "runs_uploads", "numpy", "checked_at", "message")
    ordering = ("machine",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only workers write it."""
        return False
