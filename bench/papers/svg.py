# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG, written by hand: lines over a logarithmic axis are all the papers' figures need."""

import math
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 800, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 230, 40, 52

# Told apart by people who do not see all colours, too (Okabe and Ito).
COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d00", "#777777")


@dataclass(frozen=True)
class Line:
    name: str
    points: list  # (x, y), x ascending
    dashed: bool = False
    steps: bool = False  # y stays as it is until the next point


@dataclass(frozen=True)
class Axis:
    label: str
    low: float
    high: float
    logarithmic: bool = False

    def position(self, value):
        """0 … 1 along the axis."""
        if self.logarithmic:
            value = max(value, self.low)
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self):
        if self.logarithmic:
            first, last = math.floor(math.log10(self.low)), math.floor(math.log10(self.high) + 1e-9)
            return [10.0**k for k in range(first, last + 1) if 10.0**k >= self.low]
        step = nice_step((self.high - self.low) / 6)
        count = math.floor((self.high - self.low) / step + 1e-9)
        return [self.low + i * step for i in range(count + 1)]


def nice_step(rough):
    """1, 2 or 5 times a power of ten, not below `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def tick_text(value):
    return f"{value:,.0f}" if value >= 1 or value == 0 else f"{value:g}"


def plot(title, x, y, lines):
    """A whole SVG file."""
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(point):
        return LEFT + inner_width * x.position(point[0]), TOP + inner_height * (1 - y.position(point[1]))

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="14">{escape(title)}</text>',
    ]
    for value in x.ticks():
        px, _ = at((value, y.low))
        out.append(f'<line x1="{px:.1f}" y1="{TOP}" x2="{px:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(f'<text x="{px:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{tick_text(value)}</text>')
    for value in y.ticks():
        _, py = at((x.low, value))
        out.append(f'<line x1="{LEFT}" y1="{py:.1f}" x2="{WIDTH - RIGHT}" y2="{py:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{py + 4:.1f}" text-anchor="end">{tick_text(value)}</text>')
    middle = TOP + inner_height / 2
    out.append(f'<text x="{LEFT + inner_width / 2}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x.label)}</text>')
    out.append(
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{escape(y.label)}</text>'
    )
    for index, line in enumerate(lines):
        colour = COLOURS[index % len(COLOURS)]
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        corners = []
        for point in line.points:
            if line.steps and corners:
                corners.append((at(point)[0], corners[-1][1]))
            corners.append(at(point))
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in corners)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        py = TOP + 10 + 18 * index
        px = WIDTH - RIGHT + 12
        out.append(f'<line x1="{px}" y1="{py}" x2="{px + 24}" y2="{py}" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{px + 30}" y="{py + 4}">{escape(line.name)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
