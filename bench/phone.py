"""How soon each kind of page answers on a slow phone that comes for the first time.

    python -m bench.phone [--rounds 3] [--only NAME ...]

The site of bench/screenshots.py, its files hashed and packed as in life, over a slow network (150 ms, 1.6 Mbit/s) to a
processor four times slower than this one, in a window of 390 x 844. Medians of the rounds, in milliseconds:

    paint        something is to be seen
    interactive  and its scripts have run, no long task is going on, a replay's table and controls have been drawn
    complete     the last file has come, the editor's included, which a phone runs when somebody touches its text area

and the bytes that came. On a busy machine the figures say nothing.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from dataclasses import dataclass

from bench.screenshots import LOOKS, OWN, fill, serving  # isort: skip - it sets Django up
from django.core.management import call_command
from django.test import override_settings
from playwright.sync_api import Browser, sync_playwright

from config import settings as site_settings
from tests import parts
from tests.e2e.conftest import FLAGS
from tests.e2e.visitors import PHONE, SLOW_NETWORK

GOAL = 1_000
"""Milliseconds until a page is interactive."""
SLOWER = 4
"""Times than this machine."""
WATCH = """
window.busyUntil = 0;
window.readyAt = 0;
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.busyUntil = Math.max(window.busyUntil, task.startTime + task.duration);
}).observe({type: "longtask", buffered: true});
new MutationObserver(() => {
  if (window.readyAt || !document.querySelector("#controls:not([hidden])")) return;
  window.readyAt = performance.now();
  // A message posted in a frame arrives when that has been laid out and painted.
  const drawn = new MessageChannel();
  drawn.port1.onmessage = () => window.readyAt = performance.now();
  requestAnimationFrame(() => drawn.port2.postMessage(null));
}).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ["hidden"]});
"""
TIMES = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const [page] = performance.getEntriesByType("navigation");
  const files = performance.getEntriesByType("resource");
  return {
    paint,
    interactive: Math.max(paint, page.domContentLoadedEventEnd, window.busyUntil, window.readyAt),
    complete: Math.max(paint, page.loadEventEnd, ...files.map((file) => file.responseEnd)),
  };
}"""


@dataclass(frozen=True)
class Load:
    """One page, opened once; milliseconds and bytes."""

    paint: float
    interactive: float
    complete: float
    size: float


def load(browser: Browser, site: str, path: str, session: str) -> Load:
    """Open a page with nothing kept."""
    width, height = PHONE
    with browser.new_context(viewport={"width": width, "height": height}, is_mobile=True, has_touch=True) as context:
        if session:
            context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{site}/healthz")  # the browser's process of the site is there, as on a phone that is in use
        page.request.get(site + path)  # and the site has served the page before
        page.add_init_script(WATCH)
        devtools = context.new_cdp_session(page)
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", SLOW_NETWORK)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        sizes: list[float] = []
        devtools.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        page.goto(site + path, wait_until="networkidle")
        if page.locator("#replay").count():
            page.locator("#controls").wait_for()
        return Load(**page.evaluate(TIMES), size=sum(sizes))


def measure(browser: Browser, site: str, name: str, path: str, session: str, rounds: int) -> bool:
    """Print a page's medians; whether it reaches the goal."""
    loads = [load(browser, site, path, session) for _ in range(rounds)]
    interactive = statistics.median(one.interactive for one in loads)
    met = interactive <= GOAL
    figures = [
        statistics.median(one.paint for one in loads),
        interactive,
        statistics.median(one.complete for one in loads),
        statistics.median(one.size for one in loads),
    ]
    print(f"{name:<20}{''.join(f'{each:>13.0f}' for each in figures)}  {'ok' if met else 'MISSED'}", flush=True)
    return met


def main() -> int:
    """Measure them all."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.phone", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[])
    chosen = parser.parse_args()
    paths, session = fill()
    storages = site_settings.STORAGES | {"staticfiles": {"BACKEND": "config.static.HashedFiles"}}
    with tempfile.TemporaryDirectory() as folder, override_settings(STATIC_ROOT=folder, STORAGES=storages):
        call_command("collectstatic", verbosity=0, interactive=False)
        with serving(lambda handler: handler.application) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=parts.chromium(), args=FLAGS)
            print(f"{'':<20}" + "".join(f"{what:>13}" for what in ("paint", "interactive", "complete", "bytes")))
            met = True
            for name, path in paths.items():
                if name not in LOOKS and (not chosen.only or name in chosen.only):
                    met &= measure(browser, site, name, path, session if name in OWN else "", chosen.rounds)
            browser.close()
    print(f"Goal: interactive within {GOAL} ms.")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
