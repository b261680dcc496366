// SPDX-License-Identifier: BSD-3-Clause
// topology.cc - edges are gathered on the communicator's rank 0, which finds better ranks; then all make what the program
// asked for on a communicator in that order

#include "topology.hpp"

#include <climits>
#include <cstdint>
#include <new>
#include <numeric>

#include "base/processes.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/page.hpp"
#include "placing.hpp"

namespace reorder {

namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

void add(Edges& edges, int from, int to, double weight, int vertices) {
  if (from >= 0 && to >= 0 && from < vertices && to < vertices && from != to && weight > 0)
    edges.push_back({from, to, weight});
}

/// What rank 0 must know before it can take a process's edges.
struct Header {
  Whereabouts place;
  int edges = 0;
  int is_measured = 0;
  int is_good = 0;
};

Whereabouts own_whereabouts() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  return {cairn::page::hash_of(name), parts_with(cairn::own_processors(), "/sys/devices/system")};
}

/// On rank 0; each step that could fail comes before the call in which all take part.
class Gathering {
 public:
  Gathering(MPI_Comm comm, Header own, Edges edges) : comm_(comm), own_(own), edges_(std::move(edges)) {}

  /// The new ranks on all processes; empty if they stay.
  std::vector<int> better() try {
    std::vector<int> ranks(static_cast<std::size_t>(size_of(comm_)));
    if (is_root()) headers_.resize(ranks.size());
    PMPI_Gather(&own_, sizeof own_, MPI_BYTE, headers_.data(), sizeof own_, MPI_BYTE, 0, comm_);
    if (!agreed(is_root() && can_take_edges())) return {};
    PMPI_Gatherv(edges_.data(), bytes(own_.edges), MPI_BYTE, all_.data(), lengths_.data(), places_.data(), MPI_BYTE, 0,
                 comm_);
    if (!agreed(is_root() && find(ranks))) return {};
    PMPI_Bcast(ranks.data(), static_cast<int>(ranks.size()), MPI_INT, 0, comm_);
    return ranks;
  } catch (const std::bad_alloc&) {
    return {};
  }

 private:
  using Edge = cairn::formats::MatrixEntry;

  bool is_root() const { return rank_in(comm_) == 0; }
  static int bytes(int edges) { return edges * static_cast<int>(sizeof(Edge)); }
  bool agreed(bool goes_on) const {
    int number = goes_on ? 1 : 0;
    PMPI_Bcast(&number, 1, MPI_INT, 0, comm_);
    return number != 0;
  }

  bool can_take_edges() try {
    std::size_t sum = 0;
    bool is_measured = false;
    for (const Header& header : headers_) {
      is_measured = is_measured || header.is_measured != 0;
      if (header.is_good == 0) return false;
      places_.push_back(static_cast<int>(sum * sizeof(Edge)));
      lengths_.push_back(bytes(header.edges));
      sum += static_cast<std::size_t>(header.edges);
      if (sum > INT_MAX / sizeof(Edge)) return false;
    }
    counts_all_ = !is_measured;
    all_.resize(sum);
    return headers_.size() <= most_processes;
  } catch (const std::bad_alloc&) {
    return false;
  }

  bool find(std::vector<int>& ranks) try {
    Edges counted;
    std::vector<Whereabouts> places;
    auto at = all_.begin();
    for (const Header& header : headers_) {
      places.push_back(header.place);
      if (counts_all_ || header.is_measured != 0) counted.insert(counted.end(), at, at + header.edges);
      at += header.edges;
    }
    const std::vector<int> better = better_ranks(places, std::move(counted));
    if (!better.empty()) ranks = better;
    return !better.empty();
  } catch (const std::exception&) {
    return false;
  }

  MPI_Comm comm_;
  Header own_;
  Edges edges_;
  std::vector<Header> headers_;
  std::vector<int> lengths_;
  std::vector<int> places_;
  Edges all_;
  bool counts_all_ = true;
};

}  // namespace

std::optional<Edges> edges_of_grid(MPI_Comm comm, int dimensions, const int* sizes, const int* periods) {
  const cairn::OwnWork own;
  std::int64_t all = 1;
  for (int i = 0; i < dimensions; ++i) {
    all *= sizes[i];
    if (sizes[i] < 1 || all > size_of(comm)) return std::nullopt;
  }
  const int vertices = static_cast<int>(all);
  const int rank = rank_in(comm);
  Edges edges;
  int stride = 1;
  for (int i = dimensions; rank < vertices && i-- > 0; stride *= sizes[i]) {
    const int place = rank / stride % sizes[i];
    if (place + 1 < sizes[i]) add(edges, rank, rank + stride, 1, vertices);
    else if (periods[i] != 0) add(edges, rank, rank - place * stride, 1, vertices);
  }
  return edges;
}

