# SPDX-License-Identifier: BSD-3-Clause
# test_pack.py - `cairn trace --pack` stores once what the ranks' traces have in common, and all commands read them as before.

import json
import re

from cairn_testing import *
from traced_testing import shown


def stencil(mpi, out, ranks=4, tools="trace=precision:10us"):
    result = run_stacked(mpi, ranks, [tools], mpi.program("stencil"), 200, out=out, timeout=100)
    assert (result.code, result.err) == (0, "")


def bytes_in(out):
    return sum(file.stat().st_size for file in (out / "trace").iterdir())


def all_shown(out):
    """By every command that reads traces, but for what they take on disk."""
    summary = re.sub(r"; .* on disk, .* per call", "", shown(out).out)
    report = run(CAIRN, "report", out, "--json", "-")
    assert report.code == 0, report.err
    sections = [section for section in json.loads(report.out)["sections"] if section["tool"] != "trace"]
    whatif = run(CAIRN, "whatif", out)
    return summary, shown(out, "--text").out, shown(out, "--perfetto", "-").out, sections, (whatif.code, whatif.out)


def test_packed_traces_are_smaller_and_show_the_same(mpi, tmp_path):
    out = tmp_path / "out"
    stencil(mpi, out)
    before, bytes_before = all_shown(out), bytes_in(out)
    told = shown(out, "--pack")
    assert re.match(r"packed 4 traces: [\d.]+ kB before, [\d.]+ kB now, and [\d.]+ kB that they have in common\n\n", told.out)
    assert sorted(file.name for file in (out / "trace").iterdir()) == ["common", *(f"rank-{rank}.trace" for rank in range(4))]
    assert bytes_in(out) < 0.8 * bytes_before
    on_disk = float(re.search(r"; ([\d.]+) kB on disk", told.out)[1])
    assert abs(on_disk - bytes_in(out) / 1000) <= 0.1
    assert all_shown(out) == before
    assert shown(out, "--pack").out.startswith("the traces are packed already\n\n")


def test_a_trace_that_is_not_whole_stays_as_it_is(mpi, tmp_path):
    out = tmp_path / "out"
    stencil(mpi, out)
    trace = out / "trace" / "rank-2.trace"
    trace.write_bytes(trace.read_bytes()[:-30])
    cut = trace.read_bytes()
    told = shown(out, "--pack")
    assert told.out.startswith("packed 3 traces: ")
    assert told.err.startswith(f"cairn: warning: 1 trace cannot be packed, such as '{trace}': the process was killed, or still writes it, or the file is "
                               "damaged or of an earlier version\n")
    assert trace.read_bytes() == cut


def test_one_trace_alone_has_nothing_in_common(mpi, tmp_path):
    out = tmp_path / "out"
    stencil(mpi, out, ranks=1)
    assert re.match(r"the traces stay as they are: packed, they would take [\d.]+ kB in place of [\d.]+ kB\n\n", shown(out, "--pack").out)
    assert [file.name for file in (out / "trace").iterdir()] == ["rank-0.trace"]


def test_without_the_common_file_what_is_missing_is_told(mpi, tmp_path):
    out = tmp_path / "out"
    stencil(mpi, out)
    shown(out, "--pack")
    (out / "trace" / "common").unlink()
    result = run(CAIRN, "trace", out)
    assert result.code == 125
    warning = (f"cairn: warning: '{out}/trace/common', which packed traces need, cannot be read: No such file or directory\n"
               "cairn:   try: copying the whole folder of the traces, as it was\n")
    assert result.err.startswith(warning) and result.err.count("which packed traces need") == 1


def test_a_folder_without_traces_has_none_to_pack(tmp_path):
    assert run(CAIRN, "trace", tmp_path, "--pack") == run(CAIRN, "trace", tmp_path)
    assert run(CAIRN, "trace", tmp_path / "none", "--pack").err == run(CAIRN, "trace", tmp_path / "none").err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_on_a_full_disk_all_stays_as_it_was(tmp_path):
    out = tmp_path / "out"
    stencil(MPIS[0], out)
    before = all_shown(out)
    room = tmp_path / "disk"
    room.mkdir()
    if run("mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", room).code != 0:
        pytest.skip("no file system can be mounted here")
    try:
        shutil.move(out / "trace", room / "trace")
        (out / "trace").symlink_to(room / "trace")
        names = sorted(file.name for file in (room / "trace").iterdir())
        failed = run(CAIRN, "trace", out, "--pack")
        assert failed.code == 125
        assert re.search(rf"cairn: error: '{out}/trace/\S+.new' cannot be written: No space left on device\ncairn:   asked for by: --pack\n"
                         "cairn:   try: .*\n", failed.err)
        assert sorted(file.name for file in (room / "trace").iterdir()) == names
        assert all_shown(out) == before
    finally:
        run("umount", room)
