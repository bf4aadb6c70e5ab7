"""Small charts drawn by the server as SVG geometry: no script, no style, readable without either."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 12, 26
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
MOST_POINTS = 320
"""More points than this fall on the same pixels, so a longer history is thinned."""


@dataclass(frozen=True)
class Tick:
    """A labelled grid line, `at` in the chart's units."""

    at: float
    label: str


@dataclass(frozen=True)
class Chart:
    """A rating history ready to draw in a WIDTH by HEIGHT box."""

    line: str
    """The points of a polyline."""
    area: str
    """The same line closed down to the axis."""
    levels: tuple[Tick, ...]
    """Ratings, with `at` measured from the top."""
    counts: tuple[Tick, ...]
    """Matches played, with `at` measured from the left."""
    end_x: float
    end_y: float
    lowest: int
    highest: int
    last: int
    matches: int
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def rating_chart(history: Sequence[int]) -> Chart | None:
    """The chart of a rating in milli-Elo: before the first match, then after each. None below two values."""
    if len(history) < 2:
        return None
    values = [milli / 1000 for milli in history]
    low, high = min(values), max(values)
    step = next((step for step in STEPS if (high - low) / step <= 4), STEPS[-1])
    floor = step * int(low // step)
    ceiling = max(step * -int(-high // step), floor + step)
    across = (WIDTH - LEFT - RIGHT) / (len(values) - 1)
    down = (HEIGHT - TOP - BOTTOM) / (ceiling - floor)

    def place(index: int) -> tuple[float, float]:
        return round(LEFT + index * across, 1), round(TOP + (ceiling - values[index]) * down, 1)

    stride = max(1, (len(values) - 1) // MOST_POINTS)
    kept = [*range(0, len(values) - 1, stride), len(values) - 1]
    line = " ".join(f"{x},{y}" for x, y in map(place, kept))
    base = HEIGHT - BOTTOM
    end_x, end_y = place(len(values) - 1)
    matches = len(values) - 1
    return Chart(
        line=line,
        area=f"{LEFT},{base} {line} {end_x},{base}",
        levels=tuple(Tick(round(TOP + (ceiling - v) * down, 1), str(v)) for v in range(floor, ceiling + 1, step)),
        counts=tuple(Tick(round(LEFT + n * across, 1), str(n)) for n in sorted({0, matches // 2, matches})),
        end_x=end_x,
        end_y=end_y,
        lowest=round(low),
        highest=round(high),
        last=round(values[-1]),
        matches=matches,
    )
