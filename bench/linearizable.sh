# SPDX-License-Identifier: Apache-2.0
# Structures that are linearizable, and some that are not: found, silent, verified, and at which cost. ./dev bench linearizable --help
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
exec python3 bench/linearizable.py "$@"
