# SPDX-License-Identifier: BSD-3-Clause
# test_new_tool.py - ./dev new-tool makes a folder that builds and passes its own tests, and refuses names that cannot be.

import shutil

from cairn_testing import *


@pytest.fixture
def checkout(tmp_path):
    """The tracked files of this checkout, as they are now."""
    files = run("git", "ls-files", "-co", "--exclude-standard", cwd=SOURCE).out.splitlines()
    for file in files:
        if (SOURCE / file).exists():
            (tmp_path / "cairn" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / file, tmp_path / "cairn" / file)
    return tmp_path / "cairn"


def test_a_new_tool_builds_and_passes(checkout, tmp_path):
    made = run("./dev", "new-tool", "my_tool", cwd=checkout)
    assert made.code == 0, made.err
    assert made.out.splitlines()[:4] == [f"tools/my_tool/{file}" for file in
                                         ("CMakeLists.txt", "my_tool.cc", "README.md", "tests/test_my_tool.py")]
    build = tmp_path / "build"
    configured = run("cmake", "-G", "Ninja", "-S", checkout, "-B", build, "-DCMAKE_BUILD_TYPE=Release")
    assert configured.code == 0, configured.err
    built = run("ninja", "-C", build, "tool_my_tool_openmpi", "tool_my_tool_mpich", timeout=800)
    assert built.code == 0, built.out
    for file in (BUILD / "lib").rglob("*"):  # the rest of Cairn is the one under test
        if file.is_file() and not (build / file.relative_to(BUILD)).exists():
            (build / file.relative_to(BUILD)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, build / file.relative_to(BUILD))
    shutil.copytree(BUILD / "bin", build / "bin", dirs_exist_ok=True)
    for mpi in MPIS:
        (build / "tests" / mpi.id).mkdir(parents=True, exist_ok=True)
        shutil.copy(mpi.program("ring_c"), build / "tests" / mpi.id)
    listed = run("ctest", "--test-dir", build, "-N", "-L", "my_tool")
    assert "my_tool.test_my_tool" in listed.out
    tested = run("ctest", "--test-dir", build, "-L", "my_tool", "--output-on-failure")
    assert tested.code == 0, tested.out


@pytest.mark.parametrize("name, words", [
    ("", "dev: error: a name for the tool is missing\ndev:   try: ./dev new-tool mine\n"),
    ("MyTool", "dev: error: 'MyTool' cannot be a tool's name\ndev:   try: small letters, digits and underscores, a letter first\n"),
    ("../mine", "dev: error: '../mine' cannot be a tool's name\ndev:   try: small letters, digits and underscores, a letter first\n"),
    ("profile", "dev: error: there is a tool 'profile' already\ndev:   try: another name\n"),
])
def test_a_name_that_cannot_be_is_refused(name, words):
    result = run("./dev", "new-tool", *[name][:len(name)], cwd=SOURCE)
    assert (result.code, result.out, result.err) == (2, "", words)
