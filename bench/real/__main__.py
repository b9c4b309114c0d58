# SPDX-License-Identifier: Apache-2.0
"""./dev bench real: software of the distribution, under Jostle."""

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from . import build, judged, page, places, recipe, source, trial
from .store import Store, key_of


def say(text):
    print(text, file=sys.stderr, flush=True)


def parse_arguments(words):
    parser = argparse.ArgumentParser(prog="./dev bench real", description="Software of the distribution, under Jostle.")
    add = parser.add_argument
    add("packages", nargs="*", metavar="PACKAGE", help="only these (default: all)")
    add("--list", action="store_true", help="say which there are")
    add("--time", type=int, metavar="SECONDS", help="for each package (default 120)")
    add("--quick", action="store_true", help="30 seconds a package, and no build without Jostle beside")
    add("--build", action="store_true", help="only fetch and build what is not built yet, for a later run")
    add("--again", action="store_true", help="run what is known, too; what is built stays")
    add("--rebuild", action="store_true", help="the same, and build it again")
    add("--page-only", action="store_true", help="run nothing: make the page of the newest results")
    add("--docs", action="store_true", help="write docs/results-real.md (default: build/real/results-real.md)")
    add("--work", type=Path, default=places.WORK, metavar="DIR", help="default build/real")
    return parser.parse_args(words)


class Bench:
    def __init__(self, arguments):
        self._work = arguments.work.resolve()
        self._seconds = arguments.time or (30 if arguments.quick else 120)
        self._quick = arguments.quick
        self._again = arguments.again or arguments.rebuild
        self._rebuild = arguments.rebuild
        self._apt = source.Apt(self._work / "apt")
        self._prepared = False
        self.store = Store(self._work / "results.jsonl")

    def _source_of(self, package):
        """(folder, version); the folder of what is used from its -dev package is None."""
        source.install(package.needs)
        if not package.source:
            return None, source.installed_version(package.needs[0]) if package.needs else ""
        folder = self._work / "source" / package.source
        if not self._prepared:
            self._apt.prepare()
            self._prepared = True
        unpacked = source.unpacked(folder) or self._apt.fetch(package.source, folder)
        return unpacked, self._apt.version(package.source)

    def result_of(self, package):
        try:
            folder, version = self._source_of(package)
        except source.Unavailable as error:
            return {"name": package.name, "unavailable": str(error)}
        key = key_of(package, version, self._seconds)
        known = None if self._again else self.store.find(key)
        if known is None:
            known = self._try(package, folder, version)
            self.store.add(key, known)
        return known

    def built(self, package):
        """A result without runs."""
        try:
            folder, version = self._source_of(package)
        except source.Unavailable as error:
            return {"name": package.name, "unavailable": str(error)}
        return self._built(package, folder, version)

    def _built(self, package, folder, version):
        result = {"name": package.name, "version": version, "built": False, "seconds": self._seconds, "runs": []}
        target = self._work / "build" / package.name
        known = None if self._rebuild else build.known(package, version, target)
        plain_seconds = None if self._rebuild else build.known_without_jostle(package, version, target)
        times, error = dict(known or {}), None
        if plain_seconds is not None:
            times["gcc_s"] = plain_seconds
        elif not self._quick:
            times["gcc_s"], error = self._build(package, folder, self._work / "plain" / package.name, jostle=False)
            shutil.rmtree(self._work / "plain", ignore_errors=True)
        if known is None and error is None:
            times["build_s"], error = self._build(package, folder, target, jostle=True)
        if error is not None:
            return {**result, "error": error}
        build.remember(package, version, target, times)
        result.update({**times, "built": True})
        for key in ("key", "plain_key"):
            result.pop(key, None)
        return result

    def _try(self, package, folder, version):
        result = self._built(package, folder, version)
        if not result["built"]:
            return result
        target = self._work / "build" / package.name
        shutil.rmtree(target / "jostle-out", ignore_errors=True)  # of earlier campaigns in the same build
        campaigns = sum(2 if run.verify else 1 for run in package.runs)
        each = max(2, self._seconds // campaigns)
        result["runs"] = [self._try_run(run, target, number, each) for number, run in enumerate(package.runs)]
        return result

    def _build(self, package, folder, target, jostle):
        """(seconds, why it failed or None); processor time, which does not depend on what else the machine does"""
        outcome = build.build(package, folder, target, jostle)
        if outcome.code == 0:
            return round(outcome.processor_seconds, 2), None
        return None, ("" if jostle else "without Jostle: ") + (outcome.err or outcome.out).strip()[-400:]

    def _try_run(self, run, folder, number, seconds):
        trial.prepare(run, folder)
        entry = {"what": run.what, "doctor": trial.doctor(run, folder)}
        entry["fuzz"] = trial.fuzz(run, folder, seconds, number)
        if run.verify:
            entry["verify"] = trial.verify(run, folder, seconds, number)
        return entry


def line_of(result):
    """What came of a package, for the terminal."""
    if result.get("unavailable"):
        return f"cannot be had here: {result['unavailable']}"
    if not result["built"]:
        return "not built"
    parts = [f"built in {page.time_to_build(result)}"]
    for run in result["runs"]:
        fuzz = run["fuzz"]
        parts.append(f"{fuzz.get('schedules', 0):,} schedules, {len(fuzz.get('findings', ()))} findings")
        if run.get("verify"):
            parts.append(run["verify"]["verdict"] or "no verdict")
    return "; ".join(parts)


def result_of(bench, package, arguments):
    """A package that cannot be tried costs no other its turn."""
    try:
        if arguments.page_only:
            return bench.store.last(package.name)
        return bench.built(package) if arguments.build else bench.result_of(package)
    except (OSError, subprocess.SubprocessError) as error:
        return {"name": package.name, "built": False, "error": str(error)}


def main(words):
    arguments = parse_arguments(words)
    packages = recipe.read_all(places.PACKAGES)
    unknown = set(arguments.packages) - {package.name for package in packages}
    if unknown:
        sys.exit(f"real: no recipe for {', '.join(sorted(unknown))} (--list)")
    chosen = [package for package in packages if not arguments.packages or package.name in arguments.packages]
    if arguments.list:
        print("\n".join(f"{package.name:20} {package.kind}" for package in chosen))
        return 0
    bench = Bench(arguments)
    started, wrong, results = time.monotonic(), [], {}
    for number, package in enumerate(chosen, 1):
        result = result_of(bench, package, arguments)
        if result is None:
            continue
        results[package.name] = result
        say(f"real [{number}/{len(chosen)}] {package.name}: {line_of(result)}")
        for complaint in judged.complaints(package, result):
            say(f"  ! {complaint}")
            wrong.append((package.name, complaint))
    if arguments.build:
        say(f"real: {len(results)} packages in {(time.monotonic() - started) / 60:.0f} min, {len(wrong)} to look at")
        return 1 if wrong else 0
    text = page.page([(p, results[p.name]) for p in chosen if p.name in results], " --quick" if arguments.quick else "")
    path = places.PAGE if arguments.docs else arguments.work / "results-real.md"
    path.write_text(text)
    say(f"real: {len(results)} packages in {(time.monotonic() - started) / 60:.0f} min, {len(wrong)} to look at; written: {path}")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nreal: interrupted; what is done is kept, run it again to go on")
