// SPDX-License-Identifier: BSD-3-Clause
// samples.cc - samples of a timer between the calls of a thread

#include "waits/samples.hpp"

#include <algorithm>

namespace cairn::waits {

namespace {

/// By the system's number of a thread; the first one with calls for all that are unknown.
class Lanes {
 public:
  explicit Lanes(const RankRecords& records) : records_(records) {
    for (const ThreadCalls& thread : records.threads) {
      if (thread.count == 0) continue;
      if (first_ == nullptr) first_ = &thread;
      if (thread.id != 0) lanes_[thread.id] = &thread;
    }
  }

  /// The call before which the thread works then; none: it is in one, or before the first or after the last.
  Index call_after(std::int32_t thread, std::int64_t ns) const {
    const auto found = lanes_.find(thread);
    const ThreadCalls* const lane = found != lanes_.end() ? found->second : first_;
    if (lane == nullptr) return none;
    const auto begin = records_.calls.begin() + lane->first;
    const auto end = begin + lane->count;
    const auto next = std::ranges::upper_bound(begin, end, ns, {}, &Call::entry);
    if (next == begin || next == end || (next - 1)->exit > ns) return none;
    return static_cast<Index>(next - records_.calls.begin());
  }

 private:
  const RankRecords& records_;
  const ThreadCalls* first_ = nullptr;
  std::map<std::int32_t, const ThreadCalls*> lanes_;
};

}  // namespace

void locate(const trace::File& file, std::uint64_t address, Site& site) {
  site.offset = address;
  for (const trace::Mapped& mapped : file.definitions().mapped)
    if (address >= mapped.begin && address < mapped.end) {
      site.object = mapped.path;
      site.offset = address - mapped.bias;
    }
}

void add_samples(const trace::File& file, std::span<const TimedSample> samples, RankRecords& records) {
  const Lanes lanes(records);
  std::map<std::uint64_t, Index> places;
  std::map<std::pair<Index, Index>, SampleSums::Sum> sums;
  for (const TimedSample& sample : samples) {
    const Index call = lanes.call_after(sample.thread, file.nanoseconds(sample.ticks));
    if (call == none) continue;
    const auto [place, is_new] = places.try_emplace(sample.address, static_cast<Index>(records.sites.size()));
    if (is_new) locate(file, sample.address, records.sites.emplace_back());
    sums[{call, place->second}] += {sample.ns, 1};
  }
  for (const auto& [at, sum] : sums) records.samples.push_back({at.first, at.second, sum.samples, sum.ns});
}

void SampleSums::add(const Graph& graph) {
  for (const Sample& sample : graph.samples)
    if (!graph.is_first(sample.call))
      sums_[{work_before(graph, sample.call), graph.rank(sample.call)}][sample.site] += {sample.ns, sample.times};
}

std::map<Index, SampleSums::Sum> SampleSums::of(const std::map<Piece, double>& pieces,
                                                std::span<const int> ranks) const {
  std::map<Index, Sum> sums;
  for (const auto& [piece, cost] : pieces)
    for (const int rank : ranks)
      if (const auto found = sums_.find({piece, rank}); found != sums_.end())
        for (const auto& [site, sum] : found->second) sums[site] += sum;
  return sums;
}

}  // namespace cairn::waits
