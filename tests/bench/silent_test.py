# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench silent reads, and what it calls wrong. Run by ctest."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import silent  # noqa: E402


def campaign(strategy="portfolio", **stats):
    default = {"executor": "snapshot", "workers": 1}
    default |= {"schedules": 10, "traces_digest": "a", "exhausted": False, "explored": 0, "distinct": 5}
    return silent.Campaign(strategy, "auto", default | stats, [])


def forked(**stats):
    return campaign(**({"executor": "fork", "traces_digest": "a"} | stats))


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        for name in ("one.c", "two.cc", "three.c"):
            (self.path / name).write_text("int main(void) { return 0; }\n")

    def tearDown(self):
        self.folder.cleanup()

    def test_braces_stand_for_several(self):
        self.assertEqual(silent.expanded("-DK={0..2}"), ["-DK=0", "-DK=1", "-DK=2"])
        self.assertEqual(silent.expanded("{a,b} {1..2}"), ["a 1", "a 2", "b 1", "b 2"])
        self.assertEqual(silent.expanded("plain"), ["plain"])

    def test_a_line_has_five_fields(self):
        line = r"one | -DX | {1..2} 'a b' | --patient any-output | x\ny\n"
        first, second = silent.variants_of_line(self.path, line)
        self.assertEqual(first.build, ("-DX",))
        self.assertEqual((first.arguments, second.arguments), (("1", "a b"), ("2", "a b")))
        self.assertEqual(first.options, ("--patient",))
        self.assertTrue(first.any_output)
        self.assertEqual(first.input, "x\ny\n")

    def test_programs_without_a_line_are_run_once(self):
        variants = silent.all_variants(self.path, ["# a comment", "", "one | | {1..3}", "- three"])
        self.assertEqual([v.source.name for v in variants], ["one.c", "one.c", "one.c", "two.cc"])

    def test_unknown_programs_are_an_error(self):
        with self.assertRaises(SystemExit):
            silent.all_variants(self.path, ["four"])

    def test_our_own_list_names_programs_that_exist(self):
        folder = ROOT / "tests" / "programs"
        variants = silent.all_variants(folder, (folder / "arguments.txt").read_text().splitlines())
        self.assertGreater(len(variants), 20)


class Behaviour(unittest.TestCase):
    def plain(self, runs, variant=silent.Variant(Path("x.c"))):
        with mock.patch.object(silent, "run", side_effect=runs):
            return silent.PlainBehaviour(variant, Path("x"))

    def test_output_and_status_are_compared(self):
        plain = self.plain([(0, "ok 1\n", "")] * silent.PLAIN_RUNS)
        self.assertEqual(plain.difference(0, "ok 1\n"), "")
        self.assertIn("prints", plain.difference(0, "ok 2\n"))
        self.assertIn("status 3", plain.difference(3, "ok 1\n"))

    def test_numbers_that_vary_are_not(self):
        plain = self.plain([(0, f"ok {i}\n", "") for i in range(silent.PLAIN_RUNS)])
        self.assertEqual(plain.difference(0, "ok 99\n"), "")
        self.assertIn("prints", plain.difference(0, "no 99\n"))

    def test_a_signal_is_128_and_its_number(self):
        plain = self.plain([(-6, "", "")] * silent.PLAIN_RUNS)
        self.assertEqual(plain.difference(134, ""), "")
        self.assertIn("signal 6", plain.difference(0, ""))

    def test_a_hang_is_told(self):
        self.assertEqual(self.plain([None] * silent.PLAIN_RUNS).wrong, "hangs natively")


class Campaigns(unittest.TestCase):
    def test_executors_have_the_same_traces(self):
        same = [campaign(), forked()]
        self.assertEqual(silent.other_traces(same), [])
        differ = [campaign(), forked(traces_digest="b")]
        self.assertEqual(len(silent.other_traces(differ)), 1)
        no_other_executor = [forked(), forked(traces_digest="b")]
        self.assertEqual(silent.other_traces(no_other_executor), [])
        stopped_earlier = [campaign(), forked(traces_digest="b", schedules=9)]
        self.assertEqual(silent.other_traces(stopped_earlier), [])

    def test_a_claim_is_false_when_sampling_finds_more(self):
        claim = campaign(exhausted=True, explored=7, distinct=6)
        self.assertEqual(silent.false_claims([claim], campaign("random", distinct=7)), [])
        self.assertEqual(len(silent.false_claims([claim], campaign("random", distinct=8))), 1)
        self.assertEqual(silent.false_claims([campaign()], campaign("random", distinct=8)), [])
        executions = campaign(exhausted=True, explored=7, distinct=6, executions=7)
        self.assertEqual(silent.false_claims([executions], campaign("random", distinct=8)), [])


if __name__ == "__main__":
    unittest.main()
