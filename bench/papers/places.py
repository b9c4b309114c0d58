# SPDX-License-Identifier: Apache-2.0
"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
JOSTLE = BUILD / "bin" / "jostle"
RUNTIME = BUILD / "lib" / "libjostle.so"
DATA = ROOT / "bench" / "data"
NOTES = Path(__file__).resolve().parent / "notes"
MANIFEST = ROOT / "subjects" / "manifest.csv"
INSTRUMENTED = BUILD / "subjects"
PLAIN = BUILD / "subjects-plain"
RESULTS = ROOT / "build" / "papers"
