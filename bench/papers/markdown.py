# SPDX-License-Identifier: Apache-2.0
"""Tables and numbers as Markdown."""

import math


def number(value, digits=2):
    """About `digits` significant digits for small numbers, all of them for large ones."""
    if value is None or math.isnan(value):
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 10:
        return f"{value:,.0f}"
    decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def seconds(value):
    """A duration in the unit that suits it."""
    if value is None or math.isnan(value):
        return ""
    if value < 1e-3:
        return f"{number(value * 1e6)} µs"
    if value < 1:
        return f"{number(value * 1e3)} ms"
    return f"{number(value)} s"


def percent(value):
    return f"{value:.1f} %"


def table(header, rows):
    """The first column to the left, all others to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def tick(reached):
    return "✓" if reached else "✗"
