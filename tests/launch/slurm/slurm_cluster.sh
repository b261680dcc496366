#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts and stops a private Slurm (munged, slurmctld, slurmd) of one node on loopback, or of several nodes made of namespaces (nodes.sh), whose
# files all lie below one directory.
#
#   slurm_cluster.sh start DIR    prints "export SLURM_CONF=..."; use it as
#                                 eval "$(slurm_cluster.sh start DIR)"
#   slurm_cluster.sh stop DIR     cancels the jobs, ends the three daemons
#
# Environment (all optional):
#   SLURM_TEST_PORT      slurmctld's port, slurmd gets the next one (26817)
#   SLURM_TEST_CPUS      CPUs the node claims, whatever the machine has (4)
#   SLURM_TEST_TIMEOUT   seconds each wait may last (30)
#   SLURM_TEST_NODES     host names, which have addresses; the first is where this runs (one node, by itself)
#   SLURM_TEST_AGENT     AGENT HOST COMMAND runs a command on the others
#
# Debian 12: apt-get install --no-install-recommends \
#                slurmctld slurmd slurm-client munge libpmix-dev
# (libpmix-dev only for srun --mpi=pmix: the plugin opens libpmix.so by that name.)

set -euo pipefail

read -ra nodes <<<"${SLURM_TEST_NODES:-testnode}"
readonly nodes
readonly marker='# Written by slurm_cluster.sh, overwritten by its next start.'
address_of() { # node
  [[ -n ${SLURM_TEST_NODES:-} ]] || { echo 127.0.0.1 && return; }
  getent ahostsv4 "$1" | awk 'NR == 1 { print $1 }'
}
address=$(address_of "${nodes[0]}")
readonly address
readonly ctld_port=${SLURM_TEST_PORT:-26817}
readonly slurmd_port=$((ctld_port + 1))
readonly cpus=${SLURM_TEST_CPUS:-4}
readonly limit=${SLURM_TEST_TIMEOUT:-30}
readonly daemons=(munged slurmctld "${nodes[@]/#/slurmd.}") # in starting order
readonly socket_path_max=107              # sun_path less its closing zero byte

PATH=$PATH:/usr/sbin:/sbin

# ---------------------------------------------------------------- messages

die() { # what-failed what-to-try
  printf 'slurm_cluster: %s\n  try: %s\n' "$1" "$2" >&2
  exit 1
}

usage() {
  printf 'usage: %s start|stop DIR\n' "${0##*/}" >&2
  exit 2
}

show_log() { # daemon
  [[ -s $dir/$1.log ]] || return 0
  printf -- '--- end of %s.log\n' "$1" >&2
  tail -n 15 "$dir/$1.log" >&2
}

# --------------------------------------------------------------- processes

# A pid alone may have been given to another process since, so each pid file
# holds the pid and that process's start time (field 22 of /proc/PID/stat).
start_time() { # pid
  local stat fields
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  read -ra fields <<<"${stat##*) }" # from field 3 on; the name in field 2 may hold blanks
  [[ ${fields[0]} != Z ]] || return 1 # ended, not yet reaped
  printf '%s\n' "${fields[19]}"
}

running_pid() { # daemon; prints the pid if what we started still runs
  local pid='' began='' now
  [[ -r $dir/$1.pid ]] || return 1
  read -r pid began <"$dir/$1.pid" || return 1
  now=$(start_time "$pid") && [[ -n $began && $now == "$began" ]] || return 1
  printf '%s\n' "$pid"
}

launch() { # daemon command...
  local name=$1 pid began
  shift
  setsid "$@" </dev/null >>"$dir/$name.log" 2>&1 &
  pid=$!
  began=$(start_time "$pid") || began=0
  printf '%s %s\n' "$pid" "$began" >"$dir/$name.pid"
}

