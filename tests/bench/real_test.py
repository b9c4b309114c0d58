# SPDX-License-Identifier: Apache-2.0
"""The recipes, the verdicts and the page of ./dev bench real. Run by ctest; fetches nothing."""

import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from real import __main__ as bench, build, guest, judged, page, places, recipe, source, store, trial  # noqa: E402

RECIPE = """
kind = "store"
build = "make"
[[run]]
what = "two threads"
command = "./test"
verify = true
[[verdict]]
finding = "read .* counter.c"
is = "benign"
why = "a statistic"
"""


def one_recipe(text=RECIPE):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "thing.toml"
        path.write_text(text)
        return recipe.read(path)


def result_with(*findings, **more):
    fuzz = {"code": 0, "text": "", "seconds": 2.0, "hung": False, "findings": list(findings), "schedules": 100, "executor": "snapshot"}
    doctor = {"code": 0, "text": "", "seconds": 1, "hung": False}
    runs = [{"what": "two threads", "doctor": doctor, "fuzz": {**fuzz, **more}}]
    return {"name": "thing", "version": "1.0-1", "built": True, "build_s": 4.0, "seconds": 30, "runs": runs}


class Recipes(unittest.TestCase):
    def test_all_can_be_read(self):
        recipes = recipe.read_all(places.PACKAGES)
        self.assertGreaterEqual(len(recipes), 25)
        self.assertEqual(len({each.name for each in recipes}), len(recipes))

    def test_every_driver_is_used_and_short(self):
        texts = "".join(each.text for each in recipe.read_all(places.PACKAGES))
        for path in places.DRIVERS.iterdir():
            self.assertIn(path.name, texts)
            self.assertLessEqual(len(path.read_text().splitlines()), 60, path.name)

    def test_a_verdict_is_one_of_four(self):
        with self.assertRaisesRegex(ValueError, "thing.toml"):
            one_recipe(RECIPE.replace('"benign"', '"perhaps"'))


class Verdicts(unittest.TestCase):
    def test_a_finding_without_one_is_a_complaint(self):
        found = result_with("race: read f counter.c:3 / write g counter.c:4", "deadlock: no thread can go on")
        self.assertEqual(judged.complaints(one_recipe(), found), ["not judged: deadlock: no thread can go on"])

    def test_an_order_of_locks_has_one_text_whoever_came_first(self):
        def step(held, wanted, schedule):
            return {"held": held, "held_at": "a.c:1", "wanted": wanted, "wanted_at": "a.c:2", "schedule": schedule}

        first = [step("a", "b", 3), step("b", "a", 4)]
        texts = trial.findings({"lock_order_warnings": [first, [step("b", "a", 7), step("a", "b", 1)]]})
        self.assertEqual(texts, ["lock order: a (a.c:1), then b (a.c:2) / b (a.c:1), then a (a.c:2)"])

    def test_a_hang_is_a_complaint(self):
        self.assertEqual(judged.complaints(one_recipe(), result_with(hung=True)), ["fuzz hangs: two threads"])

    def test_a_campaign_without_an_end_is_a_complaint(self):
        broken = result_with()
        del broken["runs"][0]["fuzz"]["findings"]
        self.assertRegex(judged.complaints(one_recipe(), broken)[0], "fuzz ended with 0")

    def test_a_race_has_one_text_whoever_came_first(self):
        def side(access, place):
            return {"access": f"{access} of 4 bytes", "function": "f", "place": place}

        first = {"earlier": side("write", "a.c:1"), "later": side("read", "a.c:2")}
        second = {"earlier": side("read", "a.c:2"), "later": side("write", "a.c:1")}
        self.assertEqual(trial.findings({"races": [first, second]}), ["race: read f a.c:2 / write f a.c:1"])


class Page(unittest.TestCase):
    def test_has_a_row_and_the_verdict(self):
        text = page.page([(one_recipe(), result_with("race: read f counter.c:3 / write g counter.c:4"))])
        self.assertIn("| thing | 1.0-1 | two threads | snapshot | 50 | – | 1 benign | 4 s |", text)
        self.assertIn("a statistic", text)
        self.assertIn("1 package built and run; 1 finding of 1 reason", text)

    def test_says_what_the_wrapper_costs(self):
        fast, slow = ({**result_with(), "gcc_s": seconds} for seconds in (4.0, 2.0))
        text = page.page([(one_recipe(), fast), (one_recipe(), slow), (one_recipe(), result_with())])
        self.assertIn("| none | 4 s, 2.0 × |", text)
        self.assertIn("2 packages were also built by the compiler alone, by the same commands: 6 s of processor time, and 8 s with Jostle, 1.33 times", text)
        self.assertIn("(1.0 for thing, 2.0 for thing)", text)
        self.assertNotIn("by the compiler alone", page.page([(one_recipe(), result_with())]))

    def test_says_what_could_not_be_had(self):
        text = page.page([(one_recipe(), {"name": "thing", "unavailable": "no source"})])
        self.assertIn("| thing |  | no source |", text)


