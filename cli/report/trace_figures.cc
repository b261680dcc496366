// SPDX-License-Identifier: BSD-3-Clause
// trace_figures.cc - adding up traces as the tools profile and comm add up calls while they run

#include "cli/report/trace_figures.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>

#include "cli/report/categories.hpp"
#include "cli/trace/call_text.hpp"
#include "formats/ranks.hpp"
#include "trace/events.hpp"

namespace cairn::report {

namespace {

using cli::ProcessTrace;
using cli::RunTraces;
using formats::profile::Amounts;
using formats::profile::OverRanks;

constexpr const char* last_function = "MPI_Finalize";  // is counted, not timed, as the tool does it

std::size_t width_of(std::uint64_t number) { return static_cast<std::size_t>(std::bit_width(number)); }

// ------------------------------------------------------------ one rank

struct Figures {
  std::uint64_t calls = 0;
  std::uint64_t in_vain = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::int64_t ns = 0;
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  std::array<std::uint64_t, 65> by_time{};
  std::array<std::uint64_t, 65> by_size{};

  void add(const Figures& other) {
    calls += other.calls;
    in_vain += other.in_vain;
    sent += other.sent;
    received += other.received;
    ns += other.ns;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    for (std::size_t i = 0; i < by_time.size(); ++i) by_time[i] += other.by_time[i];
    for (std::size_t i = 0; i < by_size.size(); ++i) by_size[i] += other.by_size[i];
  }
};

using Site = std::pair<std::uint16_t, std::uint64_t>;
/// To a rank of the world, or what was fetched from it: messages by the width of their size.
using Sent = std::map<int, std::map<std::size_t, formats::comm::Volume>>;
constexpr std::array told_kinds = {formats::comm::p2p, formats::comm::put, formats::comm::fetched};

class RankSums : public trace::EventSink {
 public:
  explicit RankSums(const ProcessTrace& process) : process_(process), file_(process.file) {}

  std::map<Site, Figures> sites;
  std::array<Sent, formats::comm::flow_kinds> sent;
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;  // beginning of MPI_Finalize, or the end of what is there
  std::size_t threads = 0;

