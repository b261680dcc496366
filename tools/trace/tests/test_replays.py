# SPDX-License-Identifier: BSD-3-Clause
# test_replays.py - a program that `cairn trace --replay` writes makes the calls that the trace has, with either MPI.

import re

from cairn_testing import *
from traced_testing import shown, trace, without_times


def compiled(mpi, source, *options):
    program = source.with_suffix("." + mpi.id)
    made = run("mpicc." + mpi.id, "-O", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow", *options, source, "-o", program)
    assert (made.code, made.err) == (0, ""), made.err
    return program


@pytest.mark.parametrize("what", ["matched", "matched later", "reversed"])
def test_a_replay_receives_what_was_found_in_the_same_order(mpi, tmp_path, what):
    """Into as much space as it had: another message would not fit."""
    result = run_stacked(mpi, 2, ["trace"], mpi.program("finding"), what, out=tmp_path / "out", timeout=60)
    assert result.code == 0, result.err
    shown(tmp_path / "out", "--replay", tmp_path / "replay.c")
    again = run_stacked(mpi, 2, ["trace"], compiled(mpi, tmp_path / "replay.c"), out=tmp_path / "again", timeout=60)
    assert again.code == 0, again.err
    found, wanted = ([line.replace("from anyone", "from 1") for line in calls_of(tmp_path / name, 0) if re.match("MPI_(M|Im|Recv)|found|message|received", line)] for name in ("again", "out"))
    assert found and found == wanted


def calls_of(out, rank):
    """Without times, handles and places."""
    lines = [re.sub(r"\) \w+$", ")", without_times(line)) for line in shown(out, "--text", "--ranks", rank).out.splitlines()[1:]]
    lines = [re.sub(r"(request|message) 0x[0-9a-f]+", r"\1", line) for line in lines]
    lines = [line for line in lines if not line.startswith("in ")]  # regions
    return [line.replace("from anyone, any tag, 0 bytes", "from nobody, any tag, 0 bytes") for line in lines]  # of nobody's messages MPIs differ


def check_replay(mpi, tmp_path, program, ranks, *arguments, change=lambda lines: lines):
    """Compiled with either MPI, with messages from anyone as the program has them, it leaves the same records."""
    result = run_stacked(mpi, ranks, ["trace"], mpi.program(program), *arguments, out=tmp_path / "out", timeout=60)
    assert result.code == 0, result.err
    source = tmp_path / "replay.c"
    written = shown(tmp_path / "out", "--replay", source)
    assert (written.out, written.err) == ("", "")
    for other in MPIS:
        again = run_stacked(other, ranks, ["trace"], compiled(other, source, "-DANYONE"), "0.5", out=tmp_path / other.id, timeout=60)
        assert again.code == 0, again.err
        assert re.search(r"replay\.\w+: rank 0 took [\d.]+ s, in the run [\d.]+ s\n", again.err), again.err
        for rank in range(ranks):
            assert calls_of(tmp_path / other.id, rank) == change(calls_of(tmp_path / "out", rank)), (other.id, rank)
    return source.read_text()


def test_a_replay_makes_the_same_calls(mpi, tmp_path):
    check_replay(mpi, tmp_path, "actions", 2)


def test_a_replay_of_communicators_amounts_by_rank_and_loops(mpi, tmp_path):
    """Topologies are made by MPI_Comm_split; what a process keeps in place, it sends itself, and parts have one type."""
    def change(lines):
        made = []
        for line in lines:
            line = line.replace("MPI_Cart_create", "MPI_Comm_split").replace("MPI_Alltoallw", "MPI_Alltoallv")
            sent = re.match(r"sends (\d+) bytes, receives (\d+ bytes?)", line)
            if sent and (call := re.match(r"MPI_(Gatherv?|Allgatherv?|Alltoall)\((root 3, )?0 bytes", made[-1])):
                each = int(sent[1]) // (4 if call[1] == "Alltoall" else 1)
                made[-1] = made[-1].replace("0 bytes", f"{each} bytes")
            if sent and made[-1].startswith("MPI_Scatterv(root 1, 0 bytes"):
                made[-1] = made[-1].replace("0 bytes", sent[2])
            if not line.startswith("neighbor"):
                made.append(line)
        return made

    text = check_replay(mpi, tmp_path, "exchanges", 4, "1000", change=change)
    assert re.search(r"for \(int i0 = 0; i0 < 999; \+\+i0\) {\n +work\(next\(\)\);\n +MPI_Startall\(4, &r\[0\]\);\n +work\(next\(\)\);\n"
                     r" +MPI_Waitall\(4, &r\[0\], MPI_STATUSES_IGNORE\);\n +for \(int i1 = 0; i1 < 3; \+\+i1\) {\n", text)
    assert text.count("\n  MPI_Startall(") == 4  # but in the loop, of each rank


def test_a_replay_cancels_what_the_program_cancelled_and_has_room_for_places(mpi, tmp_path):
    assert run_stacked(mpi, 2, ["trace"], mpi.program("cancels"), out=tmp_path / "out", timeout=60).code == 0
    source = tmp_path / "replay.c"
    assert shown(tmp_path / "out", "--replay", source).err == ""
    text = source.read_text()
    assert text.count("MPI_Cancel(&r[") == 3 and "(void)0" not in text
    assert "#define TAKEN 2\n" in text
    for other in MPIS:
        assert run(*other.mpirun(2), compiled(other, source), "0", timeout=60).code == 0


def test_a_replay_cancels_nothing_that_was_cancelled_too_late(mpi, tmp_path):
    """MPICH cancels the send as well, which a replay does not make then: a later receive could take its message."""
    assert run_stacked(mpi, 2, ["trace"], mpi.program("late_cancels"), out=tmp_path / "out", timeout=60).code == 0
    source = tmp_path / "replay.c"
    assert shown(tmp_path / "out", "--replay", source).err == ""
    text = source.read_text()
    assert text.count("MPI_Cancel(&r[") == 1 and text.count("(void)0 /* MPI_Cancel */") == 2, text
    unsent = text.count(" = MPI_REQUEST_NULL /* MPI_Isend, cancelled */")
    assert (unsent, text.count("\n  MPI_Isend(")) in ((0, 1), (1, 0)), text
    for other in MPIS:
        assert run(*other.mpirun(2), compiled(other, source), "0", timeout=60).code == 0


def test_a_replay_receives_from_whom_the_program_received(mpi, tmp_path):
    assert trace(mpi, tmp_path / "out").code == 0
    text = shown(tmp_path / "out", "--replay", "-").out
    assert "MPI_Recv(in(-1, 16), 4, MPI_INT, FROM(0), TAG(7), MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n" in text
    assert "MPI_Irecv(in(0, 40), 5, MPI_DOUBLE, FROM(1), 3, MPI_COMM_WORLD, &r[0]);\n" in text
    (tmp_path / "replay.c").write_text(text)
    program = compiled(mpi, tmp_path / "replay.c")
    result = run_stacked(mpi, 2, ["trace"], program, "0", out=tmp_path / "again", timeout=60)
    assert result.code == 0, result.err
    assert "MPI_Recv(from 0, tag 7, 16 bytes, MPI_COMM_WORLD)" in calls_of(tmp_path / "again", 1)
    alone = run(*mpi.mpirun(3), program, timeout=60)
    assert alone.code != 0 and f"{program}: replays a run of 2 ranks: start as many\n" in alone.err


def test_a_replay_works_and_waits_as_long_as_the_run(mpi, tmp_path):
    """Its share of the work is spun; the rest is told beside what the run took."""
    assert trace(mpi, tmp_path / "out", "1000").code == 0
    source = tmp_path / "replay.c"
    shown(tmp_path / "out", "--replay", source)
    work = sum(int(ns) for ns in re.findall(r"work\((\d+)\)", re.search(r"static void rank_0_0.*?\n}", source.read_text(), re.S)[0]))
    took = float(re.search(r"took ([\d.]+) s, in the run", run(*mpi.mpirun(2), compiled(mpi, source), timeout=60).err)[1])
    assert took > 1e-9 * work


def test_what_cannot_be_replayed_is_told(mpi, tmp_path):
    def refused(folder, why, remedy, *words):
        result = run(CAIRN, "trace", folder, "--replay", tmp_path / "replay.c", *words)
        assert result.code == 125 and result.err.endswith(f"cairn: error: {why}\ncairn:   try: {remedy}\n"), result.err
        assert not (tmp_path / "replay.c").exists()

    whole = "a run with 'trace' alone, without selecting calls, and with large enough 'calls' and 'limit'"
    assert trace(mpi, tmp_path / "out").code == 0
    refused(tmp_path / "out", "a replay needs the traces of all ranks: 1 of 2 are there", "without --ranks, the folder of a run that left all of them", "--ranks", "1")
    trace(mpi, tmp_path / "chosen", tools="trace=functions:MPI_Send")
    refused(tmp_path / "chosen", "a replay needs all calls: rank 0 has only selected ones", whole)
    trace(mpi, tmp_path / "limited", "irregular", "900000", tools="trace=limit:1:calls:1000000")
    omitted = re.search(r"rank 0: (\d+) records", shown(tmp_path / "limited").err)[1]
    refused(tmp_path / "limited", f"a replay needs all calls: {omitted} records of rank 0 are lost", whole)
    run_stacked(mpi, 2, ["trace"], mpi.program("unlike"), out=tmp_path / "threads", timeout=60)
    refused(tmp_path / "threads", "the run cannot be replayed: rank 0 makes calls on several threads", "'cairn trace DIR --text', which shows all that is there")
    run_stacked(mpi, 2, ["trace"], mpi.program("unlike"), "groups", out=tmp_path / "groups", timeout=60)
    refused(tmp_path / "groups", "the run cannot be replayed: rank 0 calls MPI_Barrier on a communicator whose creation is not in the trace",
            "'cairn trace DIR --text', which shows all that is there")
    run_stacked(mpi, 2, ["trace"], mpi.program("unlike"), "window", out=tmp_path / "window", timeout=60)
    left_out = run(CAIRN, "trace", tmp_path / "window", "--replay", tmp_path / "replay.c")
    assert (left_out.code, left_out.err) == (0, "cairn: warning: not in the replay: MPI_Win_create (2), MPI_Win_fence (2), MPI_Win_free (2)\n")
    assert run(*mpi.mpirun(2), compiled(mpi, tmp_path / "replay.c"), timeout=60).code == 0


def test_a_run_that_was_killed_is_replayed_up_to_there(mpi, tmp_path):
    out = tmp_path / "out"
    assert trace(mpi, out, "until", out / "trace" / "rank-0.trace", tools="trace=calls:1000000").code != 0
    text = shown(out, "--replay", "-").out
    rank = re.search(r"static int rank_0\(void\) {.*?\n}", text, re.S)[0]
    assert "return 0;" in rank
    assert re.search(r"for \(int i0 = 0; i0 < \d+; \+\+i0\) {\n    work\(next\(\)\);\n    MPI_Send\(out, 1, MPI_CHAR, MPI_PROC_NULL, 9, MPI_COMM_WORLD\);\n", text)
