// SPDX-License-Identifier: BSD-3-Clause
// calls.cc - finding the entries of a call, and adding them up at the end

#include "calls.hpp"

#include "shared/object_place.hpp"

namespace profile {

const void* Calls::enter_noted(Thread& mine, UnderWay& call, cairn::NotedCall& noted, const void* frame) {
  notes_.enter(mine.notes, noted, call.caller(), frame,
               [&](cairn::NotedCall& found) { return mine.walk.find_caller(callers_, found.caller, found.frame); });
  call.key = Sites::key_of(call.function(), reinterpret_cast<std::uintptr_t>(noted.caller));
  mine.enter(call, noted.begin);
  return noted.frame;
}

const CachedSite& Calls::count_elsewhere(Thread& mine, const UnderWay& call, std::uint64_t end, On on,
                                         const void* frame) try {
  const std::uint64_t bits = on.bits;
  if (const CachedSite& known = mine.cache().second(call.key, bits); known.is_of(call.key, bits)) {
    add(known, end - call.begin);
    return known;
  }
  if (mine.is_stale()) {
    mine.refresh(regions_.current(mine.regions), call.begin);
    notes_.begin(mine.notes);
  }
  SiteCache& cache = mine.part().cache;
  CachedSite& first = cache.first(call.key, bits);
  CachedSite& found = first.key == 0 ? first : cache.second(call.key, bits);
  CachedSite made{0, bits, &site(mine, call, frame), &mine.on_communicator(on.comm, communicators_)};
  // It is found again only where its return address alone makes the call site.
  if (depth_ == 0 || (depth_ == 1 && made.site->kind == Site::direct)) made.key = call.key;
  found = made;
  add(found, end - call.begin);
  return found;
} catch (const std::bad_alloc&) {
  const CachedSite& lost = mine.lost();
  add(lost, end - call.begin);
  return lost;
}

Site& Calls::site(Thread& mine, const UnderWay& call, const void* frame) {
  Sites& sites = mine.part().sites;
  if (depth_ == 0) return sites.at(call.function(), 0);
  if (depth_ == 1) {
    const void* const caller = call.caller();
    Site& site = sites.at(call.function(), Sites::place_of(call.key), {&caller, 1});
    if (kind_of(site, call.caller()) == Site::direct) return site;
  }
  const Chain chain = mine.walk.walk(callers_, call.caller(), frame, depth_);
  return sites.at(call.function(), mine.chains.number(chain), {chain.addresses.data(), chain.length});
}

/// Found out when the site is met for the first time.
Site::Kind Calls::kind_of(Site& site, const void* caller) const {
  if (site.kind == Site::unknown)
    site.kind = callers_ == nullptr || callers_->is_program(caller) ? Site::direct : Site::indirect;
  return site.kind;
}

void Calls::make_all_stale() {
  threads_.for_each([](Thread& thread) { thread.make_stale(); });
}

void Calls::forget(MPI_Comm comm) {
  communicators_.forget(comm);
  make_all_stale();
}

void Calls::change_region(const cairn::Call<cairn::Function::MPI_Pcontrol_>& call, Thread& mine) {
  const int level = arg<cairn::Role::level>(call);
  if (regions_.hear(call, mine.regions))
    threads_.for_each([&mine](Thread& thread) {
      if (&thread != &mine) thread.make_stale();
    });
  if (level == cairn::flush_level) return;
  Part& part = mine.part(regions_.current(mine.regions));
  if (level != CAIRN_REGION_END) ++part.visits;
}

// ------------------------------------------------------------ what it has come to

std::uint64_t Calls::sum(Figure CommFigures::*figure) {
  std::uint64_t total = 0;
  threads_.for_each([&](const Thread& thread) { total += thread.sum(figure); });
  return total;
}

void Calls::describe_threads(Summary& summary) {
  threads_.for_each([&](const Thread& thread) {
    if (thread.sum(&CommFigures::calls) != 0) ++summary.threads;
    for (const Part& part : thread.parts()) summary.merged_calls += part.sites.merged_calls();
    summary.lost_calls += thread.lost_calls();
    summary.of_tools.calls += thread.of_tools.calls;
    summary.of_tools.bytes_sent += thread.of_tools.sent;
    summary.of_tools.time += run_clock.seconds(thread.of_tools.ticks);
  });
}

RankFigures Calls::figures(const std::string& program) {
  RankFigures all(program);
  threads_.for_each([&](Thread& thread) { add_thread(all, thread); });
  communicators_.for_each([&](shared::Communicators::Number, const shared::CommGroup& group, std::uint64_t count) {
    if (count != 0) all.add_communicators(group, count);
  });
  for (const CallUnderWay& call : under_way()) {
    Figures figures;
    figures.add(call.ticks);
    all.add_function(call.function, figures);
    if (depth_ != 0) all.add_site(call.function, call.chain, figures);
  }
  return all;
}

std::vector<Calls::CallUnderWay> Calls::under_way() {
  std::vector<CallUnderWay> calls;
  const std::uint64_t now = ticks_now();
  threads_.for_each([&](const Thread& thread) {
    const UnderWay* const call = thread.inside.load(std::memory_order_acquire);
    if (call == nullptr) return;
    const UnderWay seen = *call;  // the thread may be on its way out of it
    if (static_cast<std::size_t>(seen.function()) >= cairn::function_count || seen.begin > now) return;
    if (seen.function() == cairn::Function::MPI_Abort_) return;  // which is how it ends
    Chain chain;
    chain.addresses[chain.length++] = seen.caller();
    calls.push_back({seen.function(), chain, now - seen.begin});
  });
  return calls;
}

std::vector<InCall> Calls::in_calls(const std::string& program) {
  std::vector<InCall> calls;
  for (const CallUnderWay& call : under_way()) {
    InCall& one = calls.emplace_back();
    one.function = cairn::facts(call.function).name;
    one.time = run_clock.seconds(call.ticks);
    shared::ObjectPlace place = shared::object_place(call.chain.addresses[0], program);
    one.place.object = std::move(place.path);
    one.place.offset = place.offset;
  }
  return calls;
}

namespace {

Figures figures_of(const CommFigures& communicator) {
  Figures figures;
  figures.calls = communicator.calls;
  figures.ticks = communicator.ticks;
  figures.sent = communicator.sent;
  figures.received = communicator.received;
  return figures;
}

}  // namespace

void Calls::add_thread(RankFigures& all, Thread& thread) {
  thread.settle(ticks_now());
  for (const Part& part : thread.parts()) {
    const std::string path = regions_.path(part.region);
    all.add_visits(path, part.visits, part.ticks);
    for (const auto& entry : part.sites.all()) {
      const Site& site = *entry;
      if (site.figures.calls == 0 && site.figures.transfers.completed == 0) continue;  // only led further up
      all.add_function(site.function, site.figures);
      if (depth_ != 0) all.add_site(site.function, thread.chains.chain_of(site.place), site.figures);
      all.add_region(path, site.function, site.figures);
    }
  }
  communicators_.for_each([&](shared::Communicators::Number number, const shared::CommGroup& group, std::uint64_t) {
    if (const CommFigures* const on = thread.on(number)) all.add_communicator(group, figures_of(*on));
  });
}

}  // namespace profile
