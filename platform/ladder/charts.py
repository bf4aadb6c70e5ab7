"""Small charts drawn by the server as SVG geometry: no script, no style, readable without either."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 58, 10, 24, 26
BARS_WIDTH, BARS_HEIGHT = 320, 130
LEAST_BARS = 6
LEVELS = 5
LEAST_ROOM = 60.0
"""Points above and below the line that its interval gets, if it is that wide."""
LABEL = 36
"""What the label of a version takes."""
PRIOR = 588.0
"""Half the 95 % interval of a bot of which nothing is known: 1.96 times 300 Elo points (`ladder.bradley_terry`)."""
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
MOST_POINTS = 320
"""More points than this fall on the same pixels, so a longer history is thinned."""


@dataclass(frozen=True)
class Tick:
    """A labelled grid line, `at` in the chart's units."""

    at: float
    label: str


class Span(NamedTuple):
    """One version's stretch of a rating history."""

    number: int
    """The version's."""
    points: Sequence[tuple[int, float]]
    """The rating, in points, after so many matches of the version; from 0 to its last, ascending."""
    margin: float | None
    """Half the 95 % interval after the last, in points; None when it is not known."""


@dataclass(frozen=True)
class Mark:
    """Where a version begins, `at` measured from the left."""

    at: float
    label: str


