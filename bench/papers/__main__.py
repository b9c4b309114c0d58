# SPDX-License-Identifier: Apache-2.0
"""./dev bench papers: prints each published table with our columns beside it."""

import argparse
import dataclasses
import shlex
import sys
from pathlib import Path

from . import page, places
from .plan import QUICK, Plan, read_duration
from .runner import run_cells, say
from .store import Store
from .subjects import read_manifest
from .tables import all_tables

DOCS = places.ROOT / "docs"


def parse_arguments(words, tables):
    names = [module.NAME for module in tables]
    parser = argparse.ArgumentParser(prog="./dev bench papers", description="Each published table with our columns beside it.")
    add = parser.add_argument
    add("--only", action="append", choices=names, metavar="NAME", help=f"one of {', '.join(names)}; may be repeated")
    add("--trials", type=int, help=f"of each program with each method (default {Plan.trials})")
    add("--baseline-trials", type=int, metavar="N", help="of methods other than rff and the portfolio (default: as --trials)")
    add("--budget", metavar="TIME", help="of one trial of the portfolio (default 5m)")
    add("--baseline-budget", metavar="TIME", help="of one trial of any other method (default: as --budget)")
    add("--schedules", type=int, metavar="N", help="most of one trial of any method but the portfolio")
    add("--give-up-after", type=int, metavar="N", help="trials of such a method that all miss (default 3; 0: never)")
    add("--twin-schedules", type=int, metavar="N", help="for false alarms (default 100000)")
    add("--subjects", metavar="REGEX", help="only programs whose name matches")
    add("--quick", action="store_true", help="a look at everything in a few minutes")
    add("--results", type=Path, default=places.RESULTS, metavar="DIR", help="default build/papers")
    add("--docs", nargs="?", const="results", metavar="NAME", help="write the page to docs/NAME.md, too (default results)")
    add("--page-only", action="store_true", help="run nothing: make the page of what was run before")
    add("--commit", default=page.commit(), help="what was measured, if it is not what is checked out")
    return parser.parse_args(words)


def plan_of(arguments):
    plan = QUICK if arguments.quick else Plan()
    changes = {}
    if arguments.trials is not None:
        changes["trials"] = changes["baseline_trials"] = arguments.trials
    for name in ("baseline_trials", "schedules", "give_up_after", "twin_schedules", "subjects"):
        if getattr(arguments, name) is not None:
            changes[name] = getattr(arguments, name)
    if arguments.budget is not None:
        changes["budget"] = changes["baseline_budget"] = read_duration(arguments.budget)
    if arguments.baseline_budget is not None:
        changes["baseline_budget"] = read_duration(arguments.baseline_budget)
    return dataclasses.replace(plan, **changes)


def words_to_measure(words):
    """Without what is only about writing the page."""
    rest = list(words)
    for option in ("--commit", "--docs"):
        while option in rest:
            at = rest.index(option)
            has_value = at + 1 < len(rest) and not rest[at + 1].startswith("-")
            del rest[at : at + 1 + has_value]
    return [word for word in rest if word != "--page-only"]


def main(words):
    tables = all_tables()
    arguments = parse_arguments(words, tables)
    try:
        plan = plan_of(arguments)
    except ValueError as error:
        sys.exit(f"papers: {error}")
    chosen = [module for module in tables if not arguments.only or module.NAME in arguments.only]
    subjects = read_manifest()
    store = Store(arguments.results / "trials.jsonl")
    command = shlex.join(["./dev", "bench", "papers", *words_to_measure(words)])

    sections = []
    for module in chosen:
        results = run_cells(module.NAME, module.cells(subjects, plan), store, arguments.page_only)
        sections.append((module.NAME, module.section(subjects, results, plan)))
    page.write_files(arguments.results, sections)
    text = page.page(sections, command, arguments.commit, plan)
    (arguments.results / "results.md").write_text(text)
    say(f"written: {arguments.results}/results.md, *.csv, {page.PLOTS}/*.svg")
    if arguments.docs:
        write_docs(arguments.docs, sections, command, arguments.commit, plan)
    print(text)


def write_docs(name, sections, command, commit, plan):
    folder = DOCS / "results"
    folder.mkdir(parents=True, exist_ok=True)
    for _, section in sections:
        for plot, svg in section.plots.items():
            (folder / plot).write_text(svg)
    (DOCS / f"{name}.md").write_text(page.page(sections, command, commit, plan, plots="results"))
    say(f"written: docs/{name}.md, docs/results/*.svg")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("\npapers: interrupted; what is done is kept, run it again to go on")
