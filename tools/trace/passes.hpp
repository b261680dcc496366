// SPDX-License-Identifier: BSD-3-Clause
// passes.hpp - hears when threads enter and leave the region of which some passes are recorded
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/regions.hpp"
#include "trace/choice.hpp"

namespace trace_tool {

class Passes {
 public:
  /// `region`: as the program names it, or "outer/inner"; "": none.
  Passes(std::string_view region, cairn::trace::Choice& choice)
      : region_(region.empty() ? "" : "/" + std::string(region) + "/"), choice_(choice) {
    choosing_ = &choice;
  }

  void hear(const cairn::Call<cairn::Function::MPI_Pcontrol_>& call) {
    if (region_.empty()) return;
    OfThread& mine = threads_.mine();
    regions_.hear(call, mine.regions);
    const bool is_inside = lies_in(regions_.current(mine.regions));
    if (is_inside == mine.is_inside) return;
    mine.is_inside = is_inside;
    if (is_inside) mine.is_chosen = choice_.begin_pass();
    else mine.leave();
  }

 private:
  struct OfThread {
    cairn::Regions::Thread regions;
    bool is_inside = false;
    bool is_chosen = false;

    void leave() {
      if (is_chosen) choosing_->end_pass();
      is_chosen = false;
    }
    void thread_ended() {
      leave();
      is_inside = false;
      regions = {};
    }
  };
  enum Answer : char { unknown, inside, outside };

  bool lies_in(cairn::Regions::Number number) {
    std::atomic<Answer>& known = known_[number];
    if (known.load(std::memory_order_relaxed) == unknown)
      known.store(("/" + regions_.path(number) + "/").find(region_) == std::string::npos ? outside : inside,
                  std::memory_order_relaxed);
    return known.load(std::memory_order_relaxed) == inside;
  }

  static inline cairn::trace::Choice* choosing_ = nullptr;  // of the process's one instance
  std::string region_;
  cairn::trace::Choice& choice_;
  cairn::Regions regions_;
  std::array<std::atomic<Answer>, cairn::Regions::limit> known_{};
  cairn::PerThread<OfThread> threads_;
};

}  // namespace trace_tool
