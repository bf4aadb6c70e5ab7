"""The picture of a match that other sites show beside a link to it: who played, the score, a hand of cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
"""Pixels: what the sites that show such pictures ask for."""
_FONT = Path(__file__).with_name("fonts") / "DejaVuSans-Bold.ttf"
_TABLE, _GLOW, _BRASS, _PAPER, _MUTED = "#0f4936", "#1d6b4e", "#e0bb62", "#f3f6f4", "#cfdcd6"
_INKS = {"s": "#17201b", "c": "#17201b", "h": "#c0202b", "d": "#c0202b"}
_SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_CARD = (152, 213)
_SHOWN = 0.58
"""Of a card's width, what the next one leaves of it."""
_MARGIN = 70


@dataclass(frozen=True)
class Side:
    """One bot of a finished match."""

    name: str
    slug: str
    """Shown where the font lacks a letter of the name."""
    games: int
    points: int
    won: bool


def draw(sides: Sequence[Side], caption: str, groups: Sequence[Sequence[str]]) -> bytes:
    """A PNG of the two sides, and of cards in groups ("3s", "4s" ...) under a caption; no card, no caption."""
    picture = _ground().copy()
    pen = ImageDraw.Draw(picture)
    pen.text((_MARGIN, 44), "Gin Rummy Arena", _BRASS, _font(32))
    for row, side in enumerate(sides):
        middle = 150 + 96 * row
        ink = _BRASS if side.won else _PAPER
        points = f"{side.points} points"
        pen.text((WIDTH - _MARGIN, middle), points, _MUTED, _font(28), anchor="rm")
        pen.text((WIDTH - _MARGIN - 240, middle), str(side.games), ink, _font(64), anchor="rm")
        name, font = _fitted(readable(side), 760)
        pen.text((_MARGIN, middle), name, ink, font, anchor="lm")
    if groups:
        text, font = _fitted(caption, WIDTH - 2 * _MARGIN, largest=28)
        pen.text((_MARGIN, 330), text, _MUTED, font)
        _lay(picture, groups)
    pen.rectangle((0, HEIGHT - 10, WIDTH, HEIGHT), _BRASS)
    out = BytesIO()
    picture.quantize(128).save(out, "PNG")
    return out.getvalue()


def readable(side: Side) -> str:
    """The side's name, or the slug when the font would show boxes for some of it."""
    missing = _drawn("\uffff")
    return side.slug if any(_drawn(char) == missing for char in side.name if char != " ") else side.name


@cache
def _ground() -> Image.Image:
    dark, bright = (Image.new("RGB", (WIDTH, HEIGHT), colour) for colour in (_TABLE, _GLOW))
    return Image.composite(dark, bright, Image.radial_gradient("L").resize((WIDTH, HEIGHT)))


def _lay(picture: Image.Image, groups: Sequence[Sequence[str]]) -> None:
    step, gap = round(_CARD[0] * _SHOWN), 26
    count = sum(map(len, groups))
    wide = sum((len(group) - 1) * step + _CARD[0] for group in groups) + gap * (len(groups) - 1)
    if wide > WIDTH - 2 * _MARGIN:
        step -= -(-(wide - (WIDTH - 2 * _MARGIN)) // max(1, count - len(groups)))
    x = _MARGIN
    for group in groups:
        for place, code in enumerate(group):
            card = _card(code)
            picture.paste(card, (x + place * step, 384), card)
        x += (len(group) - 1) * step + _CARD[0] + gap


@cache
def _card(code: str) -> Image.Image:
    """Drawn at twice its size, for smooth edges."""
    wide, high = 2 * _CARD[0], 2 * _CARD[1]
    card = Image.new("RGBA", (wide, high), "#0000")
    pen = ImageDraw.Draw(card)
    pen.rounded_rectangle((0, 0, wide - 1, high - 1), 24, "#ffffff", "#7c8a81", 3)
    ink, sign = _INKS[code[1]], _SIGNS[code[1]]
    pen.text((82, 72), code[0].replace("T", "10"), ink, _font(86), anchor="mm")
    pen.text((82, 180), sign, ink, _font(96), anchor="mm")
    pen.text((196, 318), sign, ink, _font(190), anchor="mm")
    return card.resize(_CARD, Image.Resampling.LANCZOS)


def _fitted(text: str, width: int, *, largest: int = 60, least: int = 24) -> tuple[str, ImageFont.FreeTypeFont]:
    """The text, cut if it must be, and the largest font that it fits into the width with."""
    size = largest
    while size > least and _font(size).getlength(text) > width:
        size -= 2
    while _font(size).getlength(text) > width:
        text = f"{text[:-2]}…"
    return text, _font(size)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    # The basic layout: what a user typed is no business of a shaping library.
    return ImageFont.truetype(_FONT, size, layout_engine=ImageFont.Layout.BASIC)


def _drawn(char: str) -> bytes:
    return bytes(_font(32).getmask(char))
