# SPDX-License-Identifier: BSD-3-Clause
# test_deaths.py - however a job dies, `cairn where` tells how, and in which call; nothing of that is lost before somebody asks.

import concurrent.futures
import re
import time

from cairn_testing import *

# Ways of tests/will/ways.c: how the rank ended, and where it was. After an error MPI libraries leave by one or the other.
WAYS = {("faults",): r"ended by SIGSEGV; its last call was MPI_Barrier \(ways\.c:\d+ main\)",
        ("aborts",): r"ended by SIGABRT; its last call was MPI_Barrier \(ways\.c:\d+ main\)",
        ("exits",): r"ended by exit without MPI_Finalize; its last call was MPI_Barrier \(ways\.c:\d+ main\)",
        ("_exits",): r"ended by _exit without MPI_Finalize; its last call was MPI_Barrier \(ways\.c:\d+ main\)",
        ("MPI_Abort",): r"ended by MPI_Abort, in MPI_Abort \(ways\.c:\d+ main\)",
        ("errs",): r"ended by _?exit without MPI_Finalize, in MPI_Send \(ways\.c:\d+ errs\)",
        ("sends", 9): r"was killed without warning \(SIGKILL: by hand, by the scheduler, or out of memory\); its last call was MPI_Barrier "
                      r"\(ways\.c:\d+ main\)"}


def die(mpi, folder, way):
    run_stacked(mpi, 1, ["where"], mpi.program("ways"), *way, out=folder / "out", CAIRN_PAGES=folder / "pages")
    for _ in range(300):  # Hydra may end before its rank has
        told = run(CAIRN, "where", folder / "out", CAIRN_PAGES=folder / "pages")
        if "\ndied\n" in told.out:
            break
        time.sleep(0.1)
    return told


def test_how_a_rank_ended_and_in_which_call_is_told(mpi, tmp_path):
    folders = {way: tmp_path / "-".join(map(str, way)) for way in WAYS}
    for folder in folders.values():
        folder.mkdir()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = dict(zip(WAYS, pool.map(lambda way: die(mpi, folders[way], way), WAYS)))
    for way, told in answers.items():
        assert (told.code, told.out.split("\n")[1]) == (1, "died"), (way, told)
        assert re.search(f"\n\n  - rank 0 {WAYS[way]}\n$", told.out), (way, told.out)


def test_ranks_whose_launcher_is_killed_are_told(mpi, tmp_path):
    job = subprocess.Popen([*mpi.mpirun(2, patient=True), CAIRN, "run", "--tools", "where", "--out", tmp_path / "out", BUILD / "examples" / mpi.id / "hang", "deadlock"],
                           env=environment(CAIRN_PAGES=tmp_path / "pages"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for(text):
        for _ in range(600):
            told = run(CAIRN, "where", tmp_path / "out", CAIRN_PAGES=tmp_path / "pages").out
            if re.search(text, told):
                return told
            time.sleep(0.1)
        pytest.fail(f"never told: {text}\n{told}")

    wait_for("\nstuck: ")
    job.kill()
    job.wait(timeout=60)
    told = wait_for(r"\ndied\n\n  ranks 0-1 ")  # both are dead
    assert re.search(r"  ranks 0-1 +(ended by .*|killed) at hang\.c:\d+ deadlock, ", told), told
    assert re.search(r"  - rank(s 0-1| [01]) (ended by|were killed|was killed) ", told), told


def test_a_run_that_has_no_folder_yet_gets_one_for_what_its_dead_have_left(mpi, tmp_path):
    words = ["--tools", "where", "--", mpi.program("ways")]
    run(*mpi.mpirun(1), CAIRN, "run", *words, "sends", 9, cwd=tmp_path, CAIRN_PAGES=tmp_path / "pages")
    assert list(tmp_path.glob("cairn-ways-*")) == [] and len(list((tmp_path / "pages").glob("*.page"))) == 1
    run(CAIRN, "run", "--tools", "where", "true", cwd=tmp_path, CAIRN_PAGES=tmp_path / "pages")
    assert list((tmp_path / "pages").iterdir()) == []
    [folder] = tmp_path.glob("cairn-ways-*")
    told = run(CAIRN, "where", folder, CAIRN_PAGES=tmp_path / "pages")
    assert told.code == 1 and "\n  - rank 0 was killed without warning " in told.out
    shown = run(CAIRN, "report", folder, CAIRN_PAGES=tmp_path / "pages")
    assert (shown.code, shown.err) == (0, "")
    assert re.search(r"\nWho waits for whom\? \(where\)\n +rank 0  death\n +rank 0 was killed without warning ", shown.out), shown.out


def test_a_folder_that_somebody_has_removed_is_not_made_again_for_what_the_dead_have_left(mpi, tmp_path):
    """One that the user has chosen is made in MPI_Init; one that is named after the program when a tool writes, as profile does here."""
    pages = tmp_path / "pages"
    for way, words, makes in (("sends", ["--tools", "where", "--out", tmp_path / "out"], "out"), ("faults", ["--tools", "where,profile"], "cairn-ways-*")):
        run_to_the_last(*mpi.mpirun(1), CAIRN, "run", *words, "--", mpi.program("ways"), way, *([9] if way == "sends" else []), cwd=tmp_path,
                        CAIRN_PAGES=pages)
        [folder] = tmp_path.glob(makes)
        shutil.rmtree(folder)
        assert len(list(pages.glob("*.page"))) == 1
        cleared = run(CAIRN, "run", "--tools", "where", "true", cwd=tmp_path, CAIRN_PAGES=pages)
        assert cleared.code == 0 and "moved" not in cleared.err
        assert list(pages.iterdir()) == [] and list(tmp_path.glob(makes)) == []


def test_damaged_pages_are_told_in_the_report_of_the_others(mpi, tmp_path):
    die(mpi, tmp_path, ("faults",))
    run(CAIRN, "run", "--tools", "where", "true", CAIRN_PAGES=tmp_path / "pages")
    [page] = (tmp_path / "out" / "pages").glob("*.page")
    whole = page.read_bytes()
    (page.parent / "cut.page").write_bytes(whole[:-1])
    (page.parent / "none.page").write_text("nothing of ours")
    shown = run(CAIRN, "report", tmp_path / "out", CAIRN_PAGES=tmp_path / "pages")
    assert shown.code == 0 and re.search(r"\nWho waits for whom\? \(where\)\n +rank 0  death\n", shown.out), shown
    assert shown.err == (f"cairn: warning: '{page.parent}/cut.page' is damaged: it has {len(whole) - 1} of {len(whole)} bytes\n"
                         f"cairn: warning: '{page.parent}/none.page' is not a page of Cairn's recorder\n")