  void enter(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override {
    if (open_.size() <= thread) open_.resize(thread + 1);
    threads = std::max(threads, open_.size());
    open_[thread].push_back({call.function, call.site});
    first = std::min(first, ns);
    const bool is_last = cli::name_of(file_, call) == last_function;
    last = std::max(last, is_last || call.exit == 0 ? ns : file_.nanoseconds(call.exit));
    count(call, is_last ? 0 : time_of(call));
    if ((call.flags & page::failed) != 0) return;
    add_collective(call);
    add_one_sided(call);
  }
  void leave(std::uint32_t thread, std::int64_t /*ns*/, const trace::Record& /*call*/) override {
    open_[thread].pop_back();
  }
  void message(std::uint32_t thread, std::int64_t ns, const trace::Message& message) override;
  /// What a persistent call describes counts when it is started, which is left out here.
  void moved(std::uint32_t /*thread*/, const trace::Record& call, trace::Moved bytes) override {
    if (file_.is(call, trace::is_to_be_started)) return;
    add_sent({call.function, call.site}, bytes.sent);
    sites[{call.function, call.site}].received += bytes.received;
    const trace::Object* const object = file_.object(call);
    if (object == nullptr || object->what != page::Object::window || file_.is_with_nobody(call)) return;
    if (bytes.sent != 0) add_flow(formats::comm::put, object->world_rank(call.peer), bytes.sent);
    add_flow(formats::comm::fetched, object->world_rank(call.peer), bytes.received);
  }

 private:
  std::int64_t time_of(const trace::Record& call) const {
    if (call.exit == 0) return 0;
    const std::uint64_t outside = file_.is(call, trace::is_test) ? trace::between_tests(call) : 0;
    return file_.nanoseconds(call.exit - outside) - file_.nanoseconds(call.entry);
  }
  void count(const trace::Record& call, std::int64_t ns);
  void add_collective(const trace::Record& call);
  void add_one_sided(const trace::Record& call);
  void add_sent(const Site& site, std::uint64_t bytes) {
    Figures& figures = sites[site];
    figures.sent += bytes;
    ++figures.by_size[width_of(bytes)];
  }
  int world_rank(const trace::Message& message) const;
  /// What a process sends to itself does not count.
  void add_flow(formats::comm::FlowKind kind, int partner, std::uint64_t bytes) {
    if (partner == process_.rank()) return;
    formats::comm::Volume& volume = sent[kind][partner][width_of(bytes)];
    ++volume.messages;
    volume.bytes += bytes;
  }

  const ProcessTrace& process_;
  const trace::File& file_;
  std::vector<std::vector<Site>> open_;  // by thread
};

/// A test may stand for several that asked in vain.
void RankSums::count(const trace::Record& call, std::int64_t ns) {
  Figures& figures = sites[{call.function, call.site}];
  const std::uint64_t calls = file_.is(call, trace::is_test) ? std::uint64_t{call.number} + 1 : 1;
  figures.calls += calls;
  if ((call.flags & page::in_vain) != 0) figures.in_vain += calls;
  figures.ns += ns;
  if (calls != 1) return;  // how long each took is not known
  figures.least = std::min(figures.least, ns);
  figures.most = std::max(figures.most, ns);
  ++figures.by_time[width_of(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)))];
}

/// Where all processes give and get the same amount, the arguments tell it, also with MPI_IN_PLACE.
void RankSums::add_collective(const trace::Record& call) {
  const trace::Object* const object = file_.object(call);
  if ((call.flags & page::same_for_all) == 0 || object == nullptr || object->remote_size != 0) return;
  if (file_.is(call, trace::is_to_be_started)) return;
  const std::string name = trace::without_large(cli::name_of(file_, call));
  const bool is_root = object->rank == call.peer;
  const bool is_bcast = name.ends_with("cast");
  const bool is_reduce = name.ends_with("educe") && (call.flags & page::has_root) != 0;
  const Site site{call.function, call.site};
  const std::uint64_t bytes = file_.bytes(call);
  if (!is_bcast || is_root) add_sent(site, bytes);
  if (is_bcast ? !is_root : is_reduce ? is_root : !name.ends_with("xscan") || object->rank != 0)
    sites[site].received += bytes;
}

/// But what returns old values, whose amounts are recorded.
void RankSums::add_one_sided(const trace::Record& call) {
  const trace::Object* const object = file_.object(call);
  const bool is_meant = (call.flags & page::has_peer) != 0 && (call.flags & page::has_count) != 0;
  if (!is_meant || object == nullptr || object->what != page::Object::window || file_.is_with_nobody(call)) return;
  const std::string name = trace::without_large(cli::name_of(file_, call));
  if (name.starts_with("MPI_Put") || name.starts_with("MPI_Rput") || name.starts_with("MPI_Accumulate") ||
      name.starts_with("MPI_Raccumulate")) {
    add_sent({call.function, call.site}, file_.bytes(call));
    add_flow(formats::comm::put, object->world_rank(call.peer), file_.bytes(call));
  } else if (!name.ends_with("accumulate")) {
    sites[{call.function, call.site}].received += file_.bytes(call);
    add_flow(formats::comm::fetched, object->world_rank(call.peer), file_.bytes(call));
  }
}

/// -1: of another job, or unknown.
int RankSums::world_rank(const trace::Message& message) const {
  const trace::Object* const object = file_.definitions().objects.find(message.object);
  return object == nullptr ? -1 : object->world_rank(message.peer);
}

void RankSums::message(std::uint32_t thread, std::int64_t /*ns*/, const trace::Message& message) {
  const Site now = open_[thread].back();
  switch (message.what) {
    case trace::Transfer::send:
    case trace::Transfer::begin_send: {
      add_sent(now, message.bytes);
      return add_flow(formats::comm::p2p, world_rank(message), message.bytes);
    }
    case trace::Transfer::receive:
      sites[now].received += message.bytes;
      return;
    case trace::Transfer::end_receive:
      sites[{message.call->function, message.call->site}].received += message.bytes;
      return;
    default:
      return;
  }
}

// ------------------------------------------------------------ all ranks

formats::profile::Bins bins_of(const std::array<std::uint64_t, 65>& counts, double unit) {
  formats::profile::Bins bins;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) bins.emplace_back(std::ldexp(unit, static_cast<int>(i)), counts[i]);
  return bins;
}

OverRanks over_ranks(const std::map<int, double>& values, int ranks) {
  OverRanks over;
  for (const auto& [rank, value] : values) {
    over.total += value;
    over.max = std::max(over.max, value);
    over.min = rank == values.begin()->first ? value : std::min(over.min, value);
  }
  if (values.size() < static_cast<std::size_t>(ranks)) over.min = 0;
  over.mean = ranks > 0 ? over.total / ranks : 0;
  return over;
}

/// One function, or one call site, over the ranks.
class Sum {
 public:
  void add(int rank, const Figures& figures) {
    by_rank_[rank].add(figures);
    all_.add(figures);
  }
  void put(Amounts& amounts, int ranks) const {
    std::map<int, double> times;
    for (const auto& [rank, figures] : by_rank_) {
      times[rank] = 1e-9 * static_cast<double>(figures.ns);
      amounts.calls_max = std::max(amounts.calls_max, figures.calls);
    }
    amounts.calls = all_.calls;
    amounts.in_vain = all_.in_vain;
    amounts.bytes_sent = all_.sent;
    amounts.bytes_received = all_.received;
    amounts.time = over_ranks(times, ranks);
    amounts.least = all_.least == INT64_MAX ? 0 : 1e-9 * static_cast<double>(all_.least);
    amounts.most = 1e-9 * static_cast<double>(all_.most);
    amounts.ranks = static_cast<int>(times.size());
    amounts.slowest_rank = std::ranges::max_element(times, {}, [](const auto& one) { return one.second; })->first;
    amounts.by_time = bins_of(all_.by_time, 1e-9);
    amounts.by_size = bins_of(all_.by_size, 1);
  }

