// SPDX-License-Identifier: BSD-3-Clause
// start.cc - the entry of libcairn-stack.so: reads what the user wants, builds the stack, lets the program in.
//
// Called by the preload library on the thread of the first MPI call. Nothing here throws out, and whatever fails, the
// program goes on with the layers that could be loaded.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/job.hpp"
#include "base/last_words.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "base/tool_settings.hpp"
#include "request/loaded_mpi.hpp"
#include "request/tool_file.hpp"
#include "runtime/annotations.hpp"
#include "runtime/builder.hpp"
#include "runtime/hooks.hpp"
#include "runtime/pnmpi_functions.hpp"
#include "runtime/qmpi_functions.hpp"
#include "runtime/runtime.hpp"
#include "runtime/services.hpp"
#include "runtime/stack_file.hpp"
#include "stack/caller_search.hpp"
#include "stack/deep_binding.hpp"

namespace cairn {

namespace {

void stop_if_strict(const Asked& asked) {
  if (!asked.is_strict()) return;
  const std::string value = std::getenv("CAIRN_STRICT");
  if (has_last_word())
    tell(Severity::error, "the program is not run: not every tool could be loaded",
         value == "--strict" ? value : "CAIRN_STRICT=" + value);
  std::fflush(nullptr);
  _exit(125);
}

/// By the object that would have answered the first MPI call; null if there is none.
const MpiFamily* find_unknown_mpi(const Preload& preload) {
  Dl_info where;
  for (std::size_t i = 0; i < preload.functions; ++i)
    if (void* function = preload.native(i); function != nullptr && dladdr(function, &where) != 0)
      return &unknown_family(file_of(where.dli_fname));
  return nullptr;
}

/// Everything is there; now the layers, from the innermost outwards, and last the program.
void build(Runtime& runtime) {
  offer_services(runtime);
  runtime.qmpi.open();
  set_hooks(runtime.preload);
  Builder builder(runtime);
  builder.add_engine();
  const bool all = builder.add_tools();
  runtime.building.end();
  runtime.thesis.finish();
  if (!all) stop_if_strict(runtime.asked);
  runtime.surroundings.link();
  link_annotations(LoadedSnapshot::of_nothing());
  runtime.switching.begin([] {
    cairn::runtime().stack.forget_lock();
    cairn::runtime().surroundings.forget_lock();
  });
  begin_pnmpi(runtime);
  runtime.stack.open();
}

/// What CAIRN_STACK says counts only where nothing has been made of it yet: the command passes on CAIRN_TOOLS.
std::vector<LayerRequest> users_layers(const Preload& preload, std::string& source) {
  const char* const tools = std::getenv("CAIRN_TOOLS");
  if (tools == nullptr || *tools == '\0') {
    Dl_info ours;
    if (dladdr(preload.slots, &ours) != 0)
      if (auto layers =
              layers_of_stack_file(bundled_tools_folder(ours.dli_fname) + "/" CAIRN_COMMAND_FROM_BUNDLED, source);
          !source.empty())
        return layers;
  }
  return tools_of_environment(source);
}

std::vector<LayerRequest> sites_layers(std::string& source) {
  source.assign(site_setting).append("=").append(sites_tools());
  return parse_tools(sites_tools());
}

/// Throws Problem.
bool start(const Preload& preload, Asked& asked) {
  asked.layers = asked.by_site ? sites_layers(asked.source) : users_layers(preload, asked.source);
  const MpiFamily* family = find_loaded_mpi();
  if (family == nullptr) family = find_unknown_mpi(preload);
  if (family == nullptr) {
    if (speaks_for_job()) tell(Severity::error, "no tool loaded: there is no MPI library in the process");
    stop_if_strict(asked);
    return false;
  }
  build(make_runtime(preload, asked, *family,
                     {.output_folder = [] { return runtime().folder.make(); },
                      .qmpi = qmpi_functions(),
                      .thesis_problem = tell_thesis_problem}));
  return true;
}

}  // namespace

}  // namespace cairn

extern "C" __attribute__((visibility("default"))) bool cairn_stack_start(const cairn::Preload* preload) {
  using namespace cairn;
  Asked asked;
  asked.by_site = *sites_tools() != '\0';
  if (asked.by_site) be_silent();
  if (preload->abi != preload_abi) {
    if (speaks_for_job())
      tell(Severity::error, "no tool loaded: libcairn.so and libcairn-stack.so are of different versions", "",
           "installing Cairn again");
    return false;
  }
  set_standard_error(preload->standard_error);
  try {
    return start(*preload, asked);
  } catch (const Problem& problem) {
    asked.tell(Severity::error, std::string("no tool loaded: ") + problem.what(), problem.remedy);
  } catch (const std::exception& error) {
    asked.tell(Severity::error, std::string("no tool loaded: ") + error.what());
  }
  stop_if_strict(asked);
  return false;
}

extern "C" __attribute__((visibility("default"))) void* cairn_stack_open_deep(const cairn::Preload* preload,
                                                                              const char* file, int mode,
                                                                              const void* caller) noexcept {
  using namespace cairn;
  const std::string found = found_by_caller(preload->real_dlopen, file, caller);
  const LoadedSnapshot before;
  void* const handle = preload->real_dlopen(found.empty() ? file : found.c_str(), mode);
  if (handle != nullptr) DeepBinding(*preload, handle).link_first_calls(before);
  return handle;
}
