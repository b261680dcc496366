#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# two_nodes.sh - two nodes on this machine, made of namespaces: hosts `here` and `there`, each with its own network,
# name and shared memory, `there` also with its own process numbers
#
#   two_nodes.sh DIR [SECONDS]     runs until it is ended; DIR/ready exists when the nodes are up, DIR/problem if they
#                                  cannot be. SECONDS: what `there` is older than `here`, by its clock
#
# DIR/agent HOST COMMAND runs a command there, as ssh would.
set -u
there=
dir=$1
printf '127.0.0.1 localhost\n10.77.0.1 here\n10.77.0.2 there\n' >"$dir/hosts"

node() { # host; the rest are options of unshare
  host=$1
  shift
  unshare --net --uts --ipc --mount "$@" sh -c "
    hostname $host && mount -t sysfs none /sys && mount -t tmpfs none /dev/shm && mount --bind '$dir/hosts' /etc/hosts && ip link set lo up &&
    : >'$dir/$host.up' && exec sleep 1000" 2>>"$dir/log" &
  pids="${pids:-} $!"
}

fail() {
  tail -n 1 "$dir/log" >"$dir/problem"
  exit 1
}

trap 'kill -KILL $pids $there 2>/dev/null' EXIT  # the first process of a space of numbers heeds no other signal
trap 'exit 0' TERM INT
: >"$dir/log"
node here
here=$!
node there --pid --fork --kill-child --mount-proc --time --monotonic "${2:-0}"
there=$!
for try in $(seq 100); do
  [ -e "$dir/here.up" ] && [ -e "$dir/there.up" ] && break
  kill -0 "$here" 2>/dev/null && kill -0 "$there" 2>/dev/null || fail
  sleep 0.05
done
there=$(cat /proc/$there/task/$there/children)
there=${there% }
{
  nsenter -t "$here" --net ip link add mpi0 type veth peer name mpi0 netns "$there" &&
    nsenter -t "$here" --net ip addr add 10.77.0.1/24 dev mpi0 && nsenter -t "$here" --net ip link set mpi0 up &&
    nsenter -t "$there" --net ip addr add 10.77.0.2/24 dev mpi0 && nsenter -t "$there" --net ip link set mpi0 up
} 2>>"$dir/log" || fail
for node in "$here" "$there"; do
  for try in $(seq 100); do
    nsenter -t "$node" --net ip link show mpi0 | grep -q 'state UP' && break
    sleep 0.05
  done
done
cat >"$dir/agent" <<AGENT
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1
shift
[ -e "$dir/\$host.up" ] || { echo "no such host: \$host" >&2; exit 255; }
case \$host in here) place="-t $here" ;; *) place="-t $there --pid --time" ;; esac
exec nsenter \$place --net --uts --ipc --mount sh -c "\$*"
AGENT
chmod +x "$dir/agent"
: >"$dir/ready"
wait
