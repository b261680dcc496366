// SPDX-License-Identifier: BSD-3-Clause
// profile.cc - the one handler that every MPI function of the program goes through, and the report at the end
//
// The handler takes two clock readings and adds to the calling thread's row. The results are gathered when the program
// finalizes MPI.

#include <mpi.h>

#include "bytes.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/variables.hpp"
#include "gather.hpp"
#include "record.hpp"
#include "report.hpp"

#include <atomic>

namespace profile {

class Profile {
 public:
  static constexpr std::string_view about = "calls, time and bytes of each MPI function, with the imbalance over ranks";
  struct Options {
    unsigned top = 10;
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("top", top, "functions shown in the table on the terminal");
      visit("table", table, "whether the table is shown: on or off");
    }
  };

  Profile(cairn::Self self, const Options& options) : self_(self), top_(options.top), table_(options.table) {
    start_clock();
    const cairn::Variables variables(self);
    variables.counter("calls", "calls of MPI functions", [this] { return sum(&Row::calls); });
    variables.aggregate("bytes_sent", "bytes that calls of MPI functions sent", [this] { return sum(&Row::bytes); });
    variables.timer("time", "seconds in MPI functions, all threads together",
                    [this] { return ticks_to_seconds_so_far(sum(&Row::ticks)); });
    variables.control("top", "functions shown in the table on the terminal", top_);
    variables.control("table", "whether the table is shown", table_);
  }

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    Row& row = rows_.mine()[static_cast<std::size_t>(F)];
    if constexpr (cairn::has<F>(cairn::Role::datatype_inout)) ++freed_types;
    const std::uint64_t begin = ticks_now();
    const auto result = call.proceed();
    row.ticks += ticks_now() - begin;
    ++row.calls;
    if constexpr (counts_bytes<F>())
      if (result == MPI_SUCCESS)
        row.bytes += sent_bytes<F>(call.arguments());  // only good arguments can be asked about
    return result;
  }

  /// MPI_Finalize itself is counted here: its own handler would come too late.
  int on(cairn::Call<cairn::Function::MPI_Finalize_>& call) { return call.proceed(); }

  void finish() {
    static Rows total;
    rows_.for_each([](const Rows& rows) {
      for (std::size_t i = 0; i < total.size(); ++i) {
        total[i].calls += rows[i].calls;
        total[i].ticks += rows[i].ticks;
        total[i].bytes += rows[i].bytes;
      }
    });
    ++total[static_cast<std::size_t>(cairn::Function::MPI_Finalize_)].calls;
    const Summary summary = gather(total, heading());
    if (summary.ranks == 0) return;  // not rank 0
    const std::string table = format_table(summary, top_);
    if (table_) self_.print(table);
    write(self_.file_name("profile", ".json"), format_json(summary), "w");
    write("report.txt", table + "\n", "a");
  }

 private:
  unsigned long sum(Figure Row::*figure) {
    std::uint64_t total = 0;
    rows_.for_each([&](const Rows& rows) {
      for (const Row& row : rows) total += row.*figure;
    });
    return total;
  }

  Summary heading() const {
    Summary summary;
    summary.program = self_.program();
    summary.tool = self_.name();
    if (self_.instance() > 1) summary.tool += " #" + std::to_string(self_.instance());
    return summary;
  }

  void write(const std::string& file, const std::string& text, const char* mode) const {
    const char* folder = self_.output_folder();
    if (folder == nullptr) return;
    const std::string path = folder + ("/" + file);
    if (!write_file(path, text, mode)) self_.warn("'" + path + "' cannot be written");
  }

  cairn::Self self_;
  std::atomic<unsigned> top_;  // as the options say, unless a program sets the variables
  std::atomic<bool> table_;
  cairn::PerThread<Rows> rows_;
};

}  // namespace profile

CAIRN_TOOL(profile::Profile)
