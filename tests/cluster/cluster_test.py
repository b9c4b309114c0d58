# SPDX-License-Identifier: Apache-2.0
"""Campaigns under the schedulers that people have, and among very many workers.

usage: cluster_test.py BUILD [test…]

Slurm, GNU parallel, Open MPI and rclone are used where they are installed, with JOSTLE_LONG_TESTS only (apt-get install
slurm-wlm munge parallel openmpi-bin rclone). So are the models of Kubernetes' API (python3-kubernetes). Nothing is installed, and no daemon but our own is talked to.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import segments

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "cluster"
LONG = os.environ.get("JOSTLE_LONG_TESTS") == "1"
BUILD = None

# Many data flows, no failure.
FLOWS = """
#include <pthread.h>
static volatile int a, b, c, d, seen;
static void* set(void* unused) { a = 1; b = 1; a = 2; b = 2; c = a; d = b; return unused; }
static void* look(void* unused) { seen = a + 2 * b; seen = b + 2 * a; seen = a; c = d; return unused; }
static void* reset(void* unused) { b = 0; a = seen; d = c; return unused; }
int main(void) {
  void* (*const all[])(void*) = {set, look, reset, look, set, reset};
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], 0, all[i], 0);
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""


def installed(*programs):
    return unittest.skipUnless(LONG and all(shutil.which(each) for each in programs), f"long tests, with {', '.join(programs)}")


def foreign_fields(models, kind, value, path=""):
    """What is not in the schema, or of another kind than there."""
    plain = {"str": str, "int": int, "bool": bool}
    if kind in plain:
        return [] if isinstance(value, plain[kind]) else [path]
    if kind.startswith("list["):
        wrong = [foreign_fields(models, kind[5:-1], each, f"{path}[{i}]") for i, each in enumerate(value)]
    elif kind.startswith("dict("):
        wrong = [foreign_fields(models, kind[5:-1].split(", ")[1], each, f"{path}.{name}") for name, each in value.items()]
    else:
        model = getattr(models, kind)
        kinds = {name: model.openapi_types[field] for field, name in model.attribute_map.items()}
        below = path + "." if path else ""
        wrong = [foreign_fields(models, kinds[name], each, below + name) if name in kinds else [below + name]
                 for name, each in value.items()]
    return [each for some in wrong for each in some]


