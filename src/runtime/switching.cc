// SPDX-License-Identifier: BSD-3-Clause
// switching.cc - what the filters make of a layer at first, and how that changes.

#include "runtime/switching.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/job.hpp"
#include "base/message.hpp"
#include "cairn/region.h"
#include "runtime/pcontrol_entry.hpp"

namespace cairn {

namespace {

constexpr int first_level = 1;  // as if the program had called MPI_Pcontrol(1) (MPI-4.0, 15.2.4)

}  // namespace

Switching::Switching(Stack& stack, LayerLoader& loader, const MpiLibrary& mpi, const std::vector<LayerRequest>& layers,
                     std::string gate, Warn warn)
    : stack_(stack), loader_(loader), mpi_(mpi), gate_(std::move(gate)), warn_(std::move(warn)) {
  for (const LayerRequest& layer : layers) layers_.push_back({layer.tool, parse_filters(layer)});
  const bool by_rank =
      std::ranges::any_of(layers_, [](const Filtered& filtered) { return !filtered.filters.ranks.empty(); });
  needs_rank_ = by_rank && job_rank() < 0;
  for (const Filtered& filtered : layers_) {
    delivers_to_each_ = delivers_to_each_ || filtered.filters.hears.each;
    lets_address_layers_ = lets_address_layers_ || filtered.filters.hears.addressed;
  }
}

void Switching::check(LayerId id) const {
  if (!layers_[place_asked(id)].filters.comms.empty() && access(gate_.c_str(), F_OK) != 0)
    throw Problem("filter 'comms' is not available for this MPI",
                  "building Cairn where this MPI's compiler wrapper is");
}

/// With the filter any level from 1 on switches it on; what tools want by themselves is what the standard requests.
bool Switching::Filtered::is_turned_by(int level) const {
  return obeys_levels && level >= 0 && (level <= 1 || filters.pcontrol);
}

void Switching::apply(Layer& layer, bool obeys_levels) {
  Filtered& filtered = layers_[place_asked(layer.id())];
  const Filters& filters = filtered.filters;
  filtered.obeys_levels = filters.pcontrol.value_or(obeys_levels && filters.phases.empty());
  if (filters.restricts) choose_functions(layer, filtered);
  if (filters.hears.otherwise) layer.choose(mpi_.functions().find("MPI_Pcontrol"), Sees::never);
  layer.set_off(Off::by_rank, !filters.ranks.empty() && (needs_rank_ || !filters.admits_rank(job_rank())));
  layer.set_off(Off::by_time, filters.from > Filters::Time::zero() || filters.until == Filters::Time::zero());
  layer.set_off(Off::by_phase, !filters.admits_phase(first_level));
  layer.set_off(Off::by_switch, !filters.active);
  layer.set_off(Off::by_region, !filters.admits_regions({}));
  if (filters.comms.empty()) return;
  for (const std::string& comm : filters.comms) filtered.comms.push_back(comm.c_str());
  loader_.add_gate(layer, gate_, filtered.comms);
}

void Switching::choose_functions(Layer& layer, const Filtered& filtered) const {
  const Functions& all = mpi_.functions();
  std::vector<std::string_view> wrapped;
  for (std::size_t i = 0; i < all.count(); ++i) {
    const auto function = static_cast<FunctionIndex>(i);
    if (layer.wrapper(function) == nullptr) continue;
    const std::string_view name = all.name(function);
    wrapped.push_back(name);
    if (filtered.filters.admits_function(name)) continue;
    if (all.usually_seen()[function] == Sees::always) layer.choose(function, Sees::never);
    else layer.keep(function);
  }
  constexpr const char* remedy = "cairn check --functions for what it wraps";
  if (!filtered.filters.can_affect(wrapped))
    return warn_(
        "tool '" + filtered.tool + "': its filters have no effect: all functions that it wraps reach it always",
        remedy);
  for (const std::string& glob : filtered.filters.useless_globs(wrapped))
    warn_("tool '" + filtered.tool + "': filter '" + glob + "' matches no function that it wraps", remedy);
  if (const long size = job_size(); size > 0 && !filtered.filters.admits_rank_below(size))
    warn_("tool '" + filtered.tool + "': none of the ranks of its filter is in this job of " + std::to_string(size),
          "ranks below " + std::to_string(size));
}

void Switching::begin(std::function<void()> in_child) {
  bool pcontrol = delivers_to_each_ || lets_address_layers_;
  for (std::size_t place = 0; place < layers_.size(); ++place) {
    const Filters& filters = layers_[place].filters;
    some_choose_regions_ = some_choose_regions_ || filters.chooses_regions();
    pcontrol = pcontrol || layers_[place].obeys_levels || !filters.phases.empty() || some_choose_regions_;
    if (filters.from < filters.until) switch_at(asked_layer(place), filters.from, false);
    switch_at(asked_layer(place), filters.until, true);
    if (filters.signal != 0 && thread_.on_signal(filters.signal, [this](int signal) { hear_signal(signal); }))
      warn_("tool '" + layers_[place].tool +
                "': the program has a handler of its own for the signal of filter 'signal'; "
                "both hear it",
            "another signal");
  }
  if (pcontrol)
    stack_.observe(mpi_.functions().find("MPI_Pcontrol"), reinterpret_cast<void*>(cairn_pcontrol_entry),
                   &cairn_pcontrol_next);
  if (!thread_.start(std::move(in_child)))
    warn_("no layer is switched by time or signal: the system cannot create another thread",
          "a higher limit (ulimit -u)");
}

void Switching::switch_at(LayerId id, Filters::Time when, bool off) {
  if (when <= Filters::Time::zero() || when == Filters::Time::max()) return;
  thread_.at(when, [this, id, off] {
    update([=](Layer& layer, const Filtered&) {
      if (layer.id() == id) layer.set_off(Off::by_time, off);
    });
  });
}

/// Calls decide(Layer&, const Filtered&) for each layer that the user asked for.
template <class Decide>
void Switching::update(Decide decide) {
  stack_.update([&](Layer& layer) {
    if (const std::size_t place = place_asked(layer.id()); place < layers_.size()) decide(layer, layers_[place]);
  });
}

void Switching::know_rank(long rank) {
  update([=](Layer& layer, const Filtered& filtered) {
    layer.set_off(Off::by_rank, !filtered.filters.admits_rank(rank));
  });
}

void Switching::hear_pcontrol(int level, const char* more) {
  if (level == CAIRN_REGION_BEGIN || level == CAIRN_REGION_END)  // names a part of the program, no level
    return hear_region(level == CAIRN_REGION_BEGIN, more);
  const bool concerns_any = std::ranges::any_of(layers_, [level](const Filtered& filtered) {
    return filtered.is_turned_by(level) || !filtered.filters.phases.empty();
  });
  if (!concerns_any) return;
  update([=](Layer& layer, const Filtered& filtered) {
    layer.set_off(Off::by_phase, !filtered.filters.admits_phase(level));
    if (filtered.is_turned_by(level)) layer.set_off(Off::by_switch, level == 0);
  });
}

namespace {

/// As cairn::Regions does (kit/regions.hpp): an end ends what is open inside too, one without a beginning nothing.
void turn_region(std::vector<std::string>& open, bool begins, const char* name) {
  if (begins && name != nullptr) {
    open.push_back((open.empty() ? "" : open.back() + "/") + name);
  } else if (!begins) {
    const auto is_it = [name](const std::string& path) {
      if (name == nullptr) return true;
      const std::string last = path.substr(path.rfind('/') + 1);
      return last == name || (std::string_view(name).ends_with('=') && last.starts_with(name));
    };
    const auto last = std::find_if(open.rbegin(), open.rend(), is_it);
    if (last != open.rend()) open.erase(last.base() - 1, open.end());
  }
}

}  // namespace

void Switching::hear_region(bool begins, const char* name) {
  if (!some_choose_regions_) return;
  std::vector<std::string> open;
  bool is_turned = false;
  update([&](Layer& layer, const Filtered& filtered) {
    if (!std::exchange(is_turned, true)) {
      turn_region(regions_[pthread_self()], begins, name);
      std::erase_if(regions_, [](const auto& thread) { return thread.second.empty(); });
      for (const auto& [thread, paths] : regions_) open.insert(open.end(), paths.begin(), paths.end());
    }
    layer.set_off(Off::by_region, !filtered.filters.admits_regions(open));
  });
}

void Switching::hear_signal(int signal) {
  update([=](Layer& layer, const Filtered& filtered) {
    if (filtered.filters.signal == signal) layer.set_off(Off::by_switch, !layer.is_off(Off::by_switch));
  });
}

}  // namespace cairn
