# SPDX-License-Identifier: BSD-3-Clause
# test_damaged_tools.py - modules that are cut short or have wrong bytes: a message or a working tool, never a crash.

import random
import struct

import pytest

from cli_testing import *

MPICH = MPIS[1]  # starts fastest without a launcher; the file format is the same
PT_LOAD, PT_DYNAMIC, PT_GNU_RELRO = 1, 2, 0x6474E552
DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELAENT, DT_STRSZ, DT_SYMENT, DT_PLTREL, DT_JMPREL = 5, 6, 7, 9, 10, 11, 20, 23
DT_FINI_ARRAYSZ, DT_GNU_HASH = 28, 0x6FFFFEF5


class Elf:
    """Where things stand in a module."""

    def __init__(self, path):
        self.data = bytearray(open(path, "rb").read())
        self.phoff, = struct.unpack_from("<Q", self.data, 32)
        self.phnum, = struct.unpack_from("<H", self.data, 56)
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.data, self.phoff + 56 * i) for i in range(self.phnum)]
        self.dynamic = next(s[2] for s in self.segments if s[0] == PT_DYNAMIC)
        self.dynamic_size = next(s[5] for s in self.segments if s[0] == PT_DYNAMIC)
        self.load_end = max(s[2] + s[5] for s in self.segments if s[0] == PT_LOAD)

    def entry(self, tag):
        """File offset of the dynamic entry with this tag."""
        for at in range(self.dynamic, self.dynamic + self.dynamic_size, 16):
            if struct.unpack_from("<q", self.data, at)[0] == tag:
                return at
        raise KeyError(tag)

    def value(self, tag):
        return struct.unpack_from("<Q", self.data, self.entry(tag) + 8)[0]

    def segment_header(self, kind):
        return self.phoff + 56 * next(i for i, s in enumerate(self.segments) if s[0] == kind)


@pytest.fixture(scope="module")
def elf():
    return Elf(trace(MPICH))


def refusal(data, folder, why, short=False, remedy=TRY_PATH):
    """Runs the program with the module `data` and compares what is said."""
    path = folder / "damaged.so"
    path.write_bytes(data)
    result = cairn_run("--tools", path, subject(MPICH), SUBJECT_EXIT=3)
    assert (result.code, result.out) == (3, subject_output())
    who = "damaged.so" if short else f"'{path}'"
    assert result.err == not_loaded(str(path), f"{who} {why}", f"--tools {path}", remedy)


def outside(what):
    return f"is damaged: its {what} lies outside the file"


@pytest.mark.parametrize("length, why", [
    (1, "is not an ELF file"), (3, "is not an ELF file"), (4, "is cut short"), (16, "is cut short"), (63, "is cut short"),
    (64, outside("program header table")), (100, outside("program header table")),
])
def test_cut_in_the_header(elf, length, why, tmp_path):
    refusal(elf.data[:length], tmp_path, why)