class Sources(unittest.TestCase):
    def test_both_forms_of_lists_ask_for_sources(self):
        self.assertEqual(source._with_sources("Types: deb\nURIs: http://x\n"), "Types: deb deb-src\nURIs: http://x\n")
        self.assertEqual(source._with_sources("deb http://x y z\n"), "deb http://x y z\ndeb-src http://x y z\n")

    def test_the_newest_version_wins(self):
        self.assertGreater(source._natural("1.10-2"), source._natural("1.9-3"))


class Resuming(unittest.TestCase):
    def test_a_result_is_found_again_and_a_broken_line_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.jsonl"
            store.Store(path).add("key", result_with())
            with path.open("a") as file:
                file.write('{"key": "cut off')
            again = store.Store(path)
            self.assertEqual(again.find("key")["version"], "1.0-1")
            self.assertEqual(again.last("thing")["version"], "1.0-1")
            self.assertIsNone(again.find("cut off"))


def bench_in(folder, *words):
    return bench.Bench(bench.parse_arguments(["--quick", "--work", str(folder), *words]))


class Building(unittest.TestCase):
    """With a build that only counts how often it was asked for."""

    def setUp(self):
        self.built = []
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)
        for patch in (
            mock.patch.object(build, "_wrapper", lambda: "gcc"),
            mock.patch.object(build, "build", self._build),
            mock.patch.object(source, "install", lambda packages: None),
            mock.patch.object(bench, "key_of", lambda *parts: "key"),
            mock.patch.object(bench.Bench, "_try_run", self._run),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def _build(self, package, folder, target, jostle):
        self.built.append(package.name)
        target.mkdir(parents=True, exist_ok=True)
        return guest.Outcome(0 if package.build == "make" else 2, "", "no rule", 4.0, 3.0, False)

    def _run(self, run, target, number, seconds):
        self.assertFalse((target / "jostle-out").exists())
        (target / "jostle-out").mkdir()
        return result_with()["runs"][0]

    def _once(self, *words, text=RECIPE):
        return bench_in(self.work, *words).result_of(one_recipe(text))

    def test_what_is_known_is_run_again_in_the_build_that_is_there(self):
        self.assertEqual(self._once()["build_s"], 3.0)
        self.assertEqual(len(self._once("--again")["runs"]), 1)
        self.assertEqual(self.built, ["thing"])
        self._once("--rebuild")
        self.assertEqual(self.built, ["thing", "thing"])

    def test_a_build_alone_is_there_for_the_next_run(self):
        self.assertEqual(bench_in(self.work, "--build").built(one_recipe())["runs"], [])
        self.assertEqual(len(self._once()["runs"]), 1)
        self.assertEqual(self.built, ["thing"])

    def test_one_that_fails_says_why_and_is_tried_again(self):
        broken = RECIPE.replace('"make"', '"exit 2"')
        self.assertEqual(judged.complaints(one_recipe(broken), self._once(text=broken)), ["not built: no rule"])
        self._once("--again", text=broken)
        self.assertEqual(self.built, ["thing", "thing"])

    def test_without_quick_gcc_is_measured_and_remembered(self):
        slow = bench.Bench(bench.parse_arguments(["--build", "--work", str(self.work)]))
        self.assertEqual(slow.built(one_recipe())["gcc_s"], 3.0)
        self.assertEqual(self._once()["gcc_s"], 3.0)
        self.assertEqual(self.built, ["thing", "thing"])
        with mock.patch.object(build, "_wrapper", lambda: "another"):
            self.assertEqual(self._once("--again")["gcc_s"], 3.0)
        self.assertEqual(self.built, ["thing"] * 3)
        self._once("--rebuild")  # --quick, too: its time is not known any more
        self.assertNotIn("gcc_s", self._once("--again"))
        self.assertEqual(slow.built(one_recipe())["gcc_s"], 3.0)
        self.assertEqual(self.built, ["thing"] * 5)
        broken = slow.built(one_recipe(RECIPE.replace('"make"', '"exit 2"')))
        self.assertEqual(broken["error"], "without Jostle: no rule")
        self.assertNotIn("gcc_s", broken)

    def test_an_error_of_the_machine_is_the_result_of_one_package(self):
        broken = types.SimpleNamespace(result_of=mock.Mock(side_effect=OSError("no space")))
        result = bench.result_of(broken, one_recipe(), bench.parse_arguments(["--quick"]))
        self.assertEqual(judged.complaints(one_recipe(), result), ["not built: no space"])


class Guests(unittest.TestCase):
    def test_what_hangs_is_ended_with_its_children_but_not_with_who_left(self):
        with mock.patch.object(guest, "words", lambda: []), mock.patch.object(guest, "LAST_WORDS", 0.2):
            started = time.monotonic()
            outcome = guest.run("setsid sleep 5 & sleep 5", "/", {}, 0.2)
        self.assertTrue(outcome.hung)
        self.assertLess(time.monotonic() - started, 4)


if __name__ == "__main__":
    unittest.main()
