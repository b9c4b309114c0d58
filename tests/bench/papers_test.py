# SPDX-License-Identifier: Apache-2.0
"""The statistics, the texts and the resuming of ./dev bench papers. Run by ctest."""

import math
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from papers import markdown, places, published, runner, store, svg  # noqa: E402
from papers.native_fuzzer import run_native_fuzzer  # noqa: E402
from papers.plan import QUICK, read_duration  # noqa: E402
from papers.subjects import published_in, read_manifest  # noqa: E402
from papers.survival import (  # noqa: E402
    Sample,
    compare,
    kaplan_meier,
    log_rank,
    restricted_mean,
    samples_of,
    summarise,
)
from papers.tables import all_tables, pthreads, rff  # noqa: E402
from papers.work import NATIVE_FUZZER, Cell, Limit, Method, Outcome, Results  # noqa: E402


def found(*schedules):
    return [Sample(n, True) for n in schedules]


def missed(*schedules):
    return [Sample(n, False) for n in schedules]


class Summary(unittest.TestCase):
    def test_mean_and_deviation_are_of_the_trials_that_found_it(self):
        summary = summarise(found(2, 4, 4, 4, 5, 5, 7, 9) + missed(1000))
        self.assertEqual((summary.trials, summary.missed, summary.mean), (9, 1, 5.0))
        self.assertAlmostEqual(summary.deviation, math.sqrt(32 / 7))

    def test_one_trial_has_no_deviation(self):
        self.assertEqual(summarise(found(3)).deviation, 0.0)

    def test_nobody_found_it(self):
        summary = summarise(missed(10, 10))
        self.assertTrue(math.isnan(summary.mean))
        self.assertEqual(summary.missed, 2)

    def test_a_trial_that_missed_is_censored_at_its_last_schedule(self):
        outcomes = [Outcome(1, found_at=7, schedules=7), Outcome(2, schedules=500)]
        self.assertEqual(samples_of(outcomes), [Sample(7, True), Sample(500, False)])


class Survival(unittest.TestCase):
    # The 6-MP arm of Freireich et al. (1963): weeks of remission, + censored. Textbooks give these shares.
    TREATED = found(6, 6, 6, 7, 10, 13, 16, 22, 23) + missed(6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)
    CONTROL = found(1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23)

    def test_kaplan_meier(self):
        expected = [(6, 0.857), (7, 0.807), (10, 0.753), (13, 0.690), (16, 0.627), (22, 0.538), (23, 0.448)]
        curve = kaplan_meier(self.TREATED)
        self.assertEqual([time for time, _ in curve], [time for time, _ in expected])
        for (_, share), (_, wanted) in zip(curve, expected):
            self.assertAlmostEqual(share, wanted, places=3)

    def test_log_rank(self):
        chi_squared, p = log_rank(self.TREATED, self.CONTROL)
        self.assertAlmostEqual(chi_squared, 16.79, places=2)
        self.assertLess(p, 0.0001)
        self.assertAlmostEqual(log_rank(self.CONTROL, self.TREATED)[0], chi_squared)

    def test_log_rank_of_the_same_trials(self):
        self.assertEqual(log_rank(found(1, 2, 3), found(1, 2, 3)), (0.0, 1.0))

    def test_log_rank_without_any_event(self):
        self.assertEqual(log_rank(missed(10, 10), missed(20, 20)), (0.0, 1.0))

    def test_log_rank_of_one_always_and_one_never(self):
        _, p = log_rank(found(*[1] * 20), missed(*[1000] * 20))
        self.assertLess(p, 1e-6)

    def test_few_misses_tell_nothing(self):
        self.assertEqual(compare(found(500, 600, 700), missed(100, 100, 100)), 0)

    def test_compare(self):
        few, many = found(1, 2, 2, 3, 1, 2, 4), found(50, 60, 70, 55, 65, 80, 90)
        self.assertEqual((compare(few, many), compare(many, few)), (-1, 1))

    def test_restricted_mean_without_misses_is_the_mean(self):
        self.assertAlmostEqual(restricted_mean(found(1, 5, 9, 13)), 7.0)

    def test_restricted_mean_counts_misses_as_long_as_they_lasted(self):
        self.assertAlmostEqual(restricted_mean(found(10) + missed(100)), 55.0)
        self.assertAlmostEqual(restricted_mean(missed(100, 100)), 100.0)
        self.assertAlmostEqual(restricted_mean(found(10, 20), horizon=10), 10.0)


