#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Slurm of one node, for a try without a cluster: munged, slurmctld and slurmd, all in one folder, for this user,
# without touching the machine's own.
#
#   local_slurm.sh FOLDER CPUS COMMAND...    starts it, runs COMMAND with SLURM_CONF set, ends it
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cpus=$2
shift 2
chmod 755 "$folder"
mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
chmod 700 "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=64 count=1 2>/dev/null
chmod 400 "$folder/munge/key"
host=$(hostname -s)
user=$(id -un)
port=$((20000 + $$ % 20000))
memory=$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
# More processors than there are, if that is asked for: config_overrides lets us say so.
cat >"$folder/slurm.conf" <<CONF
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$folder/slurm.conf"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" \
  >"$folder/munged.out" 2>&1 &
munge_process=$!
slurmctld -D -i >"$folder/slurmctld.out" 2>&1 &
control_process=$!
slurmd -D -N "$host" >"$folder/slurmd.out" 2>&1 &
node_process=$!
# shellcheck disable=SC2064
trap "kill $node_process $control_process $munge_process 2>/dev/null || true" EXIT INT TERM
waited=0
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
  waited=$((waited + 1))
  if [ $waited -gt 60 ]; then
    echo "no node became idle: see $folder/*.log and *.out" >&2
    exit 1
  fi
  sleep 0.5
done
"$@"
