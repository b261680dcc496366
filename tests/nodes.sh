#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# nodes.sh - up to four nodes on this machine, made of namespaces: hosts `here`, `there`, `third` and `fourth`, each with
# its own network, name and shared memory, `there` also with its own process numbers
#
#   nodes.sh DIR COUNT [SECONDS]   runs until it is ended; DIR/ready exists when the nodes are up, DIR/problem if this
#                                  system allows none; DIR/log says what else went wrong. SECONDS: what `there` is older than the others, by its clock
#
# DIR/agent HOST COMMAND runs a command there, as ssh would.
set -u
dir=$1
count=$2
pids=
inner=
set -- here there third fourth "${3:-0}"
printf '127.0.0.1 localhost\n10.77.0.1 %s\n10.77.0.2 %s\n10.77.0.3 %s\n10.77.0.4 %s\n' "$1" "$2" "$3" "$4" >"$dir/hosts"

start() { # host; the rest are options of unshare
  host=$1
  shift
  unshare --net --uts --ipc --mount "$@" sh -c "
    hostname $host && mount -t sysfs none /sys && mount -t tmpfs none /dev/shm && mount --bind '$dir/hosts' /etc/hosts && ip link set lo up &&
    : >'$dir/$host.up' && exec sleep 1000" 2>>"$dir/log" &
  process=$!
  pids="$pids $process"
  for try in $(seq 600); do
    [ -e "$dir/$host.up" ] && return
    kill -0 "$process" 2>/dev/null || fail "$host has ended"
    sleep 0.05
  done
  fail "$host does not come up"
}

fail() { # text
  echo "$1" >>"$dir/log"
  exit 1
}

may_make_nodes() {
  unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc --time --monotonic 0 true 2>>"$dir/log"
}

in_network() { # process command...
  process=$1
  shift
  nsenter -t "$process" --net "$@"
}

# All nodes are at one bridge, which lies in `here`.
connect() { # process number
  in_network "$here" ip link add "port$2" type veth peer name mpi0 netns "$1" &&
    in_network "$here" ip link set "port$2" master mpi0 up &&
    in_network "$1" ip addr add "10.77.0.$2/24" dev mpi0 && in_network "$1" ip link set mpi0 up
}

wait_for_link() { # process
  for try in $(seq 600); do
    in_network "$1" ip link show mpi0 | grep -q 'state UP' && return
    sleep 0.05
  done
  fail "a link does not come up"
}

trap 'kill -KILL $pids $inner 2>/dev/null' EXIT # the first process of a space of numbers heeds no other signal
trap 'exit 0' TERM INT
: >"$dir/log"
may_make_nodes || {
  tail -n 1 "$dir/log" >"$dir/problem"
  exit 1
}
start here
here=$process
{
  in_network "$here" ip link add mpi0 type bridge && in_network "$here" ip addr add 10.77.0.1/24 dev mpi0 &&
    in_network "$here" ip link set mpi0 up
} 2>>"$dir/log" || fail "here has no bridge"
places="  here) place='-t $here' ;;"
number=2
while [ "$number" -le "$count" ]; do
  eval "host=\$$number"
  if [ "$host" = there ]; then
    start "$host" --pid --fork --kill-child --mount-proc --time --monotonic "$5"
    process=$(cat "/proc/$process/task/$process/children")
    process=${process% }
    inner=$process
    spaces=' --pid --time'
  else
    start "$host"
    spaces=
  fi
  connect "$process" "$number" 2>>"$dir/log" || fail "$host cannot be connected"
  wait_for_link "$process"
  places="$places
  $host) place='-t $process$spaces' ;;"
  number=$((number + 1))
done
wait_for_link "$here"
cat >"$dir/agent" <<AGENT
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1
shift
[ -e "$dir/\$host.up" ] || { echo "no such host: \$host" >&2; exit 255; }
case \$host in
$places
esac
exec nsenter \$place --net --uts --ipc --mount sh -c "\$*"
AGENT
chmod +x "$dir/agent"
: >"$dir/ready"
wait