@dataclass(frozen=True)
class Chart:
    """A rating history ready to draw in a WIDTH by HEIGHT box."""

    lines: tuple[str, ...]
    """The points of a polyline for each version."""
    bands: tuple[str, ...]
    """The points of a polygon for each version whose interval is known."""
    marks: tuple[Mark, ...]
    """Where versions begin; none when there is only one."""
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
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def rating_chart(spans: Sequence[Span]) -> Chart | None:
    """The chart of versions one behind the other, oldest first. None before the first match.

    The interval of n matches is that of the last one, and PRIOR of none: what is known adds up with n between them.
    """
    spans = [span for span in spans if span.points[-1][0]]
    total = sum(span.points[-1][0] for span in spans)
    if not total:
        return None
    values = [value for span in spans for _, value in span.points]
    low, high = min(values), max(values)
    # A newcomer's interval is wider than the ladder: it may leave the picture, which is drawn for the line.
    room = max((high - low) / 2, LEAST_ROOM)
    slack = max((high - low) / 4, min(spans[-1].margin or 0, room))
    low, high = low - slack, high + slack
    step = next((step for step in STEPS if (high - low) / step <= LEVELS), STEPS[-1])
    floor, ceiling = step * math.floor(low / step), step * math.ceil(high / step)
    ceiling = max(ceiling, floor + step)
    across = (WIDTH - LEFT - RIGHT) / total
    down = (HEIGHT - TOP - BOTTOM) / (ceiling - floor)

    def place(matches: float, value: float) -> str:
        y = TOP + (ceiling - min(max(value, floor), ceiling)) * down
        return f"{LEFT + matches * across:.1f},{y:.1f}"

    stride = 1 + sum(len(span.points) for span in spans) // MOST_POINTS
    lines, bands, marks, before = [], [], [], 0
    for span in spans:
        points = [*span.points[:-1:stride], span.points[-1]]
        lines.append(" ".join(place(before + n, value) for n, value in points))
        if span.margin:
            upper = [place(before + n, value + half_interval(span, n)) for n, value in points]
            lower = [place(before + n, value - half_interval(span, n)) for n, value in points]
            bands.append(" ".join([*upper, *reversed(lower)]))
        marks.append(Mark(round(LEFT + before * across, 1), f"v{span.number}"))
        before += span.points[-1][0]
    end_x, end_y = map(float, lines[-1].rpartition(" ")[2].split(","))
    return Chart(
        lines=tuple(lines),
        bands=tuple(bands),
        marks=tuple(_apart(marks)) if len(marks) > 1 else (),
        levels=tuple(Tick(round(TOP + (ceiling - v) * down, 1), str(v)) for v in range(floor, ceiling + 1, step)),
        counts=tuple(Tick(round(LEFT + n * across, 1), str(n)) for n in sorted({0, total // 2, total})),
        end_x=end_x,
        end_y=end_y,
        lowest=round(min(values)),
        highest=round(max(values)),
        last=round(values[-1]),
        matches=total,
    )


def half_interval(span: Span, matches: int) -> float:
    """Half the 95 % interval of the span's version after so many of its matches, in points."""
    assert span.margin
    known = max(1 / span.margin**2 - 1 / PRIOR**2, 0) * matches / span.points[-1][0]
    return 1 / math.sqrt(known + 1 / PRIOR**2)


def _apart(marks: Iterable[Mark]) -> Iterator[Mark]:
    """The marks, without the labels that would stand on the one before."""
    free = 0.0
    for mark in marks:
        is_free = mark.at >= free
        yield mark if is_free else Mark(mark.at, "")
        if is_free:
            free = mark.at + LABEL


class Bar(NamedTuple):
    """One bar of a histogram, `x` to `x + width` and `y` down to the axis."""

    x: float
    y: float
    width: float
    height: float
    label: str
    """What it counts, and how many."""


@dataclass(frozen=True)
class Histogram:
    """Decision times ready to draw in a BARS_WIDTH by BARS_HEIGHT box."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    """Times, with `at` measured from the left."""
    total: int
    half: str
    """Half the decisions took no longer than this."""
    most: str
    """95 of 100 took no longer than this."""
    width: int = BARS_WIDTH
    height: int = BARS_HEIGHT
    bottom: int = BARS_HEIGHT - BOTTOM


def time_histogram(counts: Sequence[int], limits: Sequence[float]) -> Histogram | None:
    """The histogram of decision times: how many in each class, up to which limit in seconds. None of none."""
    total = sum(counts)
    if not total:
        return None
    filled = [place for place, count in enumerate(counts) if count]
    first, last = max(0, min(filled[0], filled[-1] - LEAST_BARS + 1)), max(filled[-1], LEAST_BARS - 1)
    width = BARS_WIDTH / (last - first + 1)
    tall = (BARS_HEIGHT - TOP - BOTTOM) / max(counts)
    bars = []
    for place in range(first, last + 1):
        height = counts[place] * tall
        between = f"{duration(limits[place - 1])} to" if place else "up to"
        label = f"{between} {duration(limits[place])}: {100 * counts[place] / total:.1f} % of the decisions"
        x, y = (place - first) * width + 1, BARS_HEIGHT - BOTTOM - height
        bars.append(Bar(round(x, 1), round(y, 1), round(width - 2, 1), round(height, 1), label))
    # Whole powers of ten, in seconds, between the bars.
    ticks = [
        Tick(round((place + 1 - first) * width, 1), duration(limits[place]))
        for place in range(first, last)
        if math.isclose(math.log10(limits[place]), round(math.log10(limits[place])), abs_tol=1e-9)
    ]
    return Histogram(tuple(bars), tuple(ticks), total, _limit_of(counts, limits, 0.5), _limit_of(counts, limits, 0.95))


def _limit_of(counts: Sequence[int], limits: Sequence[float], share: float) -> str:
    wanted, seen = share * sum(counts), 0
    for count, limit in zip(counts, limits, strict=True):
        seen += count
        if seen >= wanted:
            return duration(limit)
    raise AssertionError("All of them are seen by then.")


def duration(seconds: float) -> str:
    """A time for people, such as "3 ms"."""
    value, unit = next(
        ((seconds / size, unit) for size, unit in ((1, "s"), (1e-3, "ms")) if seconds >= size * 0.9999),
        (seconds * 1e6, "\N{MICRO SIGN}s"),
    )
    return f"{value:.2g}\N{NO-BREAK SPACE}{unit}" if value < 99.5 else f"{value:.0f}\N{NO-BREAK SPACE}{unit}"