class Cluster(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="jostle-cluster-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "OMPI_", "CI_NODE"))}
        self.environment["PATH"] = f"{BUILD / 'bin'}:{os.environ['PATH']}"
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
        (self.folder / "flows.c").write_text(FLOWS)
        self.run_command("jostle", "cc", "-g", "-O1", "-pthread", "flows.c", "-o", "flows")
        self.campaign = self.folder / "campaign"

    def run_command(self, *words, expect=0, timeout=300, **variables):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=self.environment | variables, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        self.assertEqual(done.returncode, expect, f"{words}\n{done.stdout}")
        return done.stdout

    def status(self, campaign=None):
        done = subprocess.run(["jostle", "status", "--json", str(campaign or self.campaign)], env=self.environment, cwd=self.folder,
                              stdout=subprocess.PIPE, check=False)
        return json.loads(done.stdout)

    def assert_all_ended(self, names):
        status = self.status()
        self.assertEqual(sorted(worker["name"] for worker in status["worker_list"]), names)
        self.assertEqual({worker["life"] for worker in status["worker_list"]}, {"ended"})
        self.assertGreater(status["rf_pairs"], 10)
        return status

    @installed("parallel")
    def test_gnu_parallel(self):
        self.run_command(EXAMPLES / "parallel.sh", self.campaign, 4, "4s", "./flows")
        self.assert_all_ended([f"w00000{i}" for i in range(4)])

    @installed("mpirun")
    def test_mpirun(self):
        self.run_command(EXAMPLES / "mpi.sh", self.campaign, 3, "4s", "./flows")
        self.assert_all_ended([f"w00000{i}" for i in range(3)])

    @installed("slurmctld", "slurmd", "munged", "sbatch")
    def test_slurm(self):
        self.run_command(EXAMPLES / "local_slurm.sh", self.folder / "slurm", 8, "sbatch", "--wait", "--array=4-11", EXAMPLES / "slurm.sbatch",
                         CAMPAIGN=str(self.campaign), SECONDS_TO_SEARCH="5", PROGRAM=str(self.folder / "flows"))
        self.assert_all_ended([f"w00000{i}" for i in range(8)])

    # In its script SLURM_PROCID is 0 and SLURM_NTASKS 2 for all that are started there.
    @installed("slurmctld", "slurmd", "munged", "sbatch", "parallel")
    def test_gnu_parallel_in_jobs_of_slurm(self):
        script = f"{EXAMPLES / 'parallel.sh'} {self.campaign} 2 3s {self.folder / 'flows'}"
        self.run_command(EXAMPLES / "local_slurm.sh", self.folder / "slurm", 8, "sbatch", "--wait", "--array=5-6", "--ntasks=2", "--wrap", script)
        status = self.assert_all_ended([f"w00000{i}" for i in range(4)])
        infos = [json.loads((self.campaign / status["build"] / f"w00000{i}" / "info.json").read_text()) for i in range(4)]
        self.assertEqual([(info["index"], info["count"]) for info in infos], [(i, 4) for i in range(4)])

    @installed("rclone")
    def test_two_folders_are_one_campaign(self):
        there = self.folder / "there"
        self.run_command("jostle", "fuzz", "-q", "--campaign", self.campaign, "--worker", "0/2", "-t", "3s", "./flows")
        self.run_command(EXAMPLES / "sync.sh", self.campaign, there, 0)
        self.run_command("jostle", "fuzz", "-q", "--campaign", there, "--worker", "1/2", "-t", "2s", "./flows")
        self.run_command(EXAMPLES / "sync.sh", self.campaign, there, 0)
        self.assert_all_ended(["w000000", "w000001"])
        for key in ("rf_pairs", "corpus", "schedules", "segments"):
            self.assertEqual(self.status()[key], self.status(there)[key])
        # One name for two workers: neither is overwritten, and somebody hears of it.
        for folder, runs in ((self.campaign, 200), (there, 900)):
            self.run_command("jostle", "fuzz", "-q", "--campaign", folder, "-n", str(runs), "./flows")
        segment = f"{self.status()['build']}/w000002/0000000001.seg"
        before = (self.campaign / segment).read_bytes(), (there / segment).read_bytes()
        with self.assertRaisesRegex(AssertionError, "immutable file modified"):
            self.run_command(EXAMPLES / "sync.sh", self.campaign, there, 0)
        self.assertEqual(((self.campaign / segment).read_bytes(), (there / segment).read_bytes()), before)

    def test_the_manifest_is_an_indexed_job(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no yaml module")
        job, claim = yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text())
        self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
        spec = job["spec"]
        self.assertEqual(spec["completionMode"], "Indexed")
        self.assertIn(spec["template"]["spec"]["restartPolicy"], ("OnFailure", "Never"))
        container = spec["template"]["spec"]["containers"][0]
        variables = {each["name"]: each["value"] for each in container["env"]}
        self.assertEqual(variables["JOSTLE_WORKERS"], str(spec["completions"]))
        volume = spec["template"]["spec"]["volumes"][0]
        self.assertEqual(container["volumeMounts"][0]["name"], volume["name"])
        self.assertEqual(volume["persistentVolumeClaim"]["claimName"], claim["metadata"]["name"])
        self.assertIn("ReadWriteMany", claim["spec"]["accessModes"])

    # The client's models are made from the schema of the API: every field of the manifest has to be one of theirs, of that kind, and
    # what they call necessary has to be there.
    def test_the_manifest_is_what_the_schema_says(self):
        try:
            import kubernetes.client
            import yaml
        except ImportError:
            self.skipTest("no models of Kubernetes' API")
        client = kubernetes.client.ApiClient()
        for document in yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text()):
            model = getattr(kubernetes.client, "V1" + document["kind"])
            self.assertEqual(foreign_fields(kubernetes.client, model.__name__, document), [])
            client.deserialize(unittest.mock.Mock(data=json.dumps(document)), model)
        wrong = {"spec": {"completionmode": "Indexed", "parallelism": "many"}}
        self.assertEqual(foreign_fields(kubernetes.client, "V1Job", wrong), ["spec.completionmode", "spec.parallelism"])

    # As infra/cifuzz/fuzz_target.py of oss-fuzz does: build.sh, then the target with these options; a crash is an exit code
    # that is not 0 and the name of a file; it is tried again with -runs=100.
    @unittest.skipUnless(LONG, "long tests")
    def test_clusterfuzzlite(self):
        out = self.folder / "out"
        out.mkdir()
        shutil.copy(ROOT / "tests/e2e/harnesses/deposits.cc", self.folder / "deposits_fuzzer.cc")
        installed_at = self.folder / "jostle"
        self.run_command("cmake", "--install", BUILD, "--prefix", installed_at)
        self.run_command("bash", "-eu", EXAMPLES / ".clusterfuzzlite/build.sh", OUT=str(out), JOSTLE=str(installed_at), CXX="clang++",
                         CXXFLAGS="-g -O1")
        shutil.rmtree(installed_at)
        corpus = self.folder / "corpus"
        corpus.mkdir()
        found = subprocess.run([out / "deposits_fuzzer", "-seed=1337", "-len_control=0", "-max_total_time=60", corpus], cwd=out, timeout=120,
                               env=self.environment, stderr=subprocess.PIPE, check=False)
        self.assertNotEqual(found.returncode, 0)
        mark = b"Test unit written to ./"
        self.assertIn(mark, found.stderr)
        crash = found.stderr.split(mark)[1].split()[0].decode()
        for _ in range(10):
            again = subprocess.run([out / "deposits_fuzzer", "-runs=100", out / crash], cwd=out, timeout=60, env=self.environment,
                                   stderr=subprocess.DEVNULL, check=False)
            self.assertNotEqual(again.returncode, 0)

    # Of very many workers only what they write is there: a thousand segments in ten seconds, as a thousand workers write them.
    def test_among_very_many_workers_little_time_goes_into_reading(self):
        workers, seconds = (1000, 60) if LONG else (200, 6)
        self.run_command("jostle", "fuzz", "-q", "--campaign", self.campaign, "--worker", "0/2000", "-n", "10", "./flows")
        build = self.campaign / self.status()["build"]
        rng = random.Random(1)
        others = [segments.Worker(build, 1 + i) for i in range(workers)]

        def write(worker, news):
            records = [segments.progress(10_000 * (worker.written + 1), 1000 * (worker.written + 1))]
            records += [segments.pair(rng.getrandbits(64)) for _ in range(news)]
            records += [segments.reads_from_class(rng.getrandbits(64), 1) for _ in range(50)]
            records += [segments.schedule((1, 2, rng.getrandbits(64), 0)) for _ in range(news // 10)]
            worker.write(int(time.time() * 1000), records)

        for worker in others:
            write(worker, 100)
        ends = threading.Event()

        def keep_writing():
            while not ends.is_set():
                began = time.monotonic()
                write(rng.choice(others), 2)
                ends.wait(max(0, 10 / workers - (time.monotonic() - began)))

        def share_of_time():
            self.run_command("jostle", "fuzz", "-q", "--campaign", self.campaign, "--worker", "1999/2000", "-t", f"{seconds}s", "./flows")
            # A worker that is started again has another name.
            newest = max(build.glob("w001999*/heartbeat"), key=lambda path: path.stat().st_mtime)
            beat = json.loads(newest.read_text())
            share = beat["exchanging_ms"] / beat["elapsed_ms"]
            print(f"{workers} workers: {100 * share:.2f} % of {seconds} s exchanging; {beat['pairs']} pairs known", file=sys.stderr)
            return share, beat

        # In six seconds the first reading is most of it.
        bound = 0.05 if LONG else 0.1
        writer = threading.Thread(target=keep_writing)
        writer.start()
        try:
            for tries in range(1, 4):  # time passes for who waits for a processor, too
                share, beat = share_of_time()
                if share < bound:
                    break
        finally:
            ends.set()
            writer.join()
        self.assertGreater(beat["pairs"], 90 * workers)
        self.assertLess(share, bound)
        began = time.monotonic()
        status = self.status()
        print(f"status of {status['segments']} segments: {time.monotonic() - began:.2f} s", file=sys.stderr)
        self.assertEqual(status["workers"], workers + 1 + tries)
        self.assertEqual(status["segments_left_out"], 0)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