wait_until() { # what-for daemon command...
  local what=$1 name=$2 end=$((SECONDS + limit))
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ! running_pid "$name" >/dev/null; then
      show_log "$name"
      die "$name ended before $what" "read $dir/$name.log; if a port is taken, set SLURM_TEST_PORT"
    fi
    if ((SECONDS >= end)); then
      show_log "$name"
      die "$what did not happen within $limit s" "read $dir/$name.log, or set SLURM_TEST_TIMEOUT higher"
    fi
    sleep 0.1
  done
}

end_daemon() { # daemon; true once it is gone
  local pid tries
  if pid=$(running_pid "$1"); then
    kill -TERM "$pid" 2>/dev/null || true
    for ((tries = 0; tries < limit * 20; tries++)); do
      running_pid "$1" >/dev/null || break
      sleep 0.05
    done
    if pid=$(running_pid "$1"); then
      printf 'slurm_cluster: %s (pid %s) ignored SIGTERM for %s s, sending SIGKILL\n' \
        "$1" "$pid" "$limit" >&2
      kill -KILL "$pid" 2>/dev/null || true
    fi
  fi
  rm -f "$dir/$1.pid"
}

# ------------------------------------------------------------------- start

check_programs() {
  local program missing=()
  for program in munged mungekey munge slurmctld slurmd slurmstepd srun sinfo squeue scancel setsid; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  ((${#missing[@]} == 0)) || die "not found: ${missing[*]}" \
    "apt-get install --no-install-recommends slurmctld slurmd slurm-client munge"
}

check_directory() {
  local name
  [[ $dir =~ ^[A-Za-z0-9_./+-]+$ ]] || die "slurm.conf cannot hold the path '$dir'" \
    "a directory named with letters, digits and _ . / + - only"
  ((${#dir} + 32 <= socket_path_max)) || die "'$dir' is too long for a socket's path" \
    "a directory with a shorter path, such as \$(mktemp -d)"
  [[ ! -e $dir/slurm.conf ]] || grep -qxF "$marker" "$dir/slurm.conf" ||
    die "$dir/slurm.conf was not written by this script" "an empty directory"
  for name in "${daemons[@]}"; do
    ! running_pid "$name" >/dev/null || die "$name already runs for $dir" "${0##*/} stop $dir"
  done
}

# With No*InAddrAny each daemon and srun binds to what the host's short name
# resolves to, whatever slurm.conf says, and slurmd calls srun back at the
# address it was called from; so the name has to mean 127.0.0.1 (127.0.1.1, as
# Debian's installer writes, lets the daemons start but every step fail).
check_host_name() {
  local name found
  name=$(uname -n)
  name=${name%%.*}
  found=$(getent ahostsv4 "$name" | awk 'NR == 1 { print $1 }') || found=''
  [[ $found == "$address" ]] || die "this host's name, $name, resolves to '${found:-nothing}', not to $address" \
    "a line '$address $name' in /etc/hosts, or start, srun and stop all below unshare --uts sh -c 'hostname localhost; ...'"
}

port_taken() { # port
  (exec 3<>"/dev/tcp/$address/$1") 2>/dev/null
}

check_ports() {
  local port
  for port in "$ctld_port" "$slurmd_port"; do
    ! port_taken "$port" || die "port $port of $address is taken" \
      "SLURM_TEST_PORT=<first of two free ports>"
  done
}

write_configuration() {
  local user
  user=$(id -un)
  # The two No*InAddrAny keep the daemons and srun off 0.0.0.0.
  cat >"$dir/slurm.conf" <<CONF
$marker
ClusterName=test
SlurmctldHost=$(host_of "${nodes[0]}")($address)
SlurmctldPort=$ctld_port
SlurmdPort=$slurmd_port
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge.socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
TmpFS=$dir/tmp/%n
SlurmctldPidFile=$dir/slurmctld.own.pid
SlurmdPidFile=$dir/slurmd.%n.own.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
ReturnToService=2
KillWait=2
MinJobAge=2
SlurmctldTimeout=60
SlurmdTimeout=60
$(for node in "${nodes[@]}"; do
    echo "NodeName=$node NodeHostname=$(host_of "$node") NodeAddr=$(address_of "$node") CPUs=$cpus State=UNKNOWN"
  done)
PartitionName=test Nodes=$(IFS=, && echo "${nodes[*]}") Default=YES MaxTime=INFINITE OverSubscribe=FORCE:4 State=UP
CONF
  # No plugin above uses cgroups; Slurm 22.05 has no CgroupPlugin=disabled, so
  # this names one outright rather than let it probe the machine.
  printf 'CgroupPlugin=cgroup/v1\n' >"$dir/cgroup.conf"
}

host_of() { # node
  [[ -n ${SLURM_TEST_NODES:-} ]] && echo "$1" || echo localhost
}

prepare_directory() {
  local name
  mkdir -p "$dir/state" "${nodes[@]/#/$dir/spool/}" "${nodes[@]/#/$dir/tmp/}"
  for name in "${daemons[@]}"; do : >"$dir/$name.log"; done
  rm -f "$dir/munge.key"
  mungekey --create --keyfile="$dir/munge.key"
  write_configuration
}

nodes_idle() {
  [[ $(timeout 5 sinfo --noheader --states=idle --format=%D) == "${#nodes[@]}" ]]
}

start_daemons() {
  # --force: munged otherwise refuses a socket below a directory others cannot
  # enter, as mktemp -d makes them.
  launch munged munged --force --foreground --origin="$address" --socket="$dir/munge.socket" \
    --key-file="$dir/munge.key" --pid-file="$dir/munged.own.pid" --seed-file="$dir/munge.seed"
  wait_until 'munged answers' munged timeout 5 munge --socket="$dir/munge.socket" --no-input
  launch slurmctld slurmctld -D -c -f "$dir/slurm.conf"
  wait_until 'slurmctld answers' slurmctld timeout 5 sinfo
  local node
  launch "slurmd.${nodes[0]}" slurmd -D -f "$dir/slurm.conf" -N "${nodes[0]}"
  for node in "${nodes[@]:1}"; do
    launch "slurmd.$node" "$SLURM_TEST_AGENT" "$node" "exec slurmd -D -f '$dir/slurm.conf' -N $node"
  done
  wait_until 'all nodes are idle' "slurmd.${nodes[0]}" nodes_idle
}

start() {
  check_programs
  check_directory
  check_host_name
  check_ports
  prepare_directory
  trap 'end_daemons' EXIT # whatever fails from here on leaves nothing running
  start_daemons
  trap - EXIT
  printf 'export SLURM_CONF=%s\n' "$SLURM_CONF"
}

# -------------------------------------------------------------------- stop

# slurmd leaves its slurmstepd processes alone when it ends, so the jobs have
# to be over before.
no_jobs() {
  local jobs
  jobs=$(timeout 5 squeue --noheader) && [[ -z $jobs ]]
}

end_jobs() { # false if some job would not end
  local end=$((SECONDS + limit))
  running_pid slurmctld >/dev/null || return 0
  no_jobs && return 0
  timeout 5 scancel --partition=test || true
  until no_jobs; do
    if ((SECONDS >= end)); then
      printf 'slurm_cluster: jobs still there after %s s:\n' "$limit" >&2
      timeout 5 squeue >&2 || true
      return 1
    fi
    sleep 0.2
  done
}

end_daemons() {
  local i
  for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
    end_daemon "${daemons[i]}"
  done
}

stop() {
  [[ -f $SLURM_CONF ]] || die "no cluster was started in $dir (no slurm.conf)" "${0##*/} start $dir"
  local jobs_ended=yes
  end_jobs || jobs_ended=no
  end_daemons
  [[ $jobs_ended == yes ]] || die "the daemons ended before the jobs listed above" \
    "look for slurmstepd processes of theirs and end those by pid"
}

# -------------------------------------------------------------------- main

[[ $# -eq 2 && -n $2 ]] || usage
umask 022
case $1 in
  start) mkdir -p "$2" ;;
  stop) [[ -d $2 ]] || die "no directory '$2'" "the directory given to start" ;;
  *) usage ;;
esac
dir=$(realpath "$2")
export SLURM_CONF=$dir/slurm.conf
"$1"
