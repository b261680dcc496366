// SPDX-License-Identifier: BSD-3-Clause
// start.cc - the entry of libcairn-stack.so: reads what the user wants, builds the stack, lets the program in.
//
// Called by the preload library on the thread of the first MPI call. Nothing here throws out, and whatever fails, the
// program goes on with the layers that could be loaded.

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/program_path.hpp"
#include "base/text.hpp"
#include "contracts/job_host.h"
#include "qmpi/qmpi.hpp"
#include "qmpi/thesis.hpp"
#include "request/loaded_mpi.hpp"
#include "runtime/instances.hpp"
#include "runtime/job_host.hpp"
#include "runtime/own_services.hpp"
#include "runtime/run_folder.hpp"
#include "runtime/switching.hpp"
#include "stack/caller_search.hpp"
#include "stack/deep_binding.hpp"
#include "stack/stack.hpp"

namespace cairn {

namespace {

/// Everything that lives until the process ends; never destroyed, as layers may be called from exit handlers.
struct Runtime {
  Preload preload;
  std::string source;  // how the user asked
  std::vector<LayerRequest> requests;
  std::deque<LayerRequest> services;  // what tools need and did not find; stay in place
  std::string bundled;
  std::unique_ptr<Stack> stack;
  std::unique_ptr<RunFolder> folder;
  std::unique_ptr<Instances> instances;
  std::unique_ptr<Switching> switching;
  std::unique_ptr<Qmpi> qmpi;
  std::unique_ptr<Thesis> thesis;
  pthread_t building_thread{};
  std::atomic<bool> building{true};  // other threads may ask already, and go on without an answer from the stack
};

Runtime* runtime = nullptr;

void tell_once_per_job(Severity severity, const std::string& text, const std::string& remedy) {
  if (speaks_for_job()) tell(severity, text, runtime->source, remedy);
}

/// Tools already looked at, by path: one that is wanted many times is examined once.
using ExaminedTools = std::map<std::string, ToolFile>;

const ToolFile& examined(ExaminedTools& known, const std::string& path, const TargetMpi& mpi) {
  auto place = known.find(path);
  if (place == known.end()) place = known.emplace(path, examine_tool(path, mpi)).first;
  return place->second;
}

void provide(const ToolAbout& about, const TargetMpi& mpi);

/// A bundled module that offers the service, if there is one, is put on top of what is there: right under the tool
/// that asks. Its level comes after those of the tools and of the engine.
void add_service(const std::string& service, const TargetMpi& mpi) {
  const std::string path = service_module(service, *mpi.family, runtime->bundled);
  if (path.empty()) return;
  for (const LayerRequest& known : runtime->services)
    if (known.tool == service) return;
  const LayerRequest& request = runtime->services.emplace_back(LayerRequest{service, {}});
  const auto level = static_cast<unsigned>(runtime->requests.size() + 1 + runtime->services.size());
  const ToolFile tool = examine_tool(path, mpi);
  provide(tool.about, mpi);
  runtime->stack->push(level, tool, [&](Layer& layer) { runtime->instances->start(layer, request, 1); });
}

/// Sees to it that a tool finds the services that it needs, or throws Problem.
void provide(const ToolAbout& about, const TargetMpi& mpi) {
  for (const ToolAbout::Need& need : about.needs) {
    if (runtime->instances->is_offered(need.service, need.version)) continue;
    add_service(need.service, mpi);
    runtime->instances->check_offered(need.service, need.version);
  }
}

/// A tool that may be switched, by a filter or by itself (tool.h), cannot be called past the stack's links.
bool is_fixed(const Layer& layer, const LayerRequest& request) {
  return request.filters.empty() && layer.exported("cairn_tool_start") == nullptr;
}

/// A QMPI tool that is part of the program or of a library that came with it.
void add_tool_of_program(unsigned level, const LayerRequest& request, const QmpiRegistration& registration) {
  check_options(request, {});
  const auto* const code = reinterpret_cast<const void*>(registration.init);
  const link_map* object = object_at(code);
  if (runtime->stack->level_at(code) != 0 || object == nullptr || *object->l_name == '\0') object = nullptr;
  runtime->stack->push_loaded(level, object, [&](Layer& layer) {
    runtime->qmpi->start(layer, request, registration);
    runtime->switching->apply(layer);
  });
}

void add_module(unsigned level, const LayerRequest& request, const ToolFile& tool, const TargetMpi& mpi) {
  check_options(request, tool.about);
  provide(tool.about, mpi);
  runtime->qmpi->expect_registrations();
  runtime->stack->push(level, tool, [&](Layer& layer) {
    if (tool.kind == ToolKind::qmpi) runtime->qmpi->start(layer, request, is_fixed(layer, request));
    if (tool.kind == ToolKind::thesis) runtime->thesis->start(layer, request, is_fixed(layer, request));
    runtime->instances->start(layer, request, instance_number(runtime->requests, level - 1));
    runtime->switching->apply(layer);
  });
}

/// As find_tool; what the program registered is part of what there is.
std::string find_module(const LayerRequest& request, const TargetMpi& mpi) {
  try {
    return find_tool(request, *mpi.family, runtime->bundled);
  } catch (const Problem& problem) {
    const std::string registered = runtime->qmpi->names_of_program();
    if (registered.empty() || request.tool.find('/') != std::string::npos) throw;
    throw Problem("it is none of the QMPI tools that the program registers (" + registered + "), and " + problem.what(),
                  problem.remedy);
  }
}

/// True if the layer is in the stack now.
bool add_layer(std::size_t position, const TargetMpi& mpi, ExaminedTools& known) {
  const LayerRequest& request = runtime->requests[position];
  try {
    const auto level = static_cast<unsigned>(position + 1);
    runtime->switching->check(level);
    const QmpiRegistration* const registration = runtime->qmpi->of_program(request.tool);
    if (registration != nullptr) add_tool_of_program(level, request, *registration);
    else add_module(level, request, examined(known, find_module(request, mpi), mpi), mpi);
    return true;
  } catch (const Problem& problem) {
    tell_once_per_job(Severity::error, "tool '" + request.tool + "' not loaded: " + problem.what(), problem.remedy);
  } catch (const std::exception& error) {
    tell_once_per_job(Severity::error, "tool '" + request.tool + "' not loaded: " + error.what(), "");
  }
  return false;
}

std::string libcairn_path() {
  Dl_info where;
  return dladdr(runtime->preload.stubs[0], &where) != 0 ? where.dli_fname : "";
}

/// The part of Cairn that is compiled for this MPI, where there is one, lies under all tools.
void add_engine(const TargetMpi& mpi) {
  const std::string path = runtime->bundled + "/engine-" + std::string(mpi.family->id) + ".so";
  if (access(path.c_str(), F_OK) != 0) {
    if (runtime->switching->needs_rank())
      tell_once_per_job(Severity::warning, "layers with filter 'ranks' stay off: nothing tells this process's rank",
                        "starting the program with its MPI's launcher");
    return;
  }
  static const LayerRequest& request = *new LayerRequest{"engine",
                                                         {{"cairn", runtime->bundled + "/" CAIRN_COMMAND_FROM_BUNDLED},
                                                          {"tools", format_tools(runtime->requests)},
                                                          {"out", runtime->folder->path()},
                                                          {"strict", setting_on("CAIRN_STRICT") ? "1" : ""}}};
  const unsigned level = static_cast<unsigned>(runtime->requests.size() + 1);
  try {
    const ToolFile tool = examine_tool(path, mpi);
    runtime->stack->push(level, tool, [&](Layer& layer) { runtime->instances->start(layer, request, 1); });
  } catch (const std::exception& error) {
    tell_once_per_job(
        Severity::warning,
        std::string("spawned processes will run without tools, and tools without variables: ") + error.what(), "");
  }
}

/// To be there before the layers are added: the engine, which is the first, asks for it.
void prepare_switching(const TargetMpi& mpi) {
  runtime->switching = std::make_unique<Switching>(
      *runtime->stack, runtime->requests, runtime->bundled + "/gate-" + std::string(mpi.family->id) + ".so",
      [](const std::string& text, const std::string& remedy) { tell_once_per_job(Severity::warning, text, remedy); });
  runtime->instances->offer(
      CAIRN_JOB_HOST, CAIRN_JOB_HOST_VERSION,
      &make_job_host(*runtime->stack, *runtime->folder, *runtime->instances, *runtime->switching, runtime->source));
}

/// The innermost layer first, so that whatever a tool's constructor calls is in place under it.
bool add_layers(const TargetMpi& mpi) {
  bool all = true;
  add_engine(mpi);
  ExaminedTools known;
  for (std::size_t i = runtime->requests.size(); i-- > 0;) all = add_layer(i, mpi, known) && all;
  runtime->building = false;
  return all;
}

/// Entered by a jump from the program's dlopen, so the return address is the program's.
void* on_dlopen(const char* file, int mode) noexcept {
  const void* caller = __builtin_return_address(0);
  const std::string found = found_by_caller(runtime->preload.real_dlopen, file, caller);
  const LoadedSnapshot before;
  void* handle = runtime->preload.real_dlopen(found.empty() ? file : found.c_str(), mode);
  if (handle == nullptr) return handle;
  if (runtime->building) {  // what the program opens meanwhile is linked with the surroundings of the finished stack
    if (pthread_equal(runtime->building_thread, pthread_self()) != 0) runtime->stack->note_opened(handle);
    return handle;
  }
  runtime->stack->link_surroundings();
  runtime->stack->link_opened(caller, handle, before);
  if ((mode & RTLD_DEEPBIND) != 0 && !runtime->stack->is_in_layer(caller))
    DeepBinding(runtime->preload, handle).link(before);
  return handle;
}

std::uintptr_t on_dlsym(void* handle, const char* name, const void* caller) noexcept {
  if (runtime->building && pthread_equal(runtime->building_thread, pthread_self()) == 0) return dlsym_not_ours;
  return runtime->stack->answer_dlsym(handle, name, caller);
}

bool is_glue(const void* address) noexcept { return runtime->stack->passes_program_calls(address); }

/// The object that would have answered the first MPI call.
std::string unknown_library() {
  Dl_info where;
  for (std::size_t i = 0; i < runtime->preload.functions; ++i)
    if (void* function = runtime->preload.native(i); function != nullptr && dladdr(function, &where) != 0)
      return where.dli_fname;
  return "none is loaded";
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

/// Gives libcairn.so an entry, which other threads may use from then on, with all that was done before.
template <class Entry>
void publish(Entry& place, std::type_identity_t<Entry> entry) {
  __atomic_store_n(&place, entry, __ATOMIC_RELEASE);
}

void stop_if_strict() {
  if (!setting_on("CAIRN_STRICT")) return;
  const std::string value = setting("CAIRN_STRICT");
  if (speaks_for_job())
    tell(Severity::error, "the program is not run: not every tool could be loaded",
         value == "--strict" ? value : "CAIRN_STRICT=" + value);
  else sleep(1);  // launchers end a job with its first process: the one that speaks must not be cut short
  std::fflush(nullptr);
  _exit(125);
}

bool build() {
  runtime->requests = tools_of_environment(runtime->source);
  const MpiFamily* family = find_loaded_mpi();
  if (family == nullptr) {
    if (speaks_for_job())
      tell(Severity::error,
           "no tool loaded: the application's MPI library is not one that Cairn knows: " + unknown_library());
    stop_if_strict();
    return false;
  }
  runtime->bundled = bundled_tools_folder(libcairn_path());
  runtime->stack = std::make_unique<Stack>(runtime->preload, *family);
  Stack& stack = *runtime->stack;
  const TargetMpi mpi{family, describe_mpi(*family, stack.top(stack.functions().find("MPI_Get_library_version")))};
  runtime->folder = std::make_unique<RunFolder>(setting("CAIRN_OUT"), asker_of("CAIRN_OUT", "CAIRN_OUT_ASKED_BY"),
                                                RunFacts{program_path(), mpi.description, runtime->requests});
  runtime->instances = std::make_unique<Instances>(stack, *runtime->folder, runtime->source);
  offer_own_services(*runtime->instances, stack, runtime->requests,
                     {.results = *runtime->folder,
                      .folder = runtime->bundled,
                      .ends = *runtime->preload.ends,
                      .tool_calls = runtime->preload.tool_calls});

  const std::string adaptors = runtime->bundled + "/qmpi-";
  const std::string family_file = "-" + std::string(family->id) + ".so";
  runtime->qmpi = std::make_unique<Qmpi>(stack, runtime->preload, adaptors + "mpich" + family_file,
                                         runtime->requests.size(), runtime->source);
  runtime->thesis = std::make_unique<Thesis>(stack, runtime->preload, adaptors + "thesis" + family_file,
                                             runtime->requests.size(), runtime->source);

  prepare_switching(mpi);
  publish(*runtime->preload.dlsym_hook, on_dlsym);
  publish(*runtime->preload.glue_hook, is_glue);
  publish(*runtime->preload.dlopen_slot, reinterpret_cast<void*>(on_dlopen));
  const bool all = add_layers(mpi);
  runtime->thesis->finish();
  if (!all) stop_if_strict();
  stack.link_surroundings();
  runtime->switching->begin();
  stack.open();
  return true;
}

}  // namespace

}  // namespace cairn

extern "C" __attribute__((visibility("default"))) bool cairn_stack_start(const cairn::Preload* preload) {
  using namespace cairn;
  if (preload->abi != preload_abi) {
    tell(Severity::error, "no tool loaded: libcairn.so and libcairn-stack.so are of different versions", "",
         "installing Cairn again");
    return false;
  }
  set_standard_error(preload->standard_error);
  try {
    runtime = new Runtime{.preload = *preload,
                          .source = {},
                          .requests = {},
                          .services = {},
                          .bundled = {},
                          .stack = nullptr,
                          .folder = nullptr,
                          .instances = nullptr,
                          .switching = nullptr,
                          .qmpi = nullptr,
                          .thesis = nullptr,
                          .building_thread = pthread_self()};
    return build();
  } catch (const Problem& problem) {
    tell_once_per_job(Severity::error, std::string("no tool loaded: ") + problem.what(), problem.remedy);
    stop_if_strict();
  } catch (const std::exception& error) {
    tell_once_per_job(Severity::error, std::string("no tool loaded: ") + error.what(), "");
    stop_if_strict();
  }
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
