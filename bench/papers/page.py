# SPDX-License-Identifier: Apache-2.0
"""The results page and its files."""

import csv
import datetime
import os
import platform
import re
import subprocess

from . import places
from .markdown import table, tick

PLOTS = "plots"


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=places.ROOT)
    return done.stdout.strip()


def machine():
    cpu = ""
    for line in output_of("lscpu").splitlines():
        if line.startswith("Model name:"):
            cpu = line.split(":", 1)[1].strip()
    system = ""
    try:
        with open("/etc/os-release") as file:
            system = re.search(r'^PRETTY_NAME="?([^"\n]*)', file.read(), re.MULTILINE)[1]
    except (OSError, TypeError):
        pass
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    compiler = output_of("gcc", "-dumpfullversion")
    parts = [platform.machine(), cpu, f"{os.cpu_count()} processors", f"{gigabytes:.0f} GiB", system, f"gcc {compiler}"]
    return ", ".join(part for part in parts if part)


def commit():
    text = output_of("git", "rev-parse", "--short", "HEAD") or "unknown"
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no", "--", "src", "subjects")
    return text + (" with changes" if changed else "")


def notes(name):
    """What a person has to say about a table: why the figures are as they are."""
    path = places.NOTES / f"{name}.md"
    return path.read_text() if path.exists() else ""


def bars_table(sections):
    rows = [
        [bar.what, bar.wanted, bar.got, tick(bar.reached)] for _, section in sections for bar in section.bars
    ]
    return table(["bar", "wanted", "measured", ""], rows) if rows else "None: nothing that has a bar was run.\n"


def page(sections, command, measured_commit, plan, plots=PLOTS):
    today = datetime.date.today().isoformat()
    limits = (
        f"{plan.trials} trials of the portfolio and of rff, {plan.baseline_trials} of the others, with the seeds 1, 2, …; a trial of the portfolio ends after {plan.budget:g} s, one of any other method "
        f"after {plan.baseline_budget:g} s" + (f" or {plan.schedules:,} schedules" if plan.schedules else "")
    )
    parts = [
        f"""\
# Results

The tables of the papers with our columns beside them. This page is written by `{command}`; what is said about the figures is in
`bench/papers/notes/`.

| | |
|---|---|
| machine | {machine()} |
| commit | {measured_commit} |
| date | {today} |
| command | `{command}` |
| limits | {limits}; one process at a time (`-j 1`), minimising off |

{notes("introduction")}
## Bars

{bars_table(sections)}"""
    ]
    for name, section in sections:
        text = section.text.replace(f"]({PLOTS}/", f"]({plots}/")
        parts.append(f"## {section.title}\n\n{text}{notes(name)}")
    return "\n".join(parts)


def write_files(folder, sections):
    """CSV and SVG files of all sections."""
    (folder / PLOTS).mkdir(parents=True, exist_ok=True)
    for _, section in sections:
        for name, rows in section.csv.items():
            with open(folder / name, "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)
        for name, svg in section.plots.items():
            (folder / PLOTS / name).write_text(svg)
