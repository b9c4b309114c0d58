# SPDX-License-Identifier: Apache-2.0
"""Runs the trials of many cells, one after the other, and shows how far it is."""

import sys
import time

from .campaign import run_campaign
from .native import run_native
from .native_fuzzer import run_native_fuzzer
from .store import key_of, program_of
from .work import NATIVE_FUZZER, Results


def say(text):
    print(text, file=sys.stderr, flush=True)


def run_trial(cell, seed):
    if cell.method is NATIVE_FUZZER:
        return run_native_fuzzer(cell, seed)
    return run_native(cell, seed) if cell.method.native else run_campaign(cell, seed)


class Progress:
    """A line per cell: what came of it, how much is left."""

    def __init__(self, name, cells):
        self._name = name
        self._cells = cells
        self._done = 0
        self._run = 0  # not remembered from an earlier time
        self._started = time.monotonic()

    def not_built(self, cell):
        self._done += 1
        say(f"{self._name} [{self._done}/{self._cells}] {cell.program_name} {cell.method.name}: not built, left out")

    def cell_done(self, cell, outcomes, new):
        self._done += 1
        self._run += new > 0
        found = [outcome.found_at for outcome in outcomes if outcome.found]
        result = f"{len(found)} of {len(outcomes)} found it"
        if found:
            result += f", after {sum(found) / len(found):.1f} schedules"
        if len(outcomes) < cell.trials:
            result += f" (given up: {cell.trials - len(outcomes)} trials not run)"
        notes = {outcome.note for outcome in outcomes if outcome.note}
        if notes:
            result += "  ! " + "; ".join(sorted(notes))
        left = ""
        if self._run and self._done < self._cells:
            seconds = (time.monotonic() - self._started) / self._run * (self._cells - self._done)
            left = f"  about {seconds / 60:.0f} min left" if seconds > 60 else ""
        say(f"{self._name} [{self._done}/{self._cells}] {cell.program_name} {cell.method.name}: {result}{left}")


def run_cell(cell, store, run=run_trial):
    """The outcomes of the cell's trials and how many of them are new."""
    outcomes, new = [], 0
    for seed in cell.seeds:
        if cell.give_up_after and len(outcomes) >= cell.give_up_after and not any(o.found for o in outcomes):
            break
        key = key_of(cell, seed)
        outcome = store.find(key)
        if outcome is None:
            outcome = run(cell, seed)
            store.add(key, outcome)
            new += 1
        outcomes.append(outcome)
    return outcomes, new


def remembered(cell, store):
    """The outcomes of the cell's trials that were run before."""
    outcomes = [store.find(key_of(cell, seed)) for seed in cell.seeds]
    return [outcome for outcome in outcomes if outcome is not None]


def run_cells(name, cells, store, only_remembered=False):
    results = Results()
    progress = Progress(name, len(cells))
    for cell in cells:
        if not program_of(cell).exists():  # for want of a library, for instance
            progress.not_built(cell)
            continue
        outcomes, new = (remembered(cell, store), 0) if only_remembered else run_cell(cell, store)
        results.add(cell, outcomes)
        progress.cell_done(cell, outcomes, new)
    return results