class Texts(unittest.TestCase):
    def test_numbers(self):
        cases = {1.0: "1", 1.25: "1.2", 9.96: "10", 0.0123: "0.012", 12345.6: "12,346", 0: "0"}
        for value, text in cases.items():
            self.assertEqual(markdown.number(value), text)
        self.assertEqual(markdown.seconds(0.0021), "2.1 ms")

    def test_published_cells_as_printed(self):
        cells = published.reads_from_fuzzer()
        self.assertEqual(cells["CS/reorder_100", "PCT3"].text(), "7,447 ± 0*")
        self.assertEqual(cells["CS/reorder_100", "POS"].text(), "-")
        self.assertEqual(cells["CS/reorder_100", "GenMC"].text(), "error")
        self.assertEqual(published.surw()["SafeStack"].text(), "368,921*")

    def test_durations(self):
        self.assertEqual([read_duration(text) for text in ("5m", "300ms", "2")], [300.0, 0.3, 2.0])
        self.assertRaises(ValueError, read_duration, "soon")

    def test_plots_are_well_formed(self):
        x, y = svg.Axis("n < m", 1, 1000, logarithmic=True), svg.Axis("bugs", 0, 49)
        text = svg.plot("a & b", x, y, [svg.Line("one", [(1, 0), (10, 20), (1000, 49)], steps=True)])
        lines = xml.fromstring(text).findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(lines), 1)
        self.assertEqual(len(lines[0].get("points").split()), 5)


class Data(unittest.TestCase):
    """Every row of every table has a program."""

    def names_in(self, paper):
        return {subject.name_in(paper) for subject in published_in(paper, read_manifest())}

    def test_all_rows_have_a_program(self):
        reads_from = {program for program, _ in published.reads_from_fuzzer()}
        self.assertEqual(len(reads_from), 49)
        self.assertEqual(self.names_in("rff"), reads_from)
        self.assertEqual(self.names_in("surw"), set(published.surw()))
        self.assertEqual(self.names_in("threadfuzzer"), {name for name, _ in published.threadfuzzer()})
        self.assertEqual(self.names_in("taming"), set(published.taming_pthreads()))

    def test_sources_are_named(self):
        for path in (ROOT / "bench" / "data").glob("*.csv"):
            self.assertTrue(path.read_text().startswith("# Source: "), path)


