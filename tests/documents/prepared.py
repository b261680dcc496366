# SPDX-License-Identifier: BSD-3-Clause
# prepared.py - where the documents' commands are run: folders with the files that they name, and Cairn installed.

import os
import pathlib
import shutil

import transcripts
from cairn_testing import BUILD, MPIS, SOURCE, run

HERE = pathlib.Path(__file__).resolve().parent
OPENMPI, MPICH = MPIS
RECORDED = {"README.md", "docs/advice.md", "docs/report.md"}  # show reports and advice of the run in recorded/

# What is in each page's folder besides the files that the page itself shows: from the build folder of the MPI...
BUILT = {"app": "documents/app", "overlap": "documents/measured", "collective": "documents/measured",
         "unexpected": "documents/measured", "steps": "policy/steps", "libtool.so": "documents/counter.so",
         "hang": "../../examples/{mpi}/hang", "relaxing": "relaxing", "libmytool.so": "documents/counter.so", "sample1.so": "documents/counter.so", "TBcast.so": "qmpi/TBcast.so"}
# ... and from the sources.
FILES = {"T1.c": "tests/qmpi/thesis/T1.c", "pools.policy": "examples/tuning/pools.policy"}
TEXTS = {"my.policy": 'rule "A note"\n  at end\n  note "{calls(MPI_Allreduce)} reductions"\n'}

SRUN = """#!/bin/sh
# Slurm may not be here: the command behind "-n RANKS" is started once, and what a rank of Slurm's has is left out.
shift 2
exec "$@"
"""


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def heat3d_source():
    """heat3d with a smaller cube and fewer steps, so that a page's runs take no time."""
    text = (SOURCE / "examples/heat3d/heat3d.c").read_text()
    small = text.replace(".size = 192", ".size = 24").replace(".steps = 150", ".steps = 10")
    assert small != text
    return small


class Place:
    """One MPI as /usr/bin/mpirun and mpicc would be it, and a folder per page."""

    def __init__(self, mpi, prefix, root):
        self.mpi, self.prefix, self.root = mpi, prefix, root / mpi.id
        self.bin = self.root / "bin"
        self.bin.mkdir(parents=True)
        for name in ("mpirun", "mpicc"):
            write_program(self.bin / name, f'#!/bin/sh\nexec {name}.{mpi.id} "$@"\n')
        write_program(self.bin / "srun", SRUN)
        write_program(self.bin / "less", "#!/bin/sh\nexec cat\n")
        self.heat3d = self.root / "heat3d"
        (self.root / "heat3d.c").write_text(heat3d_source())
        assert run(self.bin / "mpicc", "-O2", self.root / "heat3d.c", "-o", self.heat3d, "-lm").code == 0
        self.environment = {"PATH": f"{self.bin}:{prefix}/bin:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            "CPATH": f"{prefix}/include", "HOME": self.root}
        (self.root / "cairn").symlink_to(prefix)  # ~/cairn

    def folder(self, page):
        """The page's folder, made when it is first asked for."""
        folder = self.root / page.replace("/", "-")
        if folder.exists():
            return folder
        folder.mkdir()
        mpi_id = self.mpi.id
        for name, built in BUILT.items():
            shutil.copy(self.mpi.folder / built.format(mpi=mpi_id), folder / name)
        for name, file in FILES.items():
            shutil.copy(SOURCE / file, folder / name)
        for file in (self.root / "heat3d.c", self.heat3d):
            shutil.copy(file, folder)
        for name, text in {**TEXTS, **transcripts.files((SOURCE / page).read_text())}.items():
            (folder / name).write_text(text)
        if page.startswith("tools/vars"):
            for mpi in MPIS:
                run(self.prefix / "bin/cairn", "vars", "--json", folder / f"{mpi.id}.json", "--", mpi.folder / "documents/app")
        if page.startswith("docs/tuning"):
            (folder / "build").symlink_to(BUILD)  # its stories name it
            shutil.copy(folder / "overlap", folder / "app")
        return folder
