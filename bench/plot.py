"""Draws ratios as dots on a logarithmic axis, as SVG text. Knows nothing of the benches.

The colours are of middle lightness, so that the picture reads on a white page and on a dark one; it has no background.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from xml.sax.saxutils import escape

GREY, FAINT, MET, MISSED = "#7d8590", "#7d859055", "#2f81f7", "#e0701b"
WIDTH, LEFT, TOP, STEP = 940, 470, 46, 17
TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


@dataclass(frozen=True)
class Dot:
    title: str
    ratio: float
    #: The most that the ratio should be.
    limit: float | None

    @property
    def colour(self) -> str:
        if self.limit is None:
            return GREY
        return MET if self.ratio <= self.limit else MISSED


def picture(dots: list[Dot]) -> str:
    """The whole SVG document."""
    ratios = [dot.ratio for dot in dots] or [1.0]
    low = max(tick for tick in TICKS if tick <= max(min(ratios), TICKS[0]))
    high = min((tick for tick in TICKS if tick >= max(ratios)), default=TICKS[-1])
    low, high = min(low, 0.5), max(high, 2)
    bottom = TOP + STEP * len(dots)

    def x(ratio: float) -> float:
        """Where a ratio stands; what is beyond the axis stands at its end."""
        kept = min(max(ratio, low), high)
        share = math.log(kept / low) / math.log(high / low)
        return round(LEFT + share * (WIDTH - LEFT - 60), 1)

    size = f'viewBox="0 0 {WIDTH} {bottom + 30}" width="{WIDTH}" height="{bottom + 30}"'
    letters = f'font-family="system-ui, sans-serif" font-size="11" fill="{GREY}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {letters}>',
        "<title>Time of hs beside the fastest other way</title>",
        f'<text x="{x(1) - 8}" y="14" text-anchor="end">hs faster</text>',
        f'<text x="{x(1) + 8}" y="14">hs slower</text>',
    ]
    for tick in (tick for tick in TICKS if low <= tick <= high):
        stroke, width = (GREY, 1.5) if tick == 1 else (FAINT, 1)
        parts += [
            f'<line x1="{x(tick)}" x2="{x(tick)}" y1="{TOP - 14}" y2="{bottom}" stroke="{stroke}" stroke-width="{width}"/>',
            f'<text x="{x(tick)}" y="{TOP - 18}" text-anchor="middle">{tick:g}</text>',
        ]
    for number, dot in enumerate(dots):
        parts += drawn(dot, TOP + STEP * number + STEP / 2, x)
    legend = (
        (MET, "goal met"),
        (MISSED, "goal missed"),
        (GREY, "no goal"),
    )
    at = LEFT
    for colour, word in legend:
        parts.append(f'<circle cx="{at}" cy="{bottom + 16}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{at + 9}" y="{bottom + 20}">{word}</text>')
        at += 95
    parts.append(
        f'<line x1="{at}" x2="{at}" y1="{bottom + 10}" y2="{bottom + 22}" stroke="{GREY}" stroke-width="2"/>'
        f'<text x="{at + 9}" y="{bottom + 20}">the goal</text></svg>'
    )
    return "\n".join(parts) + "\n"


def drawn(dot: Dot, y: float, x: Callable[[float], float]) -> list[str]:
    """The title, the way from 1 to the dot, the mark of the goal, the dot, the number."""
    at = x(dot.ratio)
    parts = [
        f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(dot.title)}</text>',
        f'<line x1="{x(1)}" x2="{at}" y1="{y}" y2="{y}" stroke="{dot.colour}" stroke-width="1.5" stroke-opacity="0.5"/>',
    ]
    if dot.limit is not None:
        goal = x(dot.limit)
        parts.append(
            f'<line x1="{goal}" x2="{goal}" y1="{y - 6}" y2="{y + 6}" stroke="{GREY}" stroke-width="2"/>'
        )
    beside, anchor = (at - 9, "end") if dot.ratio < 1 else (at + 9, "start")
    parts += [
        f'<circle cx="{at}" cy="{y}" r="4.5" fill="{dot.colour}"/>',
        f'<text x="{beside}" y="{y + 4}" text-anchor="{anchor}" font-size="10">{dot.ratio:.2f}</text>',
    ]
    return parts
