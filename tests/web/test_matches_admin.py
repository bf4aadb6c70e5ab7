"""The staff's pages: matches to watch, queue again and take out; ratings to read."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from bots.models import BotVersion
from ladder import services
from ladder.admin import LadderForm
from ladder.models import Game, Ladder, Match, Rating
from tests.web.matches import claimed, finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version("Ann"), make_version("Ben")]


def run_action(staff: Client, action: str, *matches: Match) -> str:
    data = {"action": action, "_selected_action": [match.pk for match in matches]}
    response = staff.post(reverse("admin:ladder_match_changelist"), data, follow=True)
    return response.content.decode()


def states(*matches: Match) -> list[str]:
    return [Match.objects.get(pk=match.pk).state for match in matches]


def test_every_list_and_page_opens(staff: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    match = finished(ladder, versions, 3)
    pages = {
        "ladder": ladder.pk,
        "match": match.pk,
        "game": Game.objects.all()[0].pk,
        "rating": Rating.objects.all()[0].pk,
    }
    for model, key in pages.items():
        assert staff.get(reverse(f"admin:ladder_{model}_changelist")).status_code == 200
        assert staff.get(reverse(f"admin:ladder_{model}_change", args=[key])).status_code == 200


def test_the_list_filters_by_state(staff: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    finished(ladder, versions, 4)
    waiting = services.enqueue_match(ladder=ladder, versions=versions)
    response = staff.get(reverse("admin:ladder_match_changelist"), {"state__exact": "queued"})
    assert [match.pk for match in response.context["cl"].result_list] == [waiting.pk]


def test_dead_letters_are_listed_with_the_houses_last_error(
    staff: Client, ladder: Ladder, versions: list[BotVersion], settings: Settings
) -> None:
    finished(ladder, versions, 4)
    dead, failing, fresh = (services.enqueue_match(ladder=ladder, versions=versions) for _ in range(3))
    for _ in range(settings.MATCH_ATTEMPTS):
        services.release_match(claim=claimed(dead), error="The engine does not answer.")
    services.release_match(claim=claimed(failing), error="The box ended unexpectedly.")
    page = reverse("admin:ladder_match_changelist")
    for choice, match, error in (
        ("void", dead, "The engine does not answer."),
        ("failing", failing, "The box ended unexpectedly."),
    ):
        response = staff.get(page, {"dead": choice})
        assert [row.pk for row in response.context["cl"].result_list] == [match.pk]
        assert error in response.content.decode()
    assert states(dead, failing, fresh) == ["void", "queued", "queued"]


def press(staff: Client, match: Match, button: str) -> str:
    """Sends the form of that button on the match's page; the page that follows."""
    page = staff.get(reverse("admin:ladder_match_change", args=[match.pk])).content.decode()
    (form,) = (
        form for form in re.findall(r'<form method="post" action="[^"]+">.*?</form>', page, re.DOTALL) if button in form
    )
    (target,) = re.findall(r'action="([^"]+)"', form)
    fields = dict(re.findall(r'name="(\w+)" value="(\w+)"', form))
    return staff.post(target, fields, follow=True).content.decode()


def test_a_dead_letter_is_queued_again_or_taken_out_on_its_page(
    staff: Client, ladder: Ladder, versions: list[BotVersion], settings: Settings
) -> None:
    dead = services.enqueue_match(ladder=ladder, versions=versions)
    for _ in range(settings.MATCH_ATTEMPTS):
        services.release_match(claim=claimed(dead), error="The engine does not answer.")
    assert "1 of 1 matches queued again." in press(staff, dead, "Queue again")
    row = Match.objects.get(pk=dead.pk)
    assert (row.state, row.failures) == ("queued", 0)
    assert "1 of 1 matches made void." in press(staff, dead, "Make void")
    assert states(dead) == ["void"]


