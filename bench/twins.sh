# SPDX-License-Identifier: Apache-2.0
# The fixed twins of the bug programs and of the subjects: no schedule of theirs may fail. ./dev bench twins [RUNS]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
jostle=$PWD/build/release/bin/jostle
runs=${1:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for program in build/release/programs/gcc/bugs/*_ok build/release/subjects/*_ok; do
  name=$(basename "$program")
  status=0
  result=$("$jostle" fuzz --quiet --json --seed 1 --schedules "$runs" --timeout 60s -o "$work" \
    "$program" </dev/null 2>"$work/errors") || status=$?
  python3 -c 'import json, sys
name, status, text = sys.argv[1:]
of = json.loads(text or "{}").get
print("%-28s %9d runs %9d distinct %8d/s %-9s restarts %d  %s" % (
    name, of("schedules", 0), of("distinct", 0), of("schedules_per_s", 0), of("executor", ""),
    of("restarts", 0), "silent" if status == "0" else "FAILED " + status))' "$name" $status "$result"
  [ $status -eq 0 ] || { failed=1; cat "$work/errors"; }
done
exit $failed
