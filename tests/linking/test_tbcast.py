# SPDX-License-Identifier: BSD-3-Clause
# test_tbcast.py - a layer that turns MPI_Bcast into messages.

from linking_runs import ring_calls

OUTPUT = "ok ring_c: 3 ranks, 10 rounds, rank sum 3, errors 0\n"


def messages(rank):
    """Calls of the ring and of a broadcast of three ranks made of messages."""
    return {"MPI_Send": 12, "MPI_Recv": 10} if rank == 0 else {"MPI_Send": 10, "MPI_Recv": 11}


def without_bcast(calls):
    return {name: count for name, count in calls.items() if name != "MPI_Bcast"}


def test_above_sees_the_broadcast_and_below_only_the_messages(watch):
    watched = watch(["plain/counter", "tbcast/tbcast", "plain/counter"], ranks=3)
    watched.assert_clean(OUTPUT)
    for rank in (0, 1, 2):
        assert watched.seen(rank) == [
            ("counter", ring_calls(0)),
            ("tbcast", ring_calls(1)),
            ("counter", without_bcast(ring_calls(3, MPI_Comm_size=2, **messages(rank)))),
        ]


def test_a_second_instance_has_no_broadcast_left_to_turn(watch):
    watched = watch(["tbcast/tbcast", "tbcast/tbcast"], ranks=3)
    watched.assert_clean(OUTPUT)
    for rank in (0, 1, 2):
        assert watched.seen(rank) == [
            ("tbcast", ring_calls(0)),
            ("tbcast", without_bcast(ring_calls(2, MPI_Comm_size=2, **messages(rank)))),
        ]
