// SPDX-License-Identifier: BSD-3-Clause
// switching.cc - what the filters make of a layer at first, and how that changes.

#include "runtime/switching.hpp"

#include <errno.h>
#include <unistd.h>

#include <algorithm>

#include "base/job.hpp"
#include "base/message.hpp"
#include "cairn/region.h"

extern "C" {
extern void* cairn_pcontrol_next;
void cairn_pcontrol_entry();
void cairn_pcontrol_heard(int level);
}

namespace cairn {

namespace {

Switching* listener = nullptr;  // MPI_Pcontrol's entry has no other way here

constexpr int first_level = 1;  // as if the program had called MPI_Pcontrol(1) (MPI-4.0, 15.2.4)

bool hears_pcontrol(const Filters& filters) { return filters.pcontrol || !filters.phases.empty(); }

}  // namespace

Switching::Switching(Stack& stack, const std::vector<LayerRequest>& layers, std::string gate, Warn warn)
    : stack_(stack), gate_(std::move(gate)), warn_(std::move(warn)) {
  for (const LayerRequest& layer : layers) wishes_.push_back({layer.tool, parse_filters(layer)});
  const bool by_rank = std::ranges::any_of(wishes_, [](const Wish& wish) { return !wish.filters.ranks.empty(); });
  needs_rank_ = by_rank && job_rank() < 0;
}

void Switching::check(unsigned level) const {
  if (!wishes_[level - 1].filters.comms.empty() && access(gate_.c_str(), F_OK) != 0)
    throw Problem("filter 'comms' is not there for this MPI", "building Cairn where this MPI's compiler wrapper is");
}

void Switching::apply(Layer& layer) {
  if (layer.level() > wishes_.size()) return;  // the engine
  Wish& wish = wishes_[layer.level() - 1];
  const Filters& filters = wish.filters;
  if (filters.choose_functions()) choose_functions(layer, wish);
  layer.set_off(Off::by_rank, !filters.ranks.empty() && (needs_rank_ || !filters.let_rank(job_rank())));
  layer.set_off(Off::by_time, filters.from > Filters::Time::zero() || filters.until == Filters::Time::zero());
  layer.set_off(Off::by_phase, !filters.let_phase(first_level));
  layer.set_off(Off::by_switch, !filters.active);
  if (filters.comms.empty()) return;
  for (const std::string& comm : filters.comms) wish.comms.push_back(comm.c_str());
  stack_.add_gate(layer, gate_, wish.comms);
}

void Switching::choose_functions(Layer& layer, const Wish& wish) const {
  const Functions& all = stack_.functions();
  std::vector<std::string_view> wrapped;
  for (std::size_t i = 0; i < all.count(); ++i) {
    const auto function = static_cast<FunctionIndex>(i);
    if (layer.wrapper(function) == nullptr) continue;
    const std::string_view name = all.name(function);
    wrapped.push_back(name);
    if (!wish.filters.let_function(name)) layer.choose(function, Sees::never);
  }
  for (const std::string& glob : wish.filters.useless_globs(wrapped))
    warn_("tool '" + wish.tool + "': filter '" + glob + "' matches no function that it wraps",
          "cairn check --functions for what it wraps");
}

void Switching::begin() {
  listener = this;
  bool pcontrol = false;
  for (std::size_t i = 0; i < wishes_.size(); ++i) {
    const Filters& filters = wishes_[i].filters;
    const auto level = static_cast<unsigned>(i + 1);
    pcontrol = pcontrol || hears_pcontrol(filters);
    const auto switch_at = [&](Filters::Time when, bool off) {
      if (when > Filters::Time::zero() && when < Filters::Time::max())
        thread_.at(when, [this, level, off] {
          update([=](Layer& layer, const Filters&) {
            if (layer.level() == level) layer.set_off(Off::by_time, off);
          });
        });
    };
    if (filters.from < filters.until) switch_at(filters.from, false);
    switch_at(filters.until, true);
    if (filters.signal != 0 && thread_.on_signal(filters.signal, [this](int signal) { hear_signal(signal); }))
      warn_("tool '" + wishes_[i].tool +
                "': the program has a handler of its own for the signal of filter 'signal'; "
                "both hear it",
            "another signal");
  }
  if (pcontrol)
    stack_.observe(stack_.functions().find("MPI_Pcontrol"), reinterpret_cast<void*>(cairn_pcontrol_entry),
                   &cairn_pcontrol_next);
  if (!thread_.start([this] { stack_.forget_locks(); }))
    warn_("no layer is switched by time or signal: the system gives no thread for it", "a higher limit (ulimit -u)");
}

/// Calls decide(Layer&, const Filters&) for each layer that the user asked for.
template <class Decide>
void Switching::update(Decide decide) {
  stack_.update([&](Layer& layer) {
    if (layer.level() <= wishes_.size()) decide(layer, wishes_[layer.level() - 1].filters);
  });
}

void Switching::know_rank(long rank) {
  update([=](Layer& layer, const Filters& filters) { layer.set_off(Off::by_rank, !filters.let_rank(rank)); });
}

void Switching::hear_pcontrol(int level) {
  if (level == CAIRN_REGION_BEGIN || level == CAIRN_REGION_END) return;  // names a part of the program, no level
  update([=](Layer& layer, const Filters& filters) {
    layer.set_off(Off::by_phase, !filters.let_phase(level));
    if (filters.pcontrol && level >= 0) layer.set_off(Off::by_switch, level == 0);
  });
}

void Switching::hear_signal(int signal) {
  update([=](Layer& layer, const Filters& filters) {
    if (filters.signal == signal) layer.set_off(Off::by_switch, !layer.is_off(Off::by_switch));
  });
}

}  // namespace cairn

/// Called by cairn_pcontrol_entry on the thread that calls MPI_Pcontrol.
void cairn_pcontrol_heard(int level) {
  const int before = errno;
  cairn::listener->hear_pcontrol(level);
  errno = before;
}
