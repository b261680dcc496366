// SPDX-License-Identifier: BSD-3-Clause
// checks.cc - a tool that holds what the services say against what is known: the MPI library's answers, and tags that
// the test programs choose so that they tell (the receiver's world rank; which receive it is)

#include <mpi.h>

#include <atomic>
#include <cstdio>

#include "cairn/kit.hpp"
#include "cairn/kit/per_request.hpp"
#include "cairn/kit/ranks.hpp"
#include "cairn/services/call_notes.hpp"
#include "cairn/services/callers.hpp"
#include "cairn/services/datatypes.hpp"
#include "cairn/services/frees.hpp"
#include "cairn/services/ranks.hpp"
#include "cairn/services/recorder.hpp"
#include "cairn/services/run.hpp"
#include "cairn/services/symbols.hpp"
#include "cairn/services/thread_slots.hpp"
#include "cairn/services/will.hpp"

using cairn::Role;

// A structure that changes needs another version: change both here.
template <class Service>
constexpr bool is_version(unsigned version, std::size_t functions) {
  return Service::version == version && sizeof(Service) == functions * sizeof(void*);
}
static_assert(is_version<cairn::Callers>(2, 1));
static_assert(is_version<cairn::CallNotes>(1, 4));
static_assert(is_version<cairn::Datatypes>(1, 1));
static_assert(is_version<cairn::Frees>(1, 3));
static_assert(is_version<cairn::Job>(3, 9));
static_assert(is_version<cairn::Ranks>(1, 4));
static_assert(is_version<cairn::Requests>(2, 3));
static_assert(is_version<cairn::Results>(1, 1));
static_assert(is_version<cairn::Recorder>(8, 12));
static_assert(is_version<cairn::Run>(3, 3));
static_assert(is_version<cairn::Symbols>(3, 3));
static_assert(is_version<cairn::ThreadSlots>(1, 2));
static_assert(is_version<cairn::ToolCalls>(1, 1));
static_assert(is_version<cairn::Will>(2, 4));

class Checks {
 public:
  static constexpr std::string_view about = "checks services";
  static constexpr bool wants_status = true;
  using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Ranks, cairn::Requests>;
  struct Message {
    int tag;
    bool receives;
#ifdef LARGE
    std::array<char, 100> more;  // than the service keeps itself
#endif
  };

  explicit Checks(cairn::Self self)
      : self_(self),
        datatypes_(self.need<cairn::Datatypes>()),
        ranks_(self.need<cairn::Ranks>()),
        messages_(self, *this) {}

  template <cairn::Function F>
  requires(cairn::has<F>(Role::new_request) ||
           (cairn::has<F>(Role::dest) && cairn::has<F>(Role::send_datatype))) int on(cairn::Call<F>& call) {
    if constexpr (cairn::has<F>(Role::dest) && cairn::has<F>(Role::send_datatype)) {
      check_size(arg<Role::send_datatype>(call));
      if constexpr (cairn::has<F>(Role::tag))
        check_rank(arg<Role::comm>(call), arg<Role::dest>(call), arg<Role::tag>(call));
    }
    const int result = call.proceed();
    if constexpr (cairn::has<F>(Role::new_request)) {
      Message message{};
      if constexpr (cairn::has<F>(Role::source) && cairn::has<F>(Role::tag)) {
        message.tag = arg<Role::tag>(call);
        message.receives = arg<Role::source>(call) != MPI_PROC_NULL && message.tag >= 2000;
      }
      if (result == MPI_SUCCESS) messages_.attach(call, message), ++attached_;
    }
    return result;
  }

  void completed(const Message& message, const MPI_Status* status) {
    ++completed_;
    if (message.receives && (status == nullptr || status->MPI_TAG != message.tag)) ++wrong_requests_;
  }
  void started(const Message& /*message*/) { ++started_; }

  void finish() {
    const cairn::World world(self_);
    const long numbers[] = {sizes_.load(),       wrong_sizes_.load(), outside_.load(),
                            ranks_asked_.load(), wrong_ranks_.load(), attached_.load(),
                            started_.load(),     completed_.load(),   wrong_requests_.load()};
    std::array<long, std::size(numbers)> sums{};
    std::copy(std::begin(numbers), std::end(numbers), sums.begin());
    world.sum(std::span(sums));
    if (world.rank() != 0) return;
    std::fprintf(
        stderr,
        "sizes %ld wrong %ld\noutside %ld ranks %ld wrong %ld\nattached %ld started %ld completed %ld wrong %ld\n",
        sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8]);
  }

 private:
  void check_size(MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    ++sizes_;
    for (int i = 0; i < 2; ++i)
      if (datatypes_.size(type) != static_cast<std::uint64_t>(size)) ++wrong_sizes_;
  }
  void check_rank(MPI_Comm comm, int dest, int tag) {
    if (tag >= 1000 || dest == MPI_PROC_NULL) return;
    const int world = ranks_.world_rank(comm, dest);
    if (world == cairn::Ranks::outside) ++outside_;
    else if (world != tag) ++wrong_ranks_;
    ++ranks_asked_;
  }

  cairn::Self self_;
  const cairn::Datatypes& datatypes_;
  const cairn::Ranks& ranks_;
  cairn::PerRequest<Message, Checks> messages_;
  std::atomic<long> sizes_ = 0, wrong_sizes_ = 0, outside_ = 0, ranks_asked_ = 0, wrong_ranks_ = 0;
  std::atomic<long> attached_ = 0, started_ = 0, completed_ = 0, wrong_requests_ = 0;
};

CAIRN_TOOL(Checks)
