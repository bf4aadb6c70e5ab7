"""A bot from draft to deletion, as its owner and others see it; and what happens when things happen at once."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from bots import services, validations
from bots.models import Bot, BotVersion
from bots.queries import current_version
from bots.refusals import Refusal
from ladder import scheduler
from ladder import services as ladder_services
from ladder.models import Ladder, Match, Rating, Seat
from tests.sandbox.faulty import PLAYS
from tests.web.entering import author, entered, logged_in, open_uploads, post_new, text_of
from tests.web.matches import claimed, finished, make_ladder, make_version, record_of
from tests.web.overtaking import overtaken
from tests.web.test_bots_services import PASSED

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _open(db: None) -> None:
    open_uploads()


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def ada() -> User:
    return author("ada")


def passed(version: BotVersion) -> None:
    claim = validations.claim_validation(version_id=version.pk)
    assert claim is not None
    assert validations.record_validation(claim=claim, report=PASSED)


def at_once(*works: Callable[[], Any]) -> None:
    """Runs all at the same moment; raises what the first of them to fail raised."""
    start = threading.Barrier(len(works))
    errors: list[BaseException] = []

    def run(work: Callable[[], Any]) -> None:
        start.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


class TestStates:
    def test_every_state_is_shown_to_the_owner_with_what_to_do(self, ada: User) -> None:
        client = logged_in(ada)
        bot = services.create_bot(owner=ada, name="Gin Fizz")

        def says(badge: str, sentence: str) -> None:
            page = text_of(client.get("/my/"))
            assert f">{badge}</span>" in page
            assert sentence in page

        says("draft", "Upload a first version.")
        version = services.add_version(bot=bot, filename="bot.py", data=PLAYS.encode())
        says("being checked", "Version 1 is being checked. It enters the ladder if it passes.")
        BotVersion.objects.update(state=BotVersion.State.REJECTED)
        says("rejected", "Version 1 was rejected. Read why, and upload a corrected version.")
        BotVersion.objects.update(state=BotVersion.State.ACTIVE)
        says("active", "Version 1 plays rated matches.")
        services.bench_bot(bot=version.bot, reason="Version 1 failed in 5 rated matches in a row.")
        says("benched", "Benched: Version 1 failed in 5 rated matches in a row. Upload a corrected version")
        services.retire_bot(bot=bot)
        says("retired", "Retired: it plays no more; its matches stay.")


class TestGoingBack:
    @pytest.fixture
    def bot(self, ada: User, ladder: Ladder) -> Bot:
        """Version 1 has won a match, version 2 has lost two."""
        rival = make_version("Rival")
        finished(ladder, [make_version("Mine", ada), rival], 4)
        second = make_version("Mine", ada, number=2)
        for _ in range(2):
            finished(ladder, [second, rival], 0)
        return Bot.objects.get(slug="mine")

    def test_it_asks_first_and_then_the_earlier_version_plays_on_at_its_rating(self, ada: User, bot: Bot) -> None:
        client = logged_in(ada)
        assert "/bots/mine/versions/1/play/" in text_of(client.get("/bots/mine/versions/1/"))
        assert "/bots/mine/versions/2/play/" not in text_of(client.get("/bots/mine/versions/2/"))
        before = Rating.objects.get(version__bot=bot, version__number=1)
        page = text_of(client.get("/bots/mine/versions/1/play/"))
        assert "Let Mine play as version 1?" in page
        assert "Now it plays as version 2." in page
        page = text_of(client.post("/bots/mine/versions/1/play/", follow=True))
        assert "Mine plays as version 1 from now on." in page
        assert "Version 1 plays rated matches; the newer ones are withdrawn." in page
        assert ">withdrawn</span>" in page
        current = current_version(bot)
        assert current is not None
        assert current.number == 1
        after = Rating.objects.get(version=current)
        assert (after.pk, after.milli, after.matches) == (before.pk, before.milli, before.matches)
        page = text_of(Client().get("/"))
        assert f'class="num elo">{after.points}<' in page
        scheduler.schedule(house_only=False)
        queued = Seat.objects.filter(match__state=Match.State.QUEUED, version__bot=bot)
        assert set(queued.values_list("version__number", flat=True)) == {1}

    def test_the_withdrawn_version_can_play_again(self, bot: Bot) -> None:
        first, second = bot.versions.order_by("number")
        services.play_version(version=first)
        services.play_version(version=second)
        assert current_version(bot) == second
        assert set(bot.versions.values_list("state", flat=True)) == {BotVersion.State.ACTIVE}

    def test_the_next_version_starts_from_the_one_that_played_last(self, bot: Bot, ladder: Ladder, ada: User) -> None:
        first = bot.versions.get(number=1)
        services.play_version(version=first)
        third = make_version("Mine", ada, number=3)
        rating = ladder_services.enter_ladder(ladder=ladder, version=third)
        assert rating.predecessor == Rating.objects.get(version=first)
        finished(ladder, [third, make_version("Rival2")], 4)
        assert ladder_services.verify_ladder(ladder=ladder) == []

    def test_it_brings_a_benched_bot_back(self, bot: Bot) -> None:
        services.bench_bot(bot=bot, reason="x")
        services.play_version(version=bot.versions.get(number=1))
        bot.refresh_from_db()
        assert (bot.state, bot.benched_reason) == (Bot.State.ACTIVE, "")

    def test_what_cannot_play_is_refused(self, bot: Bot, ada: User) -> None:
        with pytest.raises(Refusal, match="plays already"):
            services.play_version(version=bot.versions.get(number=2))
        bad = make_version("Mine", ada, number=3)
        BotVersion.objects.filter(pk=bad.pk).update(state=BotVersion.State.REJECTED)
        with pytest.raises(Refusal, match="has not passed its check"):
            services.play_version(version=bad)
        services.retire_bot(bot=bot)
        with pytest.raises(Refusal, match="Mine is retired"):
            services.play_version(version=bot.versions.get(number=1))

    def test_nobody_does_it_for_another(self, bot: Bot) -> None:
        assert logged_in(author("eve")).post("/bots/mine/versions/1/play/").status_code == 403
        assert Client().post("/bots/mine/versions/1/play/").status_code == 302
        assert bot.versions.get(number=2).state == BotVersion.State.ACTIVE


class TestDeletion:
    @pytest.fixture
    def match(self, ada: User, ladder: Ladder) -> Match:
        return finished(ladder, [make_version("Mine", ada), make_version("Rival")], 4)

    def test_it_asks_first_and_then_hides_the_bot_everywhere(self, ada: User, match: Match) -> None:
        client = logged_in(ada)
        bot = Bot.objects.get(slug="mine")
        assert "Delete Mine?" in text_of(client.get("/bots/mine/delete/"))
        assert "Mine is deleted." in text_of(client.post("/bots/mine/delete/", follow=True))
        for path in ("/", "/matches/", "/my/", "/bots/rival/", f"/matches/{match.pk}/"):
            page = text_of(client.get(path))
            assert "Mine" not in page, path
        assert client.get("/bots/mine/").status_code == 404
        gone = client.get(f"/bots/deleted-bot-{bot.pk}/")
        assert gone.status_code == 410
        assert "ada" not in text_of(Client().get(f"/bots/deleted-bot-{bot.pk}/"))
        assert "has deleted this bot" in text_of(client.get(f"/matches/?bot=deleted-bot-{bot.pk}"))
        for path in ("upload/", "retire/", "versions/1/", "challenge/"):
            assert client.get(f"/bots/deleted-bot-{bot.pk}/{path}").status_code == 404
        assert client.get(f"/bots/deleted-bot-{bot.pk}/versions/1/source/").status_code == 403
        assert client.get(f"/api/v1/bots/deleted-bot-{bot.pk}").status_code == 404

    def test_its_matches_stay_readable_and_rated(self, ada: User, match: Match, ladder: Ladder) -> None:
        bot = Bot.objects.get(slug="mine")
        services.delete_bot(bot=bot)
        page = text_of(Client().get(f"/matches/{match.pk}/"))
        assert f"Deleted bot {bot.pk}" in page
        assert Client().get(f"/matches/{match.pk}/games/1/").status_code == 200
        assert Rating.objects.get(version__bot__slug="rival").matches == 1
        assert ladder_services.verify_ladder(ladder=ladder) == []

    def test_its_name_and_its_place_in_the_account_are_free(self, ada: User, match: Match, settings: Any) -> None:
        settings.ARENA_MAX_LIVE_BOTS = 1
        services.delete_bot(bot=Bot.objects.get(slug="mine"))
        eve = author("eve")
        assert post_new(logged_in(eve), "Mine", "bot.py", PLAYS.encode()).status_code == 302
        assert services.create_bot(owner=ada, name="Another").slug == "another"

    def test_nobody_takes_the_name_of_a_deleted_bot(self, ada: User) -> None:
        with pytest.raises(Refusal, match="kept for the site"):
            services.create_bot(owner=ada, name="Deleted Bot 7")

    def test_nobody_does_it_for_another_or_to_a_house_bot(self, match: Match) -> None:
        eve = logged_in(author("eve"))
        for slug in ("mine", "rival"):
            assert eve.post(f"/bots/{slug}/delete/").status_code == 403
        assert not Bot.objects.filter(state=Bot.State.DELETED).exists()

    def test_the_staff_may_do_it_and_house_bots_stay(self, match: Match) -> None:
        client = logged_in(User.objects.create_superuser("root"))
        keys = list(Bot.objects.values_list("pk", flat=True))
        page = text_of(client.post("/admin/bots/bot/", {"action": "hide", "_selected_action": keys}, follow=True))
        assert "1 bots deleted." in page
        assert set(Bot.objects.values_list("is_house", "state")) == {(True, "active"), (False, "deleted")}
        page = text_of(client.get(f"/admin/bots/bot/{Bot.objects.get(is_house=False).pk}/change/"))
        assert '<select name="state"' not in page
        page = text_of(client.get(f"/admin/bots/bot/{Bot.objects.get(is_house=True).pk}/change/"))
        assert '<option value="retired"' in page
        assert '<option value="deleted"' not in page


def test_a_note_of_any_length_is_answered_by_the_form(ada: User) -> None:
    response = post_new(logged_in(ada), "Gin Fizz", "bot.py", PLAYS.encode(), note="x" * 100_000)
    assert response.status_code == 422
    assert "A note has at most 200 characters; this one has 100000." in text_of(response)


class TestWaitingMatches:
    """What waits for a worker when a bot leaves the ladder."""

    @pytest.mark.parametrize(
        "leave",
        [
            lambda bot: services.retire_bot(bot=bot),
            lambda bot: services.delete_bot(bot=bot),
            lambda bot: services.bench_bot(bot=bot, reason="It failed."),
        ],
    )
    @pytest.mark.parametrize("mine", [0, 1])
    def test_they_are_void_and_say_why(
        self, ada: User, ladder: Ladder, leave: Callable[[Bot], None], mine: int
    ) -> None:
        versions = [make_version("Rival")]
        versions.insert(mine, make_version("Mine", ada))
        match = ladder_services.enqueue_match(ladder=ladder, versions=versions)
        leave(versions[mine].bot)
        assert ladder_services.claim_match(match_id=match.pk, worker="w1") is None
        match.refresh_from_db()
        assert (match.state, match.failures) == (Match.State.VOID, 0)
        assert f"seat {mine}" in match.error
        assert [rating.matches for rating in Rating.objects.all()] == [0, 0]
        page = text_of(Client().get(f"/matches/{match.pk}/"))
        assert "one of its bots had left the ladder" in page
        assert "reasons on our side" not in page
        assert ladder_services.verify_ladder(ladder=ladder) == []

    def test_a_challenge_that_nobody_can_take_up_any_more_is_not_counted(
        self, ada: User, ladder: Ladder, settings: Any
    ) -> None:
        settings.ARENA_MAX_CHALLENGES_A_DAY = 1
        mine, rival = make_version("Mine", ada), make_version("Rival", author("bob"))
        match = ladder_services.challenge(user=ada, version=mine, opponent=rival.bot, ladder=ladder)
        services.retire_bot(bot=rival.bot)
        assert ladder_services.claim_match(match_id=match.pk, worker="w1") is None
        other = make_version("Other")
        ladder_services.challenge(user=ada, version=mine, opponent=other.bot, ladder=ladder)

    def test_an_earlier_version_plays_what_was_queued_for_it(self, ada: User, ladder: Ladder) -> None:
        first, rival = make_version("Mine", ada), make_version("Rival")
        second = make_version("Mine", ada, number=2)
        match = ladder_services.enqueue_match(ladder=ladder, versions=[second, rival])
        services.play_version(version=first)
        assert claimed(match).versions[0] == second

    def test_a_match_that_a_dead_worker_gave_back_is_void_too(self, ada: User, ladder: Ladder) -> None:
        mine, rival = make_version("Mine", ada), make_version("Rival")
        match = ladder_services.enqueue_match(ladder=ladder, versions=[mine, rival])
        claim = claimed(match)
        services.retire_bot(bot=mine.bot)
        assert ladder_services.hand_back_match(claim=claim)
        assert ladder_services.claim_match(match_id=match.pk, worker="w2") is None
        match.refresh_from_db()
        assert match.state == Match.State.VOID


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_a_new_version_comes_while_ten_matches_of_the_old_one_run(self) -> None:
        open_uploads()
        ladder, rival = make_ladder(), make_version("Rival")
        old = entered(author("ada"), "Mine")
        passed(old)
        old.refresh_from_db()
        claims = [claimed(ladder_services.enqueue_match(ladder=ladder, versions=[old, rival])) for _ in range(10)]

        def finish(claim: ladder_services.Claim) -> Callable[[], object]:
            return lambda: ladder_services.finish_match(claim=claim, record=record_of(claim, 4))

        def renew() -> None:
            new = services.add_version(bot=old.bot, filename="bot.py", data=PLAYS.encode() + b"# 2\n")
            passed(new)
            new.refresh_from_db()
            ladder_services.enqueue_match(ladder=ladder, versions=[new, rival])

        at_once(renew, *(finish(claim) for claim in claims))
        first, second = Rating.objects.filter(version__bot=old.bot).order_by("version__number")
        assert (first.matches, first.wins) == (10, 10)
        assert (second.matches, second.predecessor) == (0, first)
        played = Match.objects.exclude(sequence=None).order_by("sequence").values_list("sequence", flat=True)
        assert list(played) == list(range(1, 11))
        assert ladder_services.verify_ladder(ladder=ladder) == []

    def test_a_bot_is_retired_at_the_moment_when_its_match_benches_it(self, settings: Any) -> None:
        settings.BENCH_AFTER_FAULTS = 1
        ladder, rival = make_ladder(), make_version("Rival")
        mine = make_version("Mine", author("ada"))
        claim = claimed(ladder_services.enqueue_match(ladder=ladder, versions=[mine, rival]))
        record = record_of(claim, 0)
        # What runs is finished and counts, and nothing is made of the retired bot but that.
        stored, _ = overtaken(
            lambda: ladder_services.finish_match(claim=claim, record=record),
            lambda: services.retire_bot(bot=mine.bot),
            before='UPDATE "bots_bot"',
        )
        assert stored is True
        assert Match.objects.get().state == Match.State.FINISHED
        assert Rating.objects.get(version=mine).matches == 1
        assert Bot.objects.get(slug="mine").state == Bot.State.RETIRED
        assert scheduler.schedule(house_only=False) == 0
        assert ladder_services.verify_ladder(ladder=ladder) == []

    @pytest.mark.parametrize("way", ["a new version", "an earlier version"])
    def test_a_benched_bot_is_retired_at_the_moment_when_a_version_brings_it_back(self, way: str) -> None:
        open_uploads()
        first = make_version("Mine", author("ada"))
        second = make_version("Mine", number=2)
        services.bench_bot(bot=first.bot, reason="It failed.")
        if way == "a new version":
            BotVersion.objects.filter(pk=second.pk).update(state=BotVersion.State.VALIDATING)
            claim = validations.claim_validation(version_id=second.pk)
            assert claim is not None
            back: Callable[[], object] = partial(validations.record_validation, claim=claim, report=PASSED)
        else:
            back = partial(services.play_version, version=first)
        overtaken(back, lambda: services.retire_bot(bot=first.bot), before='UPDATE "bots_botversion"')
        assert Bot.objects.get(slug="mine").state == Bot.State.RETIRED

    def test_two_uploads_of_one_bot_at_the_same_moment_are_two_versions_and_the_later_plays(self) -> None:
        open_uploads()
        bot = services.create_bot(owner=author("ada"), name="Mine")

        def upload(number: int) -> Callable[[], object]:
            data = PLAYS.encode() + b"# %d\n" % number
            return lambda: services.add_version(bot=bot, filename="bot.py", data=data)

        at_once(*(upload(number) for number in range(4)))
        versions = list(bot.versions.defer("source").order_by("number"))
        assert [version.number for version in versions] == [1, 2, 3, 4]
        assert len({version.sha256 for version in versions}) == 4
        at_once(*(lambda version=version: passed(version) for version in versions))
        assert current_version(bot) == versions[-1]
