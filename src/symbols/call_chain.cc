// SPDX-License-Identifier: BSD-3-Clause
// call_chain.cc - the calls that led to where a thread of another process waits, found without stopping it
//
// Where its stack begins is known, and a thread that waits does not change what is above. Its memory is read as the
// kernel lets a process of the same user do; the way up is in the unwind tables of the files that it has mapped.

#include "symbols/call_chain.hpp"

#include <elfutils/libdwfl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>

#include "symbols/local_files.hpp"

namespace {

struct Walk {
  cairn::ThreadPlace from;
  std::uint64_t* addresses;
  int most;
  int count = 0;
};

bool read_word(Dwfl* /*session*/, Dwarf_Addr address, Dwarf_Word* word, void* data) {
  iovec here{word, sizeof *word};
  iovec there{reinterpret_cast<void*>(address), sizeof *word};
  return process_vm_readv(static_cast<Walk*>(data)->from.pid, &here, 1, &there, 1, 0) == sizeof *word;
}

/// There is one thread, as far as this session knows.
pid_t next_thread(Dwfl* /*session*/, void* data, void** thread) {
  if (*thread != nullptr) return 0;
  *thread = data;
  return static_cast<Walk*>(data)->from.pid;
}

bool set_registers(Dwfl_Thread* thread, void* data) {
  const cairn::ThreadPlace& from = static_cast<Walk*>(data)->from;
#if defined(__x86_64__)
  const std::array<Dwarf_Word, 2> frame{from.fp, from.sp};
  if (!dwfl_thread_state_registers(thread, 6, 2, frame.data())) return false;  // rbp, rsp
#else
  const Dwarf_Word fp = from.fp;
  const Dwarf_Word sp = from.sp;
  if (!dwfl_thread_state_registers(thread, 29, 1, &fp) || !dwfl_thread_state_registers(thread, 31, 1, &sp))
    return false;
#endif
  dwfl_thread_state_register_pc(thread, from.pc);
  return true;
}

int take_frame(Dwfl_Frame* frame, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  Dwarf_Addr address = 0;
  if (walk.count == walk.most || !dwfl_frame_pc(frame, &address, nullptr)) return DWARF_CB_ABORT;
  walk.addresses[walk.count++] = address;
  return DWARF_CB_OK;
}

int walk_thread(Dwfl_Thread* thread, void* data) {
  dwfl_thread_getframes(thread, take_frame, data);
  return DWARF_CB_OK;
}

constexpr Dwfl_Callbacks files = {.find_elf = dwfl_linux_proc_find_elf,
                                  .find_debuginfo = cairn::find_local_debuginfo,
                                  .section_address = nullptr,
                                  .debuginfo_path = nullptr};
constexpr Dwfl_Thread_Callbacks thread_state = {.next_thread = next_thread,
                                                .get_thread = nullptr,
                                                .memory_read = read_word,
                                                .set_initial_registers = set_registers,
                                                .detach = nullptr,
                                                .thread_detach = nullptr};

}  // namespace

int cairn::walk_up(const ThreadPlace& from, std::uint64_t* addresses, int most) {
  Walk walk{from, addresses, most};
  Dwfl* const session = dwfl_begin(&files);
  if (session == nullptr) return 0;
  const bool is_known =
      dwfl_linux_proc_report(session, from.pid) == 0 && dwfl_report_end(session, nullptr, nullptr) == 0;
  if (is_known && dwfl_attach_state(session, nullptr, from.pid, &thread_state, &walk))
    dwfl_getthreads(session, walk_thread, &walk);
  dwfl_end(session);
  return walk.count;
}