def test_a_page_shows_only_the_buttons_that_do_something(
    staff: Client, client: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    done, waiting, running = (
        finished(ladder, versions, 4),
        *(services.enqueue_match(ladder=ladder, versions=versions) for _ in range(2)),
    )
    claimed(running)

    def buttons(match: Match) -> list[str]:
        page = client.get(reverse("admin:ladder_match_change", args=[match.pk])).content.decode()
        return re.findall(r'<button class="button">([^<]+)</button>', page)

    assert [buttons(match) for match in (done, waiting, running)] == [[], ["Make void"], ["Queue again", "Make void"]]
    helper = User.objects.create_user("helper", is_staff=True)
    helper.user_permissions.add(Permission.objects.get(codename="view_match"))
    client.force_login(helper)
    assert buttons(running) == []


def test_the_seed_of_a_running_match_is_shown_to_nobody(
    staff: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    match = services.enqueue_match(ladder=ladder, versions=versions)
    seed = claimed(match).seed.hex()
    page = reverse("admin:ladder_match_change", args=[match.pk])
    assert seed not in staff.get(page).content.decode()
    done = finished(ladder, versions, 4)
    page = reverse("admin:ladder_match_change", args=[done.pk])
    assert done.seed in staff.get(page).content.decode()


def test_void_takes_waiting_and_running_matches_and_says_what_it_left(
    staff: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    done = finished(ladder, versions, 4)
    waiting, running = (services.enqueue_match(ladder=ladder, versions=versions) for _ in range(2))
    claimed(running)
    text = run_action(staff, "make_void", done, waiting, running)
    assert "2 of 3 matches made void." in text
    assert states(done, waiting, running) == ["finished", "void", "void"]
    assert Match.objects.get(pk=waiting.pk).error == "Made void by root."


def test_queue_again_takes_void_and_running_matches(staff: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    void, running = (services.enqueue_match(ladder=ladder, versions=versions) for _ in range(2))
    services.void_match(match_id=void.pk, error="x")
    claimed(running)
    assert "2 of 2 matches queued again." in run_action(staff, "queue_again", void, running)
    assert states(void, running) == ["queued", "queued"]


def test_actions_are_for_those_who_may_change_matches(
    ladder: Ladder, versions: list[BotVersion], client: Client
) -> None:
    client.force_login(User.objects.create_user("helper", is_staff=True))
    match = services.enqueue_match(ladder=ladder, versions=versions)
    assert client.get(reverse("admin:ladder_match_changelist")).status_code == 403
    client.post(reverse("admin:ladder_match_changelist"), {"action": "make_void", "_selected_action": [match.pk]})
    assert states(match) == ["queued"]


@pytest.mark.parametrize("model", ["match", "rating", "game"])
def test_results_and_ratings_cannot_be_edited(
    staff: Client, ladder: Ladder, versions: list[BotVersion], model: str
) -> None:
    finished(ladder, versions, 4)
    key = {"match": Match, "rating": Rating, "game": Game}[model]._default_manager.all()[0].pk
    assert staff.post(reverse(f"admin:ladder_{model}_change", args=[key]), {"milli": 3_000_000}).status_code == 403
    assert staff.post(reverse(f"admin:ladder_{model}_delete", args=[key]), {"post": "yes"}).status_code == 403
    assert staff.post(reverse(f"admin:ladder_{model}_add"), {}).status_code == 403


def test_editing_a_ladder_leaves_its_counter_to_the_matches(
    staff: Client, ladder: Ladder, versions: list[BotVersion], monkeypatch: pytest.MonkeyPatch
) -> None:
    true_clean = LadderForm.clean

    def clean_while_a_match_finishes(form: LadderForm) -> object:
        finished(ladder, versions, 4)
        return true_clean(form)

    monkeypatch.setattr(LadderForm, "clean", clean_while_a_match_finishes)
    data = {"slug": "classic", "name": "New name", "rule_set": "classic", "is_open": ""}
    assert staff.post(reverse("admin:ladder_ladder_change", args=[ladder.pk]), data).status_code == 302
    ladder.refresh_from_db()
    assert (ladder.name, ladder.is_open, ladder.last_sequence) == ("New name", False, 1)


def test_the_rule_set_is_fixed_once_matches_exist(staff: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    page = reverse("admin:ladder_ladder_change", args=[ladder.pk])
    assert 'name="rule_set"' in staff.get(page).content.decode()
    finished(ladder, versions, 4)
    assert 'name="rule_set"' not in staff.get(page).content.decode()
    data = {"slug": "classic", "name": "Classic", "rule_set": "gin-only", "is_open": "on"}
    staff.post(page, data)
    ladder.refresh_from_db()
    assert ladder.rule_set == "classic"
