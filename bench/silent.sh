# SPDX-License-Identifier: Apache-2.0
# Correct programs: nothing may be said against them, and they behave as without us. ./dev bench silent --help
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
exec python3 bench/silent.py "$@"
