# SPDX-License-Identifier: Apache-2.0
"""What a table returns: its part of the results page, its bars, its files."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Bar:
    """Something that was to be reached, and what was."""

    what: str
    wanted: str
    got: str
    reached: bool


@dataclass
class Section:
    title: str
    text: str = ""  # Markdown; plots are referred to by their file name below `plots/`
    bars: list = field(default_factory=list)
    csv: dict = field(default_factory=dict)  # file name: rows, the header first
    plots: dict = field(default_factory=dict)  # file name: SVG
