"""The end of an account: who it was is forgotten, and what others' ratings rest on stays."""

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import OperationalError, transaction

from bots import services
from bots.models import Bot, Trial
from bots.refusals import Refusal

DEADLOCK = "40P01"
"""PostgreSQL's code."""


def close_account(*, user: User) -> None:
    """Deletes the account's bots (`services.delete_bot`), its drafts, name, addresses and rights.

    Nobody logs in with it again. The row stays, without anything of the person: matches, tournaments and the staff's
    log point to it. The name is free. Raises Refusal for the last account that can administer the site.
    """
    try:
        _close(user)
    except OperationalError as error:
        # Whoever queues matches of these bots at this moment holds them in an order of its own, until it commits.
        if getattr(error.__cause__, "sqlstate", "") != DEADLOCK:
            raise
        _close(user)


def _close(user: User) -> None:
    with transaction.atomic():
        # The staff's rows too, in one order: of the last two, who close their accounts at once, one stays.
        staff = User.objects.filter(is_staff=True, is_active=True) | User.objects.filter(pk=user.pk)
        locked = {one.pk: one for one in staff.select_for_update().order_by("pk")}
        user = locked.pop(user.pk)
        if user.is_staff and not any(one.is_superuser or not user.is_superuser for one in locked.values()):
            raise Refusal(
                "last_staff", "This is the last account that can administer the site. Let another one do so first."
            )
        for bot in Bot.objects.filter(owner=user).exclude(state=Bot.State.DELETED).order_by("pk"):
            services.delete_bot(bot=bot)
        Trial.objects.filter(owner=user).delete()
        EmailAddress.objects.filter(user=user).delete()
        user.groups.clear()
        user.user_permissions.clear()
        # A space: nobody can sign up under such a name. No password: every session of the account ends.
        user.username, user.email, user.first_name, user.last_name = f"deleted account {user.pk}", "", "", ""
        user.is_active = user.is_staff = user.is_superuser = False
        user.last_login = None
        user.set_unusable_password()
        user.save()
