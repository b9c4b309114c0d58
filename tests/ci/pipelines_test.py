# SPDX-License-Identifier: Apache-2.0
"""The pipelines of examples/ci/ do what they say: their steps are executed, in a copy of the project beside them.

usage: pipelines_test.py BUILD    (its bin/jostle is what the step that installs jostle would have installed)

What a service does itself (checking out, caching, uploading) is not executed, but the files that it is told to take must
be there. Of the variables only the time of the search is another.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import small_yaml

try:
    import yaml  # checks our own reader, where it is installed
except ImportError:
    yaml = None

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ci"
BUILD = None
FOUND = 77

GUARDED = """    const std::lock_guard<std::mutex> lock(mutex_);
    if (items_.empty()) return std::nullopt;
"""
UNGUARDED = "\n".join(reversed(GUARDED.splitlines())) + "\n"


class Github:
    file = "github.yml"
    document = "jostle-out/queue_test/results.sarif"

    def __init__(self, pipeline):
        (job,) = pipeline["jobs"].values()
        self.variables = job["env"]
        self.shell_steps = [step for step in job["steps"] if "run" in step]
        self.service_steps = [step for step in job["steps"] if "uses" in step]
        self.permissions = pipeline["permissions"]

    def scripts(self):
        """Names and scripts, those that install first."""
        return [(step["name"], step["run"]) for step in self.shell_steps]

    def cached(self):
        (cache,) = [step for step in self.service_steps if step["uses"].startswith("actions/cache@")]
        return [cache["with"]["path"]]

    def uploaded(self):
        """What is taken when a step before has failed."""
        paths = []
        for step in self.service_steps:
            if step.get("if") in ("always()", "failure()"):
                paths.append(step["with"].get("sarif_file") or step["with"]["path"])
        return paths

    @staticmethod
    def failures(document):
        (run,) = json.loads(document.read_text())["runs"]
        return [place["physicalLocation"]["artifactLocation"]["uri"]
                for result in run["results"] for place in result["locations"]]


class Gitlab:
    file = "gitlab.yml"
    document = "jostle-out/queue_test/junit.xml"

    def __init__(self, pipeline):
        (self.job,) = pipeline.values()
        self.variables = self.job["variables"]

    def scripts(self):
        return [("Install Jostle", "\n".join(self.job["before_script"])), ("script", "\n".join(self.job["script"]))]

    def cached(self):
        return self.job["cache"]["paths"]

    def uploaded(self):
        assert self.job["artifacts"]["when"] == "always"
        return self.job["artifacts"]["paths"] + [self.job["artifacts"]["reports"]["junit"]]

    @staticmethod
    def failures(document):
        return [failure.get("message") for failure in ElementTree.parse(document).iter("failure")]


def texts(value):
    """As our reader has it: everything but lists and mappings is text."""
    if isinstance(value, dict):
        return {"on" if key is True else key: texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [texts(each) for each in value]
    return value if value is None else str(value)


class Pipelines(unittest.TestCase):
    def setUp(self):
        self.scratch = Path(tempfile.mkdtemp(prefix="jostle-ci-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.project = self.scratch / "project"
        shutil.copytree(EXAMPLE, self.project)

    def read(self, service):
        text = (EXAMPLE / service.file).read_text()
        pipeline = small_yaml.load(text)
        if yaml:
            self.assertEqual(pipeline, texts(yaml.safe_load(text)))
        return service(pipeline)

    def change(self, old, new):
        source = self.project / "queue.h"
        text = source.read_text()
        self.assertEqual(text.count(old), 1)
        source.write_text(text.replace(old, new))

    def run_steps(self, service):
        """The exit code of the first step that fails, or 0, and all that was printed."""
        (name, install), *steps = service.scripts()
        self.assertEqual(name, "Install Jostle")
        self.assertIn("jostle.deb", install)
        self.assertGreater(len(steps), 0)
        self.assertEqual(list(service.variables), ["FUZZ_TIME"])
        environment = dict(os.environ, FUZZ_TIME="3s", PATH=f"{BUILD}/bin:{os.environ['PATH']}")
        printed = ""
        for name, script in steps:
            self.assertNotIn("${{", script)
            done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.project, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=200)
            printed += done.stdout
            if done.returncode:
                return done.returncode, printed
        return 0, printed

    def expect_taken(self, service, paths):
        for path in paths:
            self.assertTrue((self.project / path).exists(), path)
        self.assertTrue(any(service.document.startswith(path) for path in service.uploaded()))

    def check(self, kind):
        service = self.read(kind)
        # All is well: what a service takes is there all the same.
        code, printed = self.run_steps(service)
        self.assertEqual(code, 0, printed)
        self.assertIn("\n1 finding in", printed)
        self.assertIn("1 fixed", printed)
        self.expect_taken(service, service.uploaded())
        self.assertEqual(service.failures(self.project / service.document), [])
        # Whether a short search keeps anything depends on its seed; what it kept is what is cached.
        (cached,) = service.cached()
        self.assertEqual(cached, "jostle-out/queue_test/corpus")
        if json.loads((self.project / "jostle-out/queue_test/stats.json").read_text())["corpus"]:
            self.expect_taken(service, [cached])

        # A change brings a failure of earlier days back. It is the first thing that is said.
        self.change(GUARDED, UNGUARDED)
        code, printed = self.run_steps(service)
        self.assertEqual(code, FOUND, printed)
        self.assertIn("1 still there", printed)
        self.expect_taken(service, service.uploaded())

        # A change brings a new one.
        shutil.rmtree(self.project / "regressions")
        (self.project / "regressions").mkdir()
        code, printed = self.run_steps(service)
        self.assertEqual(code, FOUND, printed)
        self.assertIn("FAILED after", printed)
        self.expect_taken(service, service.uploaded())
        self.assertGreater(len(service.failures(self.project / service.document)), 0)
        return service

    def test_github(self):
        service = self.check(Github)
        self.assertEqual(service.permissions["security-events"], "write")
        # Paths as GitHub knows them, from the root of the repository.
        for place in service.failures(self.project / service.document):
            self.assertTrue((self.project / place).is_file(), place)

    def test_gitlab(self):
        self.check(Gitlab)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