def test_cut_before_the_dynamic_section(elf, tmp_path):
    for length in (elf.phoff + 56 * elf.phnum, elf.dynamic // 2, elf.dynamic, elf.dynamic + elf.dynamic_size - 1):
        refusal(elf.data[:length], tmp_path, outside("dynamic section"))


def test_cut_before_the_end_of_the_last_segment(elf, tmp_path):
    for length in (elf.dynamic + elf.dynamic_size, elf.load_end - 1):
        refusal(elf.data[:length], tmp_path, "is cut short", short=True, remedy=TRY_AGAIN)


def test_cut_behind_the_last_segment_still_works(elf, tmp_path):
    (tmp_path / "short.so").write_bytes(elf.data[:elf.load_end])
    result = cairn_run("--tools", tmp_path / "short.so", subject(MPICH))
    assert (result.code, result.out, result.err) == (0, subject_output(), "trace a\n")


def test_every_length_of_a_real_tool_is_refused_by_check(tmp_path):
    """The bundled tool, cut at many places; `check` makes the same examination without a program."""
    data = open(BUILD / "lib" / "cairn" / "mpich" / "profile.so", "rb").read()
    end = Elf(BUILD / "lib" / "cairn" / "mpich" / "profile.so").load_end
    for length in [*range(1, end, end // 40), end - 1]:
        (tmp_path / "cut.so").write_bytes(data[:length])
        result = run(CAIRN, "check", subject(MPICH), "--tools", tmp_path / "cut.so")
        assert (result.code, result.err) == (1, ""), length
        assert f"layer 1  {tmp_path}/cut.so: would not be loaded: " in result.out


@pytest.mark.parametrize("change, why, short, remedy", [
    (lambda elf: (54, "<H", 57), outside("program header table"), False, TRY_PATH),
    (lambda elf: (32, "<Q", 1 << 63), outside("program header table"), False, TRY_PATH),
    (lambda elf: (56, "<H", 60000), outside("program header table"), False, TRY_PATH),
    (lambda elf: (elf.segment_header(PT_DYNAMIC) + 16, "<Q", 1 << 40), outside("dynamic section"), False, TRY_PATH),
    (lambda elf: (elf.segment_header(PT_DYNAMIC) + 32, "<Q", 32), "is damaged: its dynamic section has no end", False, TRY_PATH),
    (lambda elf: (elf.segment_header(PT_DYNAMIC), "<I", 0), "has no dynamic section", True, TRY_AGAIN),
    (lambda elf: (elf.segment_header(PT_LOAD) + 40, "<Q", 1), outside("segment"), True, TRY_AGAIN),
    (lambda elf: (elf.entry(DT_STRTAB) + 8, "<Q", 1 << 50), outside("string table"), False, TRY_PATH),
    (lambda elf: (elf.entry(DT_STRSZ) + 8, "<Q", 1 << 50), outside("string table"), False, TRY_PATH),
    (lambda elf: (elf.entry(DT_STRSZ) + 8, "<Q", 0), "is damaged: its string table has no end", False, TRY_PATH),
    (lambda elf: (elf.entry(DT_SYMTAB) + 8, "<Q", 1 << 50), outside("symbol table"), False, TRY_PATH),
    (lambda elf: (elf.entry(DT_SYMENT) + 8, "<Q", 23), outside("symbol table"), False, TRY_PATH),
    (lambda elf: (elf.entry(DT_GNU_HASH) + 8, "<Q", 1 << 50), outside("symbol hash table"), False, TRY_PATH),
    (lambda elf: (elf.value(DT_GNU_HASH), "<I", 0xFFFFFFFF), outside("symbol hash table"), False, TRY_PATH),
    (lambda elf: (elf.value(DT_GNU_HASH) + 8, "<I", 0xFFFFFFFF), outside("symbol hash table"), False, TRY_PATH),
    (lambda elf: (elf.entry(DT_RELA) + 8, "<Q", 1 << 50), outside("relocation table"), True, TRY_AGAIN),
    (lambda elf: (elf.entry(DT_JMPREL) + 8, "<Q", 1 << 50), outside("relocation table"), True, TRY_AGAIN),
    (lambda elf: (16, "<H", 2), "is not a shared library", True, TRY_PATH),
], ids=["entry size of program headers", "place of program headers", "number of program headers", "place of dynamic section",
        "dynamic section without end", "no dynamic section", "memory size below file size", "place of string table",
        "size of string table", "empty string table", "place of symbol table", "size of a symbol", "place of hash table",
        "number of hash buckets", "size of hash filter", "place of relocations", "place of function relocations",
        "file type"])
def test_a_tool_with_a_wrong_number_is_refused(elf, change, why, short, remedy, tmp_path):
    data = bytearray(elf.data)
    offset, form, value = change(elf)
    struct.pack_into(form, data, offset, value)
    refusal(data, tmp_path, why, short, remedy)


def regions(elf):
    return {"header": (0, 64), "program headers": (elf.phoff, 56 * elf.phnum),
            "dynamic section": (elf.dynamic, elf.dynamic_size), "hash table": (elf.value(DT_GNU_HASH), 48),
            "whole file": (0, len(elf.data))}


@pytest.mark.parametrize("region", ["header", "program headers", "dynamic section", "hash table", "whole file"])
def test_check_survives_flipped_bytes(elf, region, tmp_path):
    """Whatever a byte is, the examination ends with a verdict."""
    begin, size = regions(elf)[region]
    chance = random.Random(region)
    path = tmp_path / "flipped.so"
    for _ in range(60):
        data = bytearray(elf.data)
        place = begin + chance.randrange(size)
        data[place] ^= chance.randrange(1, 256)
        path.write_bytes(data)
        result = run(CAIRN, "check", "/bin/true", "--mpi", "mpich", "--tools", path, timeout=20)
        assert (result.code in (0, 1), result.err) == (True, ""), f"byte {place}: {data[place]:#x}"
        assert "layer 1  " in result.out


# Numbers that the dynamic loader takes at their word: with them it ends the whole process, or the tool's first call does.
@pytest.mark.parametrize("change", [
    lambda elf: (elf.segment_header(PT_LOAD) + 56, "<I", 237),
    lambda elf: (elf.segment_header(PT_LOAD) + 56 + 18, "<H", 0xD400),
    lambda elf: (elf.segment_header(PT_GNU_RELRO) + 43, "<B", 0xEB),
    lambda elf: (56, "<H", 163),
    lambda elf: (elf.entry(DT_RELAENT) + 8, "<Q", 23),
    lambda elf: (elf.entry(DT_PLTREL) + 8, "<Q", 17),
    lambda elf: (elf.entry(DT_PLTREL), "<Q", 0x6DEADBEE),
    lambda elf: (elf.entry(DT_RELA), "<Q", 0x6DEADBEE),
    lambda elf: (elf.entry(DT_FINI_ARRAYSZ), "<Q", 0x6DEADBEE),
    lambda elf: (elf.entry(DT_FINI_ARRAYSZ) + 8, "<Q", 150),
    lambda elf: (elf.value(DT_GNU_HASH) + 4, "<I", 0x6D000001),
], ids=["the code is no longer a segment to load", "the code is loaded elsewhere", "end of the read-only data",
        "number of program headers, all within the file", "size of a relocation", "kind of function relocations",
        "no kind of function relocations", "relocations without a place", "no size of finalisers",
        "size of finalisers not a multiple of eight", "first symbol of hash table"])
def test_damage_that_would_end_the_program_is_refused(elf, change, tmp_path):
    data = bytearray(elf.data)
    offset, form, value = change(elf)
    struct.pack_into(form, data, offset, value)
    path = tmp_path / "damaged.so"
    path.write_bytes(data)
    result = cairn_run("--tools", path, subject(MPICH), SUBJECT_EXIT=3)
    assert (result.code, result.out) == (3, subject_output())
    assert result.err.startswith(f"cairn: error: tool '{path}' not loaded: ")
