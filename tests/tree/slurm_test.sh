#!/usr/bin/env bash
# `sweep --slurm` with a real Slurm: a cluster of one node on this machine, run for the length of this test (docs/slurm.md).
# Usage: slurm_test.sh <heliolite> <source root>. Exit code 77: skipped, Slurm is not installed or this is not root.
set -u
program=$1 root=$2
for tool in slurmctld slurmd sbatch squeue scontrol munged; do
  command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: the daemons are started as root"; exit 77; }
export PATH=$PATH:/usr/sbin
dir=$(mktemp -d)
daemons=()
finish() {
  if [ -n "${SLURM_CONF:-}" ] && ! queue_is_empty 2>/dev/null; then
    scancel --user=root
    until_true 20 queue_is_empty
  fi
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null; done
  wait
  rm -rf "$dir"
}
trap finish EXIT

fail() {
  echo "FAILED: $*"
  tail -n 20 "$dir"/*.log "$dir"/*.shards/*.log 2>/dev/null
  exit 1
}

# until_true SECONDS COMMAND...
until_true() {
  local left=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 0.2
  done
}

start_cluster() {
  local host
  host=$(hostname -s)
  mkdir "$dir/state" "$dir/spool"
  head -c 1024 /dev/urandom >"$dir/munge.key"
  chmod 0700 "$dir"
  chmod 0400 "$dir/munge.key"
  munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munge.pid" \
    --log-file="$dir/munge.log" --seed-file="$dir/munge.seed" >/dev/null 2>&1 &
  daemons+=($!)
  cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
SlurmctldPort=26817
SlurmdPort=26818
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=requeue_setup_env_fail,batch_sched_delay=1
KillWait=5
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF=$dir/slurm.conf
  until_true 10 test -S "$dir/munge.socket" || fail "munged does not start"
  slurmctld -D -c >/dev/null 2>&1 &
  daemons+=($!)
  slurmd -D -c >/dev/null 2>&1 &
  daemons+=($!)
  until_true 30 eval 'sinfo -h -o %t | grep -q idle' || fail "the node does not become idle"
}

queue_is_empty() { [ -z "$(squeue -h)" ]; }

# All rows apart from the seconds, the last column of the layers.
content() {
  "$program" sweep --export "$1" --csv "$dir/points" --layers-csv "$dir/layers" || fail "no export of $1"
  cat "$dir/points"
  sed 's/,[^,]*$//' "$dir/layers"
}

same_as_one_run() {
  content "$1" >"$dir/now"
  cmp -s "$dir/now" "$dir/one_run" || fail "$1 differs from one run"
  echo "ok: $2"
}

start_cluster
cp "$root/configs/sweeps/quick.yaml" "$dir/sweep file.yaml"
cd "$dir" || exit 1
"$program" sweep "sweep file.yaml" -o one.db -q >/dev/null || fail "the sweep itself"
content one.db >one_run

# The array and the merge that depends on it.
"$program" sweep "sweep file.yaml" -o "in shards.db" --slurm 3 --threads 1 >/dev/null || fail "no script"
bash "in shards.sbatch" || fail "the submission"
until_true 120 queue_is_empty || fail "the queue does not empty"
same_as_one_run "in shards.db" "three shards merged equal one run"

# The same with shards that take some seconds: one is told that its time is over, one is requeued by hand, one cancelled.
slow=(--strategy random --evaluations 25000)
"$program" sweep "sweep file.yaml" -o one_slow.db "${slow[@]}" -q >/dev/null || fail "the slow sweep itself"
content one_slow.db >one_run
"$program" sweep "sweep file.yaml" -o slow.db --slurm 3 --threads 1 "${slow[@]}" >/dev/null || fail "no second script"
array=$(sbatch --parsable slow.sbatch) || fail "the second submission"
has_begun() { "$program" sweep --export "slow.shards/$1.db" --csv - | grep -q ",done,"; }
run_now() { until_true 20 scontrol update "JobId=${array}_$1" StartTime=now || fail "shard $1 is not queued again"; }
until_true 60 has_begun 1 || fail "shard 1 does not begin"
scancel --signal=USR1 --batch "${array}_1"
until_true 60 has_begun 2 || fail "shard 2 does not begin"
scontrol requeue "${array}_2" || fail "no requeue"
until_true 60 has_begun 3 || fail "shard 3 does not begin"
scancel "${array}_3"
run_now 1
run_now 2
until_true 120 queue_is_empty || fail "the queue does not empty after the interruptions"
"$program" merge slow.db slow.shards/*.db
[ $? = 1 ] || fail "merge of a cancelled shard does not say that points are missing"
bash slow.sbatch --array=3 || fail "the cancelled shard again"
until_true 120 queue_is_empty || fail "the queue does not empty at the end"
same_as_one_run slow.db "interrupted shards merged equal one run"
grep -q "go on with --resume" slow.shards/1.log || fail "shard 1 was not interrupted"
