#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How much of the memory that reports name has a name of the program's own.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
exec python3 bench/names.py "$@"
