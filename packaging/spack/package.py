# SPDX-License-Identifier: BSD-3-Clause
# package.py - Cairn as Spack installs it (docs/install.md).
#
# Cairn looks for MPI by the names that Debian gives compiler wrappers. Spack has others, so Cairn is compiled without an
# MPI, and its own command adds the one that Spack has chosen.

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0 it is among the above
    pass


class Cairn(CMakePackage):
    """Any number of MPI tools at once on an unmodified program, and the tools a performance engineer needs."""

    homepage = "https://localhost/cairn"  # it has no site yet
    url = "cairn-0.1.0.tar.gz"  # git archive --prefix=cairn-0.1.0/ -o cairn-0.1.0.tar.gz HEAD

    license("BSD-3-Clause")

    version("0.1.0")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type=("build", "run"))  # to run: for `cairn add-mpi`
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("mpi")
    depends_on("pmix", when="^[virtuals=mpi] openmpi")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("tomlplusplus")
    depends_on("nlohmann-json")
    depends_on("elfutils")
    depends_on("zstd")
    depends_on("hwloc")
    depends_on("scotch")
    depends_on("otf2")  # what `cairn trace` writes

    conflicts("%gcc@:11")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("CAIRN_openmpi_WRAPPER", "OFF"),
            self.define("CAIRN_mpich_WRAPPER", "OFF"),
        ]

    @run_after("install")
    def add_mpi(self):
        cairn = Executable(self.prefix.bin.cairn)
        cairn("add-mpi", self.spec["mpi"].prefix.bin.mpicc)

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", join_path(self.prefix.lib, "python3", "dist-packages"))
