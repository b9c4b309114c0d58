# SPDX-License-Identifier: Apache-2.0
# Software as it is distributed, under Jostle: docs/results-real.md. ./dev bench real --help
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
PYTHONPATH=bench exec python3 -B -m real "$@"
