# SPDX-License-Identifier: Apache-2.0
# The papers' tables with our columns beside them, docs/results.md. ./dev bench papers --help
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
cmake --build build/release --target subjects subjects_plain >&2
PYTHONPATH=bench exec python3 -m papers "$@"
