# SPDX-License-Identifier: Apache-2.0
"""False alarms: the fixed twins of the programs must stay silent."""

from ..markdown import table
from ..section import Bar, Section
from ..work import Cell, Limit, Method

ORDER = 9
NAME = "twins"

OURS = Method("portfolio", "portfolio")


def rows_of(subjects, plan):
    return [subject for subject in subjects if subject.twin and plan.wants(subject)]


def cells(subjects, plan):
    limit = Limit(0, plan.twin_schedules)
    return [Cell(subject, OURS, 1, limit, program=subject.twin) for subject in rows_of(subjects, plan)]


def verdict(outcome):
    stats = outcome.stats
    if not stats:
        return outcome.note or "no statistics"
    if stats["exit_code"] == 0 and stats["failing_schedules"] == 0:
        return "silent"
    return ", ".join(stats["failures_by_kind"]) or outcome.note or f"exit code {stats['exit_code']}"


def section(subjects, results, plan):
    subjects = rows_of(subjects, plan)
    rows, csv, alarms, short = [], [["program", "schedules", "explored_all", "verdict", "data_races"]], [], []
    not_run = []
    for subject in subjects:
        outcomes = results.of(subject.twin, OURS.name)
        if not outcomes:
            not_run.append(subject.twin)
            continue
        outcome = outcomes[0]
        everything = outcome.stats.get("exhausted", False)
        races = outcome.stats.get("data_races", 0)
        if verdict(outcome) != "silent":
            alarms.append(subject.twin)
        if outcome.schedules < plan.twin_schedules and not everything:
            short.append(subject.twin)
        runs = f"all {outcome.schedules:,}" if everything else f"{outcome.schedules:,}"
        rows.append([f"`{subject.twin}`", runs, verdict(outcome), str(races)])
        csv.append([subject.twin, outcome.schedules, everything, verdict(outcome), races])
    got = f"{len(alarms)} in {len(rows)} twins" + (f": {', '.join(alarms)}" if alarms else "")
    if not_run:
        got += f"; not run: {', '.join(not_run)}"
    if short:
        got += f"; stopped early: {', '.join(short)}"
    text = f"""\
The same programs with the bug repaired, {plan.twin_schedules:,} schedules of the portfolio each (or all there are). A failure here would be a false
alarm. The last column counts data races that jostle lists without calling them a failure.

{table(["program", "schedules", "verdict", "data races"], rows)}
"""
    bars = [Bar("twins: false alarms", "0", got, not (alarms or short or not_run))] if rows else []
    return Section("False alarms", text, bars, {"twins.csv": csv})
