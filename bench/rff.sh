# SPDX-License-Identifier: Apache-2.0
# Schedules to the first bug, beside the figures of the reads-from fuzzer paper. ./dev bench rff --help
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
cmake --build build/release --target subjects >&2
PYTHONPATH=bench exec python3 -m papers.first_bug "$@"
