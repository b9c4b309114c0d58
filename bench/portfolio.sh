# SPDX-License-Identifier: Apache-2.0
# The default strategy against the best of its members, and injected bugs over runs. ./dev bench portfolio --help
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
cmake --build build/release --target jostle jostle_cli >&2
PYTHONPATH=bench exec python3 -m portfolio "$@"
