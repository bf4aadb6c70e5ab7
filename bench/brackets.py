"""Pictures of the bracket, for docs/brackets/: several sizes, single and double elimination, on a desk and on a phone.

    python -m bench.brackets [--folder docs/brackets] [--dark]

Draws lots for the results. Needs Chromium.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django  # noqa: E402

django.setup()

from playwright.sync_api import Route, sync_playwright  # noqa: E402

from arena.tournament import DoubleElimination, Format, SingleElimination  # noqa: E402
from tests import parts  # noqa: E402
from tests.e2e.visitors import PHONE, WIDE  # noqa: E402
from tests.web.drawn_cups import facts_of, new_cup, page, played  # noqa: E402
from tournaments import bracket  # noqa: E402

SITE = "http://arena.test/"
FORMATS: dict[str, Format] = {"single": SingleElimination(matches=3), "double": DoubleElimination(matches=3)}
SIZES = (5, 8, 13, 64)
QUALITY = 80
"""Of WebP, which takes a third of the bytes that PNG does."""


def pages() -> dict[str, str]:
    """The page of each bracket, by the name of its picture; every second one is still being played."""
    found = {}
    for name, chosen in FORMATS.items():
        for index, size in enumerate(SIZES):
            cup = new_cup(chosen, size)
            done = played(cup)
            if index % 2:
                done = played(cup, most=len(done.results) * 2 // 3)
            found[f"{name}-{size}"] = page(
                '<div class="panel panel-flush">{% include "tournaments/_bracket.html" %}</div>',
                title=f"{name.capitalize()} elimination, {size} bots",
                bracket=bracket.draw(done, facts_of(done, live=3)),
            )
    return found


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "brackets")
    parser.add_argument("--dark", action="store_true")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=parts.chromium(), args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"]
        )
        for screen, (width, height) in {"wide": WIDE, "phone": PHONE}.items():
            tab = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme="dark" if chosen.dark else "light"
            )
            for name, html in pages().items():
                tab.route("**/*", partial(_serve, html))
                tab.goto(SITE, wait_until="networkidle")
                path = chosen.folder / f"{name}-{screen}.webp"
                devtools = tab.context.new_cdp_session(tab)
                shot = devtools.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
                path.write_bytes(base64.b64decode(shot["data"]))
                tab.unroute_all()
                print(path, path.stat().st_size)
        browser.close()


def _serve(html: str, route: Route) -> None:
    path = route.request.url.removeprefix(SITE)
    if path.startswith("static/"):
        route.fulfill(path=ROOT / "platform" / path)
    else:
        route.fulfill(body=html, content_type="text/html")


if __name__ == "__main__":
    main()