std::optional<Edges> edges_of_graph(MPI_Comm comm, int vertices, const int* index, const int* neighbors) {
  const cairn::OwnWork own;
  if (vertices < 0 || vertices > size_of(comm)) return std::nullopt;
  Edges edges;
  for (int vertex = 0, at = 0; vertex < vertices && rank_in(comm) == 0; ++vertex)
    for (; at < index[vertex]; ++at) add(edges, vertex, neighbors[at], 1, vertices);
  return edges;
}

std::optional<Edges> edges_of_distributed_graph(MPI_Comm comm, int sources, const int* source, const int* degrees,
                                                const int* destinations, const int* weights) {
  const cairn::OwnWork own;
  const bool is_weighted = weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
  Edges edges;
  int at = 0;
  if (sources < 0) return std::nullopt;
  for (int i = 0; i < sources; ++i) {
    if (degrees[i] < 0) return std::nullopt;
    for (const int end = at + degrees[i]; at < end; ++at)
      add(edges, source[i], destinations[at], is_weighted ? weights[at] : 1, size_of(comm));
  }
  return edges;
}

namespace {

std::vector<int> better_ranks_of(MPI_Comm comm, const std::vector<int>& processes, std::optional<Edges> edges,
                                 const Measured& measured) {
  const cairn::OwnWork own;
  Header header{own_whereabouts(), 0, 0, edges ? 1 : 0};
  const std::vector<double> bytes = measured.bytes(processes);
  if (edges && !bytes.empty()) {
    edges->clear();
    header.is_measured = 1;
    const auto size = static_cast<int>(bytes.size());
    for (int to = 0; to < size; ++to) add(*edges, rank_in(comm), to, bytes[static_cast<std::size_t>(to)], size);
  }
  if (edges) header.edges = static_cast<int>(edges->size());
  return Gathering(comm, header, std::move(edges).value_or(Edges{})).better();
}

}  // namespace

/// The call that makes it is no tool's: tools beneath will see the program's call on it.
Reordered reorder_processes(MPI_Comm comm, const std::vector<int>& processes, std::optional<Edges> edges,
                            const Measured& measured) {
  Reordered reordered;
  reordered.ranks = better_ranks_of(comm, processes, std::move(edges), measured);
  if (reordered.ranks.empty()) return reordered;
  const int rank = [&] {
    const cairn::OwnWork own;
    return rank_in(comm);
  }();
  PMPI_Comm_split(comm, 0, reordered.ranks[static_cast<std::size_t>(rank)], &reordered.comm);
  return reordered;
}

ExchangedAdjacency::ExchangedAdjacency(const Reordered& reordered, const Adjacency& own) {
  const cairn::OwnWork own_work;
  const int rank = rank_in(reordered.comm);
  // By the old ranks, which are those of the graph: this process was the one to tell what the process needs that has its
  // old rank now.
  int before = 0;
  while (reordered.ranks[static_cast<std::size_t>(before)] != rank) ++before;
  const int from = reordered.ranks[static_cast<std::size_t>(rank)];
  const bool is_weighted = own.source_weights != MPI_UNWEIGHTED && own.destination_weights != MPI_UNWEIGHTED;
  std::vector<int> told(own.sources, own.sources + own.in);
  told.insert(told.end(), own.destinations, own.destinations + own.out);
  if (is_weighted && own.in > 0) told.insert(told.end(), own.source_weights, own.source_weights + own.in);
  if (is_weighted && own.out > 0) told.insert(told.end(), own.destination_weights, own.destination_weights + own.out);
  const int sizes[] = {own.in, own.out, is_weighted ? 1 : 0};
  int others[] = {0, 0, 0};
  PMPI_Sendrecv(sizes, 3, MPI_INT, before, 0, others, 3, MPI_INT, from, 0, reordered.comm, MPI_STATUS_IGNORE);
  in_ = others[0];
  out_ = others[1];
  is_weighted_ = others[2] != 0;
  numbers_.resize(static_cast<std::size_t>(in_ + out_) * (is_weighted_ ? 2 : 1));
  PMPI_Sendrecv(told.data(), static_cast<int>(told.size()), MPI_INT, before, 0, numbers_.data(),
                static_cast<int>(numbers_.size()), MPI_INT, from, 0, reordered.comm, MPI_STATUS_IGNORE);
}

Adjacency ExchangedAdjacency::get() const {
  const int* const at = numbers_.data();
  const int* const weights = at + in_ + out_;
  if (!is_weighted_) return {in_, at, MPI_UNWEIGHTED, out_, at + in_, MPI_UNWEIGHTED};
  return {in_, at, in_ > 0 ? weights : MPI_WEIGHTS_EMPTY, out_, at + in_, out_ > 0 ? weights + in_ : MPI_WEIGHTS_EMPTY};
}

}  // namespace reorder
