# SPDX-License-Identifier: BSD-3-Clause
# test_plain.py - ordinary tools, several at once.

from linking_runs import ring_calls


def test_one_tool_sees_every_call_once(watch):
    watch(["plain/counter"]).assert_each_saw_the_ring("counter")


def test_three_instances_of_a_tool_count_independently(watch):
    watch(["plain/counter"] * 3).assert_each_saw_the_ring("counter", "counter", "counter")


def test_a_layer_sees_the_calls_of_the_layers_above_and_not_of_those_below(watch):
    watched = watch(["plain/counter", "plain/meddler", "plain/counter", "plain/meddler", "plain/counter"])
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", ring_calls(0)),
            ("meddler", ring_calls(1)),
            ("counter", ring_calls(2, MPI_Barrier=3, MPI_Allreduce=2)),
            ("meddler", ring_calls(3, MPI_Barrier=3, MPI_Allreduce=2)),
            ("counter", ring_calls(4, MPI_Barrier=5, MPI_Allreduce=3)),
        ]


def test_a_call_enters_the_tools_in_the_order_given_and_leaves_them_in_reverse(watch):
    watched = watch(["plain/order_outer", "plain/order_middle", "plain/order_inner"])
    watched.assert_clean()
    for rank in (0, 1):
        assert [line for line in watched.lines if line.split()[1] == str(rank)] == [
            f"enter {rank} outer", f"enter {rank} middle", f"enter {rank} inner",
            f"leave {rank} inner", f"leave {rank} middle", f"leave {rank} outer"]


def test_a_tool_can_be_in_two_places_around_another(watch):
    watched = watch(["plain/order_outer", "plain/order_inner", "plain/order_outer"])
    watched.assert_clean()
    for rank in (0, 1):
        entered = [line.split()[2] for line in watched.lines if line.startswith(f"enter {rank}")]
        assert entered == ["outer", "inner", "outer"]
