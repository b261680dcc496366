// SPDX-License-Identifier: BSD-3-Clause
// runtime.cc - constructing what the stack consists of.

#include "runtime/runtime.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "base/job.hpp"
#include "base/program_path.hpp"
#include "runtime/services.hpp"

namespace cairn {

namespace {

std::string libcairn_path(const Preload& preload) {
  Dl_info where;
  return dladdr(preload.stubs[0], &where) != 0 ? where.dli_fname : "";
}

std::string setting(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

/// How the user made a setting: as the command says, else by the variable; empty if not at all.
std::string asker_of(const char* name, const char* asker) {
  if (!setting(asker).empty()) return setting(asker);
  return setting(name).empty() ? "" : std::string(name) + "=" + setting(name);
}

}  // namespace

bool Asked::is_strict() const { return !by_site && setting_on("CAIRN_STRICT"); }

void Asked::tell(Severity severity, const std::string& text, const std::string& remedy) const {
  if (speaks_for_job()) cairn::tell(severity, text, source, remedy);
}

Runtime::Runtime(const Preload& from_preload, Asked wishes, const MpiFamily& family, const Callbacks& callbacks)
    : preload(from_preload),
      asked(std::move(wishes)),
      bundled(bundled_tools_folder(libcairn_path(preload))),
      tool_calls{preload.tool_calls},
      thread_slots{take_thread_slot, preload.thread_slots},
      call_groups(preload.call_notes),
      mpi(preload, family),
      stack(preload, mpi),
      pnmpi(stack, asked.layers),
      loader(preload, mpi, stack),
      surroundings(preload, mpi, stack),
      dlsym(preload, mpi, stack, loader),
      // The user's CAIRN_OUT is for what the user asks for.
      folder(asked.by_site ? "" : setting("CAIRN_OUT"), asker_of("CAIRN_OUT", "CAIRN_OUT_ASKED_BY"),
             RunFacts{program_path(), mpi.target().description, asked.layers, labels_of(setting(labels_variable))}),
      instances(stack, asked.source, callbacks.output_folder),
      qmpi(stack, mpi, preload, adaptor("mpich"), asked.layers.size(), asked.source, callbacks.qmpi),
      thesis(stack, mpi, preload, adaptor("thesis"), asked.layers.size(), asked.source, callbacks.thesis_problem),
      switching(
          stack, loader, mpi, asked.layers, bundled + "/gate-" + std::string(family.id) + ".so",
          [this](const std::string& text, const std::string& remedy) { asked.tell(Severity::warning, text, remedy); }) {
}

/// Path of the module between PMPI and a kind of QMPI.
std::string Runtime::adaptor(const char* kind) const {
  return bundled + "/qmpi-" + kind + "-" + std::string(mpi.family().id) + ".so";
}

}  // namespace cairn
