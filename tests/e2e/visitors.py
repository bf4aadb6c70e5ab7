"""Somebody at a real browser before the live site, whose every page is watched."""

from dataclasses import dataclass, field

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response

WIDE, PHONE = (1280, 800), (390, 844)
PATIENCE = 120_000
"""Milliseconds: a machine that runs other tests as well may take far longer than a reader would wait."""
SLOW_NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
"""For `Network.emulateNetworkConditions`: Lighthouse's slow 4G, in milliseconds and bytes a second."""
SETTLED = """async () => {
  for (let still = 0; still < 2; still++) {
    await new Promise(requestAnimationFrame);
    if (document.getAnimations().length) still = -1;
  }
}"""
"""Waits until no transition goes on: an inherited colour reaches what lies deeper a frame later."""
KINDS_OF_TEXT = """() => {
  const kinds = new Map();
  for (const element of document.body.querySelectorAll("*")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!hasText && !element.matches("input, select, textarea")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const looks = [color, fontSize, fontWeight];
    for (let part = element; part; part = part.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(part);
      looks.push(part.tagName, part.getAttribute("class"), backgroundColor, backgroundImage, opacity);
    }
    if (!kinds.has(looks.join())) kinds.set(looks.join(), element);
  }
  return [...kinds.values()];
}"""
"""One element of each look: of a page's texts most look alike, and axe takes longer over their contrast than over all
else."""


@dataclass
class Visitor:
    """Somebody at a browser."""

    page: Page
    site: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Go to a path of the site and wait until its scripts have loaded what they load."""
        self.page.goto(self.site + path, wait_until="networkidle")
        # A replay fetches its positions first; it listens to keys once its controls are there.
        controls = self.page.locator("#controls")
        if controls.count():
            controls.wait_for()
        return self.page

    def check_access_in_both_schemes(self) -> None:
        """`check_access` in the light; in the dark the colours are others, and all else is the same."""
        self.check_access()
        self.page.emulate_media(color_scheme="dark")
        self.page.evaluate(SETTLED)
        self._check_contrast()
        self.page.emulate_media(color_scheme="light")

    def check_access(self) -> None:
        """No axe-core violation on the page as it is, and nothing wider than the window."""
        self._run_axe("document", {"rules": {"color-contrast": {"enabled": False}}})
        self._check_contrast()
        over = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{self.page.url} is {over} pixels wider than the window."

    def _check_contrast(self) -> None:
        self._run_axe(f"{{ include: ({KINDS_OF_TEXT})() }}", {"runOnly": ["color-contrast"]})

    def _run_axe(self, where: str, options: dict[str, object]) -> None:
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        run = f"options => axe.run({where}, options)"
        results = AxeResults(self.page.evaluate(run, {"resultTypes": ["violations"]} | options))
        assert results.violations_count == 0, results.generate_report()

    def watch(self) -> None:
        """Collect what goes wrong."""
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        # A page that is rightly missing says so on the console too.
        if message.type in {"error", "warning"} and "404" not in message.text:
            self.complaints.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.site, "data:", "blob:")):
            self.complaints.append(f"another origin: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.complaints.append(f"{response.status}: {response.url}")


def visitor_of(context: BrowserContext, site: str) -> Visitor:
    """A watched visitor in a new page of the context, whose pages wait as long as a busy machine needs."""
    context.set_default_timeout(PATIENCE)
    visitor = Visitor(context.new_page(), site)
    visitor.watch()
    return visitor
