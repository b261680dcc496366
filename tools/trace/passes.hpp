// SPDX-License-Identifier: BSD-3-Clause
// passes.hpp - hears when threads enter and leave regions, and counts passes of one of which some are recorded
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

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

  /// The region that the calling thread is in from now on, if it was in another one.
  std::optional<cairn::Regions::Number> hear(const cairn::Call<cairn::Function::MPI_Pcontrol_>& call) {
    OfThread& mine = threads_.mine();
    const cairn::Regions::Number before = regions_.current(mine.regions);
    regions_.hear(call, mine.regions);
    const cairn::Regions::Number now = regions_.current(mine.regions);
    if (!region_.empty()) pass(mine, lies_in(now));
    if (now == before) return {};
    return now;
  }
  std::string path(cairn::Regions::Number number) const { return regions_.path(number); }

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

  void pass(OfThread& mine, bool is_inside) {
    if (is_inside == mine.is_inside) return;
    mine.is_inside = is_inside;
    if (is_inside) mine.is_chosen = choice_.begin_pass();
    else mine.leave();
  }

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