class Resuming(unittest.TestCase):
    """Outcomes are remembered; trials that miss again and again are given up."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "trials.jsonl"
        self.key = runner.key_of
        runner.key_of = lambda cell, seed: f"{cell.program_name} {seed}"
        self.addCleanup(setattr, runner, "key_of", self.key)
        self.ran = []

    def cell(self, **changes):
        return Cell(read_manifest()[0], Method("pos", "pos"), 5, Limit(1), **changes)

    def run_trial(self, found_at):
        def run(cell, seed):
            self.ran.append(seed)
            return Outcome(seed, found_at=found_at, schedules=9)

        return run

    def test_nothing_is_run_twice(self):
        runner.run_cell(self.cell(), store.Store(self.path), self.run_trial(3))
        with open(self.path, "a") as file:
            file.write('{"key": "cut o')
        outcomes, new = runner.run_cell(self.cell(), store.Store(self.path), self.run_trial(4))
        self.assertEqual((self.ran, new), ([1, 2, 3, 4, 5], 0))
        self.assertEqual([outcome.found_at for outcome in outcomes], [3] * 5)

    def test_a_page_of_what_was_run_before(self):
        runner.run_cell(self.cell(give_up_after=2), store.Store(self.path), self.run_trial(0))
        self.assertEqual([outcome.seed for outcome in runner.remembered(self.cell(), store.Store(self.path))], [1, 2])

    def test_give_up(self):
        outcomes, _ = runner.run_cell(self.cell(give_up_after=2), store.Store(self.path), self.run_trial(0))
        self.assertEqual(len(outcomes), 2)

    def test_what_was_found_is_not_given_up(self):
        outcomes, _ = runner.run_cell(self.cell(give_up_after=2), store.Store(self.path), self.run_trial(1))
        self.assertEqual(len(outcomes), 5)


@unittest.skipUnless(shutil.which("afl-fuzz"), "no afl-fuzz here")
class NativeFuzzer(unittest.TestCase):
    """It ends at the first run that fails, be it the very first."""

    def outcome_of(self, script):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(places, "PLAIN", Path(folder)):
            program = Path(folder, "program")
            program.write_text(f"#!/bin/sh\ncd {folder}\n{script}\n")
            program.chmod(0o755)
            cell = Cell(read_manifest()[0], NATIVE_FUZZER, 1, Limit(3), program="program")
            return run_native_fuzzer(cell, 1)

    def test_a_program_that_fails_at_once(self):
        outcome = self.outcome_of("kill -ABRT $$")
        self.assertTrue(outcome.found, outcome)
        self.assertLess(outcome.wall_s, 3)

    def test_a_program_that_fails_later(self):
        outcome = self.outcome_of("echo >> runs; [ $(wc -l < runs) -lt 20 ] || kill -ABRT $$")
        self.assertTrue(outcome.found, outcome)
        self.assertLess(outcome.wall_s, 3)

    def test_a_program_that_does_not_fail(self):
        outcome = self.outcome_of("exit 0")
        self.assertFalse(outcome.found, outcome)
        self.assertGreaterEqual(outcome.wall_s, 2.5)


class Tables(unittest.TestCase):
    """Each table can be made of what its cells give, also when half of it is missing."""

    def results_of(self, cells, found_at):
        results = Results()
        stats = {"percent_violated": 10.0, "percent_deadlocked": 0.0, "percent_timed_out": 0.0, "distinct": 9}
        stats |= {"ms_per_schedule": 0.01, "exit_code": 0, "failing_schedules": 0, "failures_by_kind": {}}
        stats |= {"rf_histogram": [[1, 3], [5, 1]], "rf_entropy_bits": 1.0, "data_races": 0}
        for cell in cells:
            times = {"wall_s": 0.2, "search_s": 0.1, "to_bug_s": 0.1, "cpu_s": 0.1}
            results.add(cell, [Outcome(s, found_at, 10, **times, stats=stats) for s in range(1, cell.trials + 1)])
        return results

    def test_all(self):
        subjects = read_manifest()
        for module in all_tables():
            cells = module.cells(subjects, QUICK)
            self.assertTrue(cells, module.NAME)
            for results in (self.results_of(cells, 3), self.results_of(cells, 0), Results()):
                section = module.section(subjects, results, QUICK)
                self.assertTrue(section.title)
                for text in section.plots.values():
                    xml.fromstring(text)
                for rows in section.csv.values():
                    self.assertEqual(len({len(row) for row in rows}), 1, module.NAME)

    def test_rff_bars(self):
        subjects = read_manifest()
        cells = rff.cells(subjects, QUICK)
        reached = {bar.what: bar.reached for bar in rff.section(subjects, self.results_of(cells, 1), QUICK).bars}
        # All methods equal: everything is found at once, but nobody is ahead.
        self.assertEqual(list(reached.values()), [True, True, False])
        reached = [bar.reached for bar in rff.section(subjects, self.results_of(cells, 0), QUICK).bars]
        self.assertEqual(reached, [False, False, False])

    def test_within_one_of_what_nobody_found(self):
        never, twice = published.Schedules("never-found"), published.Schedules("found", 2, 0)
        self.assertTrue(rff.within_one(found(900), never))
        self.assertFalse(rff.within_one(missed(900), never))
        self.assertTrue(rff.within_one(found(3, 3), twice))
        self.assertFalse(rff.within_one(found(3, 4), twice))
        self.assertFalse(rff.within_one(found(1) + missed(9), twice))

    def test_taming_limits_are_scaled_by_the_native_run(self):
        theirs = {"pthread": 0.4, "schedule": 0.1, "seed": None}
        self.assertAlmostEqual(pthreads.scaled_limit(theirs, 0.8), 0.2)
        self.assertAlmostEqual(pthreads.scaled_limit(theirs, math.nan), 0.1)
        self.assertAlmostEqual(pthreads.scaled_limit({**theirs, "pthread": None}, 0.8), 0.1)


if __name__ == "__main__":
    unittest.main()
