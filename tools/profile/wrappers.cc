// SPDX-License-Identifier: BSD-3-Clause
// wrappers.cc - the one handler that every MPI function of the program goes through, and the tool's start and end
//
// Between two MPI calls of the tool's own nothing runs; the handler takes two clock readings and adds to the calling
// thread's row. The results are gathered in the wrapper of MPI_Finalize, while MPI can still be used.

#include <mpi.h>

#include "bytes.hpp"
#include "cairn/functions.hpp"
#include "cairn/tool.h"
#include "gather.hpp"
#include "options.hpp"
#include "record.hpp"
#include "report.hpp"

namespace profile {

namespace {

const cairn_tool_instance* self = nullptr;
Options options;

void write(const std::string& file, const std::string& text, const char* mode) {
  const char* folder = self->output_folder();
  if (folder == nullptr) return;
  const std::string path = folder + ("/" + file);
  if (!write_file(path, text, mode)) self->warn(self, ("'" + path + "' cannot be written").c_str());
}

void finish(const Row* rows) {
  const Summary summary = gather(rows, cairn::function_facts, describe(*self));
  if (summary.ranks == 0) return;  // not rank 0
  const std::string table = format_table(summary, options.top);
  if (options.table) self->print(self, table.c_str());
  write(file_name(self->instance), format_json(summary), "w");
  write("report.txt", table + "\n", "a");
}

}  // namespace

}  // namespace profile

template <cairn::Function F>
struct Handler {
  template <class Down, class Arguments>
  static auto call(Down down, const Arguments& arguments) {
    profile::Row& row = profile::thread_rows()[static_cast<std::size_t>(F)];
    if constexpr (F == cairn::Function::MPI_Finalize_) {
      ++row.calls;
      static profile::Row total[cairn::function_count];
      profile::sum_rows(total);
      profile::finish(total);
      return down();
    } else {
      if constexpr (cairn::has<F>(cairn::Role::datatype_inout)) ++profile::freed_types;
      const std::uint64_t begin = profile::ticks_now();
      const auto result = down();
      row.ticks += profile::ticks_now() - begin;
      ++row.calls;
      if constexpr (profile::counts_bytes<F>())
        if (result == MPI_SUCCESS)
          row.bytes += profile::sent_bytes<F>(arguments);  // only good arguments can be asked about
      return result;
    }
  }
};

#include "cairn/wrap_all.hpp"

extern "C" int cairn_tool_start(const cairn_tool_instance* instance) {
  profile::self = instance;
  profile::options = profile::read_options(*instance);
  profile::start_recording(cairn::function_count);
  return 0;
}
