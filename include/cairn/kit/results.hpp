// SPDX-License-Identifier: BSD-3-Clause
// results.hpp - what a tool leaves of a run: gathered on rank 0, shown, written, and saved where the run dies
//
//   template <cairn::Function F>
//     requires(cairn::starts_mpi<F>())
//   int on(cairn::Call<F>& call) {
//     const int result = call.proceed();
//     if (start_.is_first(result))
//       results_.begin([this](const std::string& end) { results_.write_part(json(own(), end)); });
//     return result;
//   }
//   void finish() {
//     const cairn::World world(self_);                        // first: it copes with a lack of memory later (ranks.hpp)
//     Counts all = own();
//     if (results_.gather(world, all, [](Counts& into, const Counts& other) { into.add(other); })) {  // true on rank 0
//       results_.show(table(all), options_.table);                                   // terminal and report.txt
//       results_.write(json(all));                                                   // mine.json
//     }
//     results_.end();
//   }
//   cairn::MpiStart start_;
//   cairn::RunResults results_{self_, "mine"};
//
// Include it after <mpi.h>.
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/packing.hpp"
#include "cairn/kit/ranks.hpp"
#include "cairn/kit/regions.hpp"
#include "cairn/kit/run_identity.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/kit/will.hpp"

namespace cairn {

/// A member of the tool, made with it: a process that dies asks for no more services.
class RunResults {
 public:
  /// The files are NAME.json, NAME.2.json for the second instance, and NAME.rank-N.json for what one rank left.
  RunResults(const Self& self, std::string name) : self_(self), name_(std::move(name)), identity_(self), will_(self) {}

  /// For the key "run" of a file; "" where it is not known, and then the file leaves out the key. From MPI_Init on.
  std::string run() const { return identity_.text(); }
  /// In the job, from begin() on.
  int rank() const { return rank_; }

  /// Once MPI has started. Where the process does not come to MPI_Finalize, `save` is called with how it ends
  /// ("SIGTERM"), on any thread (services/will.hpp); `withdraw` takes back what it wrote.
  void begin(std::function<void(const std::string& end)> save, std::function<void()> withdraw) {
    const OwnWork own;
    rank_ = place_in_job(self_).rank;
    save_ = save;
    withdraw_ = withdraw;
    will_.begin(std::move(save), std::move(withdraw));
  }
  /// The same for what write_part() writes.
  void begin(std::function<void(const std::string& end)> save) {
    begin(std::move(save), [this] { self_.remove(part_file()); });
  }
  /// MPI_Pcontrol(2), "flush": `save` is called as if the process had ended, with `still_running`.
  void hear(int level) {
    if (level != flush_level || !save_) return;
    const OwnWork own;
    has_flushed_ = true;
    save_(still_running);
  }
  static constexpr const char* still_running = "still running";

  void write_part(std::string_view text) const { self_.write(part_file(), text); }

  /// In finish(), on every rank that has the tool: `add(own, other)` takes another rank's results into this one's.
  /// Whether this is the first of the ranks, which then has those of all. `Own` travels as cairn::pack() says
  /// (packing.hpp).
  template <class Own, class Add>
  bool gather(const World& world, Own& own, Add add) const {
    world.merge([&] { return pack(own); }, [&](const std::string& bytes) { add(own, unpack<Own>(bytes)); });
    return world.rank() == 0;
  }

  /// On that rank: for people, into the run's report.txt and, if the user wants to see it, on standard error.
  void show(const std::string& table, bool on_terminal) const {
    if (on_terminal) self_.print(table);
    self_.add("report.txt", table + "\n");
  }
  /// For programs.
  void write(std::string_view text) const { self_.write(self_.file_name(name_, ".json"), text); }

  /// On every rank when the results are written: what was saved before is withdrawn, and nothing is called from here
  /// on.
  void end() {
    will_.end();
    if (has_flushed_.exchange(false)) withdraw_();
  }

 private:
  std::string part_file() const { return self_.file_name(name_, ".rank-" + std::to_string(rank_) + ".json"); }

  Self self_;
  std::string name_;
  RunIdentity identity_;
  LastWill will_;
  std::function<void(const std::string& end)> save_;
  std::function<void()> withdraw_;
  std::atomic<bool> has_flushed_ = false;
  int rank_ = 0;
};

}  // namespace cairn
