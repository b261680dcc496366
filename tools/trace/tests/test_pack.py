# SPDX-License-Identifier: BSD-3-Clause
# test_pack.py - `cairn trace --pack` writes a run's folder in which what its traces have in common is stored once; all commands read it like the run's own.

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
    out, packed = tmp_path / "out", tmp_path / "packed"
    stencil(mpi, out)
    told = shown(out, "--pack", packed)
    assert re.fullmatch(rf"{packed}: 4 traces in [\d.]+ kB, not [\d.]+ kB; [\d.]+ kB of it is what they have in common\n", told.out)
    assert sorted(file.name for file in (packed / "trace").iterdir()) == ["common", *(f"rank-{rank}.trace" for rank in range(4))]
    assert bytes_in(packed) < 0.8 * bytes_in(out)
    on_disk = float(re.search(r"; ([\d.]+) kB on disk", shown(packed).out)[1])
    assert abs(on_disk - bytes_in(packed) / 1000) <= 0.1
    assert {file.name for file in packed.iterdir()} == {file.name for file in out.iterdir()}
    assert all_shown(packed) == all_shown(out)


def test_without_the_common_file_what_is_missing_is_told_once(mpi, tmp_path):
    packed = tmp_path / "packed"
    stencil(mpi, tmp_path / "out")
    shown(tmp_path / "out", "--pack", packed)
    (packed / "trace" / "common").unlink()
    result = run(CAIRN, "trace", packed)
    assert result.code == 125
    assert result.err.startswith(f"cairn: warning: '{packed}/trace/common' cannot be read: No such file or directory; the packed traces beside it need it\n"
                                 "cairn:   try: the folder of the traces as 'cairn trace --pack' wrote it\n")
    assert result.err.count("need it") == 1


def test_other_output_stays_whole(tmp_path):
    out = tmp_path / "out"
    stencil(MPIS[0], out)
    words = ["--pack", tmp_path / "packed", "--otf2", tmp_path / "otf2", "--perfetto"]
    assert json.loads(shown(out, *words, "-").out)["traceEvents"]
    assert (tmp_path / "packed" / "trace" / "common").exists() and (tmp_path / "otf2" / "traces.otf2").exists()
    shutil.rmtree(tmp_path / "packed")
    shutil.rmtree(tmp_path / "otf2")
    lines = shown(out, *words, tmp_path / "perfetto.json").out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"{tmp_path}/otf2/traces.otf2", f"{tmp_path}/packed", f"{tmp_path}/perfetto.json"]


def test_what_is_there_is_not_written_over(tmp_path):
    out = tmp_path / "out"
    stencil(MPIS[0], out)
    result = run(CAIRN, "trace", out, "--pack", out)
    assert (result.code, result.out) == (125, "")
    assert result.err.endswith(f"cairn: error: '{out}' already exists\ncairn:   asked for by: --pack {out}\ncairn:   try: another folder\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_on_a_full_disk_nothing_is_left(tmp_path):
    out, room = tmp_path / "out", tmp_path / "disk"
    stencil(MPIS[0], out)
    room.mkdir()
    if run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", room).code != 0:
        pytest.skip("no file system can be mounted here")
    try:
        failed = run(CAIRN, "trace", out, "--pack", room / "packed")
        assert failed.code == 125
        assert re.search(rf"cairn: error: '{room}/packed\S*' cannot be written: No space left on device\ncairn:   asked for by: --pack {room}/packed\n"
                         r"cairn:   try: .*\n", failed.err)
        assert list(room.iterdir()) == []
    finally:
        run("umount", room)
