# SPDX-License-Identifier: Apache-2.0
# What a schedule and an event cost, as ratios measured in this one run.
#
# Absolute times on shared machines are noise; each line compares two things measured right after
# each other, three times, and takes the median of the ratios.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
jostle=$PWD/build/release/bin/jostle
sources=$PWD/bench/throughput
seconds=${1:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for program in two_threads four_threads shared unshared large threads increments crowd queue; do
  "$jostle" c++ -g -O2 "$sources/$program.cc" -o $program
done
for program in property_empty property_two_threads; do
  "$jostle" c++ -g -O2 -std=c++20 -I"$sources/../../include" "$sources/$program.cc" -o $program
done
# Without libuv its line is left out.
"$jostle" cc -g -O2 -I"$sources/../.." "$sources/../../tests/programs/events/uv_many.c" -o uv_many -luv 2>/dev/null || true
g++ -O2 -pthread "$sources/unshared.cc" -o unshared_plain
gcc -O2 -pthread "$sources/baselines.c" -o baselines

# Nanoseconds of one run: cost STRATEGY EXECUTOR PROGRAM ARGS...
cost() {
  local strategy=$1 executor=$2
  shift 2
  "$jostle" fuzz --json --quiet --seed 1 --max-steps 10000000 --time "${seconds}s" --strategy "$strategy" \
    --executor="$executor" "$@" </dev/null 2>/dev/null |
    python3 -c 'import json, sys; of = json.load(sys.stdin); print(round(of["elapsed_s"] * 1e9 / of["schedules"]), end="")'
}
# What each of ADDED more events costs: slope STRATEGY PROGRAM FEW MANY ADDED
slope() {
  local few many
  few=$(cost "$1" snapshot "$2" "$3")
  many=$(cost "$1" snapshot "$2" "$4")
  awk "BEGIN { printf \"%.2f\", ($many - $few) / $5 }"
}
# Runs per second of processor time of a program that explores itself: rate EXECUTOR PROGRAM. What the machine does besides
# does not matter then; starting the command does, a little.
rate() {
  local TIMEFORMAT='%3U %3S' cpu
  cpu=$({ time JOSTLE_OPTIONS="--executor=$1" JOSTLE_FUZZ_FOR=${seconds}s "$2" >/dev/null 2>errors </dev/null || true; } 2>&1 |
    awk '{ print $1 + $2 }')
  awk -v cpu="$cpu" \
    '/schedules? \(/ { gsub(",", ""); for (i = 2; i <= NF; ++i) if ($i ~ /^schedule/) n = $(i - 1) } END { printf "%.0f", n / cpu }' errors
}
# Nanoseconds of processor time that one more schedule costs: time_of STRATEGY FEW MANY PROGRAM ARGS...
time_of() { python3 "$sources/processor_time.py" "$jostle" "$@"; }
divide() { awk "BEGIN { printf \"%.2f\", $1 / ($2) }"; }
median() { sort -n | sed -n 2p; }

echo "the machine: $(uname -m), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
echo
printf '%-58s %8s %8s  %s\n' "ratio (median of three)" got wanted ""
line() {  # line TEXT RATIO COMPARISON BOUND
  local verdict=missed
  awk "BEGIN { exit !($2 $3 $4) }" && verdict=ok
  printf '%-58s %8s %8s  %s\n' "$1" "$2" "$3 $4" $verdict
}
three() { for _ in 1 2 3; do "$@"; echo; done | median; }

bare_fork() { divide "$(./baselines fork)" "$(cost pos snapshot ./two_threads)"; }
own_fork() { divide "$(cost pos fork "$@")" "$(cost pos snapshot "$@")"; }
hand_off() { divide "$(./baselines futex)" "$(slope random ./shared 1000 11000 20000)"; }
unshared() {
  local plain ours
  plain=$(TIME=1 ./unshared_plain 20000000 2>&1)
  ours=$(slope none ./unshared 1000 1001000 2000000)
  awk "BEGIN { printf \"%.2f\", ($ours - $plain) < 0 ? 0 : $ours - $plain }"
}
# Longer, because filling and saving the heap takes a while before the first run.
image() {
  local seconds=5
  divide "$(cost pos snapshot ./large "$1" "$2")" "$(cost pos snapshot ./large 0 0)"
}

line "empty program, 2 threads: bare fork+exit+wait / run" "$(three bare_fork)" ">=" 25
line "empty program, 2 threads: fork executor / snapshot" "$(three own_fork ./two_threads)" ">=" 40
if [ -x uv_many ]; then
  line "libuv, 3 timers, 2 pipes, 4 jobs: fork executor / snapshot" "$(three own_fork ./uv_many)" ">=" 10
fi
line "4 threads, 100 events: fork executor / snapshot" "$(three own_fork ./four_threads)" ">=" 20
line "futex hand-off / shared access, reads-from tracked" "$(three hand_off)" ">=" 6
line "unshared access: nanoseconds over the plain program" "$(three unshared)" "<=" 5
line "100 MiB of heap that no run touches: run / run without" "$(three image 100 0)" "<=" 1.2
line "100 MiB of heap, 20 pages touched: run / run without" "$(three image 100 20)" "<=" 4

# By processor time, which a busy machine does not change much. Relacy's figures are those of issue 28, for the same two threads
# with its own types in one process; they are constants, so the loop says how fast the processor is on which they are compared.
echo
echo "a run in processor time (random; a round of the calibrating loop takes $(./baselines loop) ns)"
few=$(time_of random 1000 21000 ./increments 5)
many=$(time_of random 1000 21000 ./increments 50)
relacy_few=700 relacy_many=4800
printf '%-58s %8s %8s  %s\n' "" got wanted ""
line "2 threads, 5 fetch_add each: ns a run" "$few" "<=" 3500
line "each further fetch_add: ns" "$(divide "($many - $few)" 90)" "<=" 60
line "2 threads, 5 fetch_add each: run / Relacy's" "$(divide "$few" $relacy_few)" "<=" 5
line "each further fetch_add / Relacy's" "$(divide "($many - $few)" "$relacy_many - $relacy_few")" "<=" 1.3
line "4 threads, 100 events, pos: schedules per second" "$(divide 1000000000 "$(time_of pos 1000 11000 ./four_threads)")" ">=" 120000

echo
echo "processor time per thread: that among 1,000 over that among 10"
printf '%-58s %8s %8s  %s\n' "" got wanted ""
growth() {  # growth STRATEGY PROGRAM
  divide "$(time_of "$1" 20 60 "./$2" 1000) / 1000" "$(time_of "$1" 1000 6000 "./$2" 10) / 10"
}
for strategy in none random pos pct rff; do line "$strategy, all add to one atomic" "$(growth $strategy crowd)" "<=" 2.5; done
line "surw, all add to one atomic" "$(growth surw crowd)" "<=" 4
for strategy in none random pos pct rff; do line "$strategy, all take one mutex" "$(growth $strategy queue)" "<=" 2.5; done
line "surw, all take one mutex" "$(growth surw queue)" "<=" 4

echo
echo "properties: runs per second of processor time (median of three)"
property() {  # property TEXT WANTED PROGRAM
  local rewound forked verdict=missed
  rewound=$(three rate snapshot "$3")
  forked=$(three rate fork "$3")
  [ "$rewound" -ge "$2" ] && verdict=ok
  printf '%-34s %10s %10s  %-7s a fork per run: %s, %s times slower\n' "$1" "$rewound" ">= $2" $verdict "$forked" \
    "$(divide "$rewound" "$forked")"
}
property "empty" 200000 ./property_empty
property "two threads, two operations each" 100000 ./property_two_threads

echo
echo "cost as it grows (random; microseconds, with $seconds s each)"
printf '%10s %14s %14s\n' threads "a run" "per thread"
for n in 2 10 100 1000; do
  c=$(cost random snapshot ./threads $n)
  printf '%10d %14s %14s\n' $n "$(divide "$c" 1000)" "$(divide "$c" "1000 * $n")"
done
printf '%10s %14s %14s\n' events "a run" "per event, ns"
for n in 100 1000 10000 100000 1000000; do
  c=$(cost random snapshot ./shared $((n / 2)))
  printf '%10d %14s %14s\n' $n "$(divide "$c" 1000)" "$(divide "$c" $n)"
done
