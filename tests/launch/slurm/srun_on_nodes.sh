#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# srun_on_nodes.sh - srun, and again, twice at most, if Open MPI died in MPI_Init. usage: srun_on_nodes.sh OPTION... PROGRAM...
#
# Debian's Open MPI 4.1.4 dies so in one of 200 starts on two nodes of one busy machine, without Cairn too: Slurm lets a rank out
# of MPI_Init whose message comes to one that still waits in its MPI_Init, where it has no function for such messages yet. It
# calls the one at 0, so its own report has no frame below the signal's.
set -u
told=$(mktemp)
trap 'rm -f "$told"' EXIT
for _ in 1 2 3; do
  srun "$@" 2>"$told"
  code=$?
  if [ "$code" -ne 139 ] || ! grep -A 2 'Failing at address: (nil)' "$told" | sed -n '3p' | grep -q 'End of error message'; then
    break
  fi
done
cat "$told" >&2
exit "$code"
