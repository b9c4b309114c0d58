#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Open MPI as a launcher: nothing is sent through it, the folder is all that workers share.
#
#   mpi.sh CAMPAIGN WORKERS TIME PROGRAM...
campaign=$1 workers=$2 time=$3
shift 3
# mpirun ends all when one exits with something else than 0, as 77: each worker's code is left to `status`.
mpirun -n "$workers" sh -c 'jostle fuzz --quiet "$@" || test $? -eq 77' jostle --campaign "$campaign" --time "$time" -- "$@"
exec jostle status "$campaign"
