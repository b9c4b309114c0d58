# SPDX-License-Identifier: Apache-2.0
# All executions of repaired programs against all of their schedules, and how fast that is. ./dev bench verify --help
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
exec python3 bench/verify.py "$@"
