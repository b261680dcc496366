// SPDX-License-Identifier: BSD-3-Clause
// otf2.cc - has libcairn-otf2.so write an archive

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/message.hpp"
#include "cli/output_file.hpp"
#include "cli/program.hpp"
#include "cli/trace/views.hpp"
#include "trace/otf2_library.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

const trace::Otf2Library& library(const std::string& asked_by) {
  const void* const symbol = beside_libcairn("otf2", trace::otf2_symbol);
  if (symbol == nullptr)
    throw Problem(std::string("this Cairn was built without OTF2: ") + dlerror(),
                  "building it where libotf2-trace-dev is installed", asked_by);
  return *static_cast<const trace::Otf2Library*>(symbol);
}

}  // namespace

void write_otf2(const RunTraces& run, where::Places& places, const std::string& folder) {
  const std::string asked_by = "--otf2 " + folder;
  const trace::Otf2Library& otf2 = library(asked_by);
  check_new_folder(folder, asked_by);
  trace::Otf2Run made;
  made.folder = folder;
  for (const auto& process : run.processes) {
    made.processes.push_back({&process->file, process->shift_ns, {}});
    for (const VariableValue& one : run.values_of(*process))
      made.processes.back().values.push_back({one.ns, one.variable, one.value});
  }
  for (const SampledVariable& one : run.variables.all)
    made.variables.push_back({one.name, one.description, one.is_sum});
  made.first_ns = run.first_ns();
  made.clocks = run.clocks_text();
  made.place = [&](std::size_t process, std::uint64_t site) -> trace::SourceLine {
    const formats::SourcePosition& position = places.of(run.processes[process]->mapped, site);
    return {position.file, position.line, position.caller};
  };
  if (const std::string why = otf2.write(made); !why.empty())
    throw Problem("'" + folder + "' cannot be written: " + why,
                  "a folder in which you may create files, on a disk with space left", asked_by);
}

}  // namespace cairn::cli
