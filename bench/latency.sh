# SPDX-License-Identifier: Apache-2.0
# How long a short campaign takes: from the command to the failure on the screen, as ratios measured in this one run.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
exec python3 bench/latency.py "$@"
