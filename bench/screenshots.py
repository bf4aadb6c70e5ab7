"""Pictures of the site's pages, for docs/screenshots/: light and dark, on a desk and on a phone.

    python -m bench.screenshots [--folder docs/screenshots] [--only NAME ...]

Fills a site of its own: a simulated ladder, a tournament and matches that house bots really play. Needs Chromium.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import datetime as dt
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
# Playwright runs an event loop in this thread, and Django would take every query for one inside it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

import django  # noqa: E402
import pytest  # noqa: E402

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test.testcases import LiveServerThread  # noqa: E402
from django.utils import timezone  # noqa: E402
from playwright.sync_api import Browser, sync_playwright  # noqa: E402

from arena import Bot as Mind  # noqa: E402
from arena.bots.greedy import Greedy  # noqa: E402
from arena.bots.sharp import Sharp  # noqa: E402
from arena.bots.simple import Simple  # noqa: E402
from arena.bots.tactician import Tactician  # noqa: E402
from arena.local import LocalContestant  # noqa: E402
from arena.referee import play_match  # noqa: E402
from arena.rules import CLASSIC  # noqa: E402
from arena.tournament import SingleElimination  # noqa: E402
from bots.models import Bot, BotVersion  # noqa: E402
from ladder import services as ladder_services  # noqa: E402
from ladder import tasks as ladder_tasks  # noqa: E402
from ladder.models import Ladder, Match  # noqa: E402
from tables.players import Player  # noqa: E402
from tests import parts  # noqa: E402
from tests.e2e.conftest import FLAGS  # noqa: E402
from tests.e2e.visitors import PHONE, WIDE  # noqa: E402
from tests.web import cups, hosting  # noqa: E402
from tests.web.entering import author, entered, logged_in, open_uploads  # noqa: E402
from tests.web.games import Forgetful, played  # noqa: E402
from tests.web.matches import claimed, make_version  # noqa: E402
from tournaments import services, tasks  # noqa: E402
from tournaments.models import Fixture, Tournament  # noqa: E402

QUALITY = 55
"""Of WebP: text stays crisp in some 30 kB a picture."""
LOOKS = {
    "replay-four-colours": "light.four.blue",
    "replay-large": "light.large.wine",
    "replay-night": "dark.night.walnut",
}
"""Pictures of the replay in other looks than the first."""
OWN = {"my-bots", "upload", "editor", "version", "table", "new-tournament"}
"""Pictures of pages that want somebody who is logged in."""


def fill() -> tuple[dict[str, str], str]:
    """The path of each page by the name of its picture, and the session of an author who is logged in."""
    call_command("migrate", verbosity=0)
    call_command("setup", verbosity=0)
    call_command("simulate", bots=36, matches=2_400, pool=10, verbosity=0)
    _spread(dt.timedelta(days=12))
    open_uploads()
    ladder, ada = Ladder.objects.get(slug="classic"), author()
    fizz, sour = (make_version(name, ada) for name in ("Ginfizz", "Sour"))
    cup = _cup()
    for number, other in enumerate(("tactician", "reader", "simple", "greedy", "hasty", "counter") * 2):
        played(ladder, [fizz, _house(other)], (Sharp, Simple), decks=30 + number)
    failed = played(ladder, [sour, _house("greedy")], (Forgetful, Greedy))
    match = played(ladder, [fizz, _house("sharp")], (Tactician, Sharp), decks=5)
    entered(ada, name="Dry Martini")
    claimed(ladder_services.enqueue_match(ladder=ladder, versions=[fizz, _house("counter")]))
    ladder_services.enqueue_match(ladder=ladder, versions=[sour, _house("hasty")])
    for task in (ladder_tasks.fit_ladders, ladder_tasks.update_trends, ladder_tasks.tally_ladders):
        task()
    replay = f"/matches/{match.pk}/games/1/"
    paths = {
        "ladder": "/",
        "matrix": "/matrix/",
        "bot": "/bots/ginfizz/",
        "head-to-head": "/bots/ginfizz/against/sharp/",
        "matches": "/matches/",
        "match": f"/matches/{match.pk}/",
        "match-fault": f"/matches/{failed.pk}/",
        "replay": f"{replay}#40",
        "replay-showdown": f"{replay}#end",
        "compare": "/against/",
        "play": "/play/",
        "table": _table(ada),
        "tournaments": "/tournaments/",
        "tournament": cup.get_absolute_url(),
        "new-tournament": "/tournaments/new/",
        "rules": "/rules/",
        "guide": "/guide/",
        "web-api": "/guide/api/",
        "settings": "/settings/",
        "sign-up": "/accounts/signup/",
        "no-such-page": "/nothing/",
        "my-bots": "/my/",
        "version": "/bots/ginfizz/versions/1/",
        "upload": "/bots/new/",
        "editor": "/bots/new/write/",
    } | dict.fromkeys(LOOKS, f"{replay}#40")
    return paths, logged_in(ada).cookies["sessionid"].value


def _spread(over: dt.timedelta) -> None:
    """As if the matches so far had been played over so long a time: only then does a ladder show what moved."""
    matches = list(Match.objects.order_by("-sequence"))
    for number, match in enumerate(matches):
        match.finished_at = timezone.now() - over * number / len(matches)
    Match.objects.bulk_update(matches, ["finished_at"], batch_size=200)


def _house(slug: str) -> BotVersion:
    return BotVersion.objects.filter(bot__slug=slug).latest("number")


def _table(person: User) -> str:
    """The address of a game in the browser that somebody is in the middle of."""
    with pytest.MonkeyPatch.context() as patch:
        hosting.seated(patch, Sharp)
        table = hosting.dealt(Player("a" * 32, person, "here"), _house("sharp"), decks=5)
        for _ in range(6):
            table = hosting.moved(table)
    return table.get_absolute_url()


def _cup() -> Tournament:
    """An elimination of eight with its final still to come."""
    cup = cups.opened(
        author("host"), SingleElimination(matches=1), name="Autumn Cup", seeding="rating", bots_per_author=8
    )
    for bot in Bot.objects.filter(owner__isnull=False).exclude(owner__username="ada")[:8]:
        assert bot.owner
        services.enter(user=bot.owner, tournament=cup, bot=bot)
    cups.make_due(cup)
    for _ in range(2):
        tasks.run()
        for fixture in Fixture.objects.filter(match__state=Match.State.QUEUED).select_related("first", "second"):
            _play(fixture)
    tasks.run()
    return cup


def _play(fixture: Fixture) -> None:
    claim = ladder_services.claim_match(match_id=fixture.match_id, worker="w")
    assert claim
    minds: list[type[Mind]] = [Sharp, Simple]
    if (fixture.first.seed or 0) > (fixture.second.seed or 0):
        minds.reverse()
    record = play_match(CLASSIC, claim.seed, *map(LocalContestant, minds))
    assert ladder_services.finish_match(claim=claim, record=record)


def take(browser: Browser, site: str, session: str, name: str, path: str, folder: Path) -> None:
    """Every picture of one page."""
    look = LOOKS.get(name)
    for screen, (width, height) in {"wide": WIDE, "phone": PHONE}.items():
        for scheme in ("light", "dark") if look is None else (look.split(".")[0],):
            with browser.new_context(
                viewport={"width": width, "height": height}, has_touch=screen == "phone", reduced_motion="reduce"
            ) as context:
                chosen = look or f"{scheme}.classic.green"
                context.add_cookies([{"name": "look", "value": chosen, "url": site}])
                if name in OWN:
                    context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
                page = context.new_page()
                page.goto(site + path, wait_until="networkidle")
                # A replay fetches its positions first.
                if page.locator("#controls").count():
                    page.locator("#controls").wait_for()
                shot = context.new_cdp_session(page).send(
                    "Page.captureScreenshot", {"format": "webp", "quality": QUALITY}
                )
                file = folder / f"{name}-{screen}-{scheme}.webp"
                file.write_bytes(base64.b64decode(shot["data"]))
                print(file, file.stat().st_size)


@contextlib.contextmanager
def serving(handler: Any) -> Iterator[str]:
    """The address of a site that is served from a thread; `handler` serves its static files."""
    server = LiveServerThread("127.0.0.1", handler)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    if server.error:
        raise server.error
    yield f"http://127.0.0.1:{server.port}"
    server.terminate()


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "screenshots")
    parser.add_argument("--only", nargs="*", default=[])
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    paths, session = fill()
    with serving(StaticFilesHandler) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=parts.chromium(), args=FLAGS)
        for name, path in paths.items():
            if not chosen.only or name in chosen.only:
                take(browser, site, session, name, path, chosen.folder)
        browser.close()


if __name__ == "__main__":
    main()