 private:
  std::map<int, Figures> by_rank_;
  Figures all_;
};

void sort_by_time(auto& all) {
  std::ranges::stable_sort(all, std::greater<>(), [](const auto& one) { return one.time.total; });
}

class Adder {
 public:
  Adder(TraceFigures& made, where::Places& places) : made_(made), places_(places) {}

  void add(const ProcessTrace& process);
  void finish();

 private:
  using Place = std::tuple<std::string, std::string, std::uint64_t>;  // function, object, offset
  void add_messages(const ProcessTrace& process, const RankSums& sums);

  TraceFigures& made_;
  where::Places& places_;
  std::map<std::string, Sum> functions_;
  std::map<Place, Sum> sites_;
  std::map<Place, formats::SourcePosition> known_;
  std::map<int, double> run_, mpi_, start_, own_;
};

void Adder::add(const ProcessTrace& process) {
  RankSums sums(process);
  trace::Player(process.file, sums).play();
  const int rank = process.rank();
  double in_mpi = 0;
  for (const auto& [site, figures] : sums.sites) {
    trace::Record call{};
    call.function = site.first;
    const std::string name = cli::name_of(process.file, call);
    const formats::SourcePosition& where = places_.of(process.mapped, site.second);
    const Place place{name, where.object, where.offset};
    known_.try_emplace(place, where);
    functions_[name].add(rank, figures);
    sites_[place].add(rank, figures);
    const double time = 1e-9 * static_cast<double>(figures.ns);
    in_mpi += time;
    part_of(made_.profile.split, spent_in(name)) += time;
    if (name.starts_with("MPI_Init")) start_[rank] += time;
  }
  if (sums.first > sums.last) return;
  const double whole = 1e-9 * static_cast<double>(sums.last - sums.first);
  run_[rank] = whole;
  mpi_[rank] = in_mpi;
  own_[rank] = std::max(whole - in_mpi, 0.0);
  made_.profile.threads = std::max(made_.profile.threads, static_cast<int>(sums.threads));
  add_messages(process, sums);
}

void Adder::add_messages(const ProcessTrace& process, const RankSums& sums) {
  for (const formats::comm::FlowKind kind : told_kinds)
    for (const auto& [partner, by_size] : sums.sent[kind]) {
      formats::comm::Flow flow;
      flow.from = kind == formats::comm::fetched ? partner : process.rank();
      flow.to = kind == formats::comm::fetched ? process.rank() : partner;
      for (const auto& [width, volume] : by_size) {
        flow.add(volume);
        flow.sizes.push_back({static_cast<std::uint8_t>(width), volume.messages});
      }
      made_.comm.phases.front().flows[kind].push_back(std::move(flow));
    }
}

void Adder::finish() {
  formats::profile::Summary& profile = made_.profile;
  for (const auto& [name, sum] : functions_) {
    profile.functions.emplace_back().name = name;
    sum.put(profile.functions.back(), profile.ranks);
  }
  for (const auto& [place, sum] : sites_) {
    formats::profile::CallSiteSummary& site = profile.sites.emplace_back();
    site.function = std::get<0>(place);
    site.place = known_[place];
    sum.put(site, profile.ranks);
  }
  sort_by_time(profile.functions);
  sort_by_time(profile.sites);
  profile.run_time = over_ranks(run_, profile.ranks);
  profile.mpi_time = over_ranks(mpi_, profile.ranks);
  profile.start_time = over_ranks(start_, profile.ranks);
  profile.own_time = over_ranks(own_, profile.ranks);
  const auto busiest = std::ranges::max_element(own_, {}, [](const auto& one) { return one.second; });
  if (busiest != own_.end()) profile.busiest_rank = busiest->first;
}

}  // namespace

TraceFigures figures_of(const RunTraces& run, where::Places& places) {
  constexpr int most_ranks = 1 << 20;
  TraceFigures made;
  made.comm.phases.emplace_back();
  const trace::Process& first = run.processes.front()->file.process();
  made.profile.program = made.comm.program = first.program;
  std::map<std::string, std::vector<int>> nodes;
  for (const auto& process : run.processes) {
    made.profile.ranks =
        std::max({made.profile.ranks, std::min(process->file.process().size, most_ranks), process->rank() + 1});
    nodes[process->file.process().host].push_back(process->rank());
  }
  made.comm.ranks = made.profile.ranks;
  for (auto& [host, ranks] : nodes) made.comm.nodes.push_back({host, std::move(ranks)});
  Adder adder(made, places);
  for (const auto& process : run.processes) adder.add(*process);
  adder.finish();
  return made;
}

}  // namespace cairn::report
