"""What migrations do to the rows of an earlier release, where a later rule would stumble over them."""

from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from arena.tournament import SingleElimination
from ladder.models import Match
from tests.web import cups
from tests.web.entering import open_uploads
from tests.web.matches import finished, make_ladder, make_version
from tournaments import tasks
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


def test_private_tournaments_from_before_matches_could_be_private_go_on() -> None:
    open_uploads()
    shown = finished(make_ladder(), [make_version("Ann"), make_version("Ben")], 4, is_rated=False)
    made = cups.opened(User.objects.create_user("chief", is_staff=True), SingleElimination(), is_public=False)
    for number in range(1, 5):
        made.entries.create(bot=make_version(f"Bot{number:02}").bot, seed=number)
    cups.make_due(made)
    tasks.run()
    assert cups.play_queued() == 2
    # As the earlier release left them: one match moved ratings, one did not, and the next was to.
    tournaments = Tournament.objects.filter(pk=made.pk)
    tournaments.update(is_rated=True)
    rated, _ = Match.objects.filter(fixture__tournament=made).order_by("pk")
    Match.objects.update(is_private=False)
    Match.objects.filter(pk=rated.pk).update(is_rated=True)
    migration = import_module("tournaments.migrations.0003_private_matches")
    migration.hide(apps, None)
    migration.unrate(apps, None)
    assert set(Match.objects.filter(is_private=False)) == {shown, rated}
    cups.play_out(made)
    assert tournaments.get().state == Tournament.State.FINISHED
    assert set(Match.objects.filter(is_private=False)) == {shown, rated}
    assert Match.objects.filter(is_private=True).count() == 2
    tournaments.update(is_rated=True)
    migration.unrate(apps, None)
    assert tournaments.get().is_rated  # what is over stays as it was
