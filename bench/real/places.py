# SPDX-License-Identifier: Apache-2.0
"""Where things are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("JOSTLE_BUILD", ROOT / "build" / "release"))  # another, while this one is changed
JOSTLE = BUILD / "bin" / "jostle"
RUNTIME = BUILD / "lib" / "libjostle.so"
PACKAGES = HERE / "packages"
DRIVERS = HERE / "drivers"
WORK = ROOT / "build" / "real"
PAGE = ROOT / "docs" / "results-real.md"
