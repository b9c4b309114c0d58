#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# GNU parallel: so many workers on this machine, or with --sshloginfile on several that see the same folder.
#
#   parallel.sh CAMPAIGN WORKERS TIME PROGRAM...
campaign=$1 workers=$2 time=$3
shift 3
export JOSTLE_WORKERS="$workers"
# -N0: the numbers only say how many. PARALLEL_SEQ tells each worker which it is.
seq "$workers" | parallel --jobs "$workers" -N0 --quote --line-buffer jostle fuzz --quiet --campaign "$campaign" --time "$time" -- "$@"
# Whatever single workers said: are there failures?
exec jostle status "$campaign"
