# SPDX-License-Identifier: BSD-3-Clause
# python_ring.py - the ring of ranks in Python, for an MPI that the interpreter opens privately.
#
# Needs mpi4py and at least 2 ranks. Of every rank: Sendrecv 3 (of 10 double), Bcast 1 (of 4 int from rank 0), Barrier 2,
# Allreduce 1 (of 1 int), and what mpi4py calls by itself.

import array

from mpi4py import MPI

world = MPI.COMM_WORLD
following, preceding = (world.rank + 1) % world.size, (world.rank - 1) % world.size
wrong = 0
for _ in range(3):
    outgoing, incoming = array.array("d", [world.rank] * 10), array.array("d", [-1] * 10)
    world.Sendrecv(outgoing, following, 0, incoming, preceding, 0)
    wrong += incoming != array.array("d", [preceding] * 10)
shared = array.array("i", [7 if world.rank == 0 else 0] * 4)
world.Bcast(shared)
wrong += shared != array.array("i", [7] * 4)
world.Barrier()
total = array.array("i", [0])
world.Allreduce(array.array("i", [wrong]), total)
world.Barrier()
if world.rank == 0:
    print("ok" if total[0] == 0 else "wrong", f"python_ring: {world.size} ranks, errors {total[0]}", flush=True)
