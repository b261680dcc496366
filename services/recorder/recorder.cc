// SPDX-License-Identifier: BSD-3-Clause
// recorder.cc - records each call of the program that can wait, where other processes can read it

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>

#include "amounts.hpp"
#include "arguments.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/run_identity.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/kit/will.hpp"
#include "cairn/object_identity.hpp"
#include "cairn/services/callers.hpp"
#include "cairn/services/recorder.hpp"
#include "details.hpp"
#include "function_names.hpp"
#include "kinds.hpp"
#include "mapped.hpp"
#include "objects.hpp"
#include "page_file.hpp"
#include "partners.hpp"
#include "recording.hpp"
#include "request_notes.hpp"

namespace recorder {

namespace {

std::uint32_t ring_size = 4096;
bool with_details = false;
bool with_shares = false;
PageFile& file = *new PageFile;  // never destroyed: calls are recorded while the process ends

int keep_calls(std::uint64_t calls) {
  constexpr std::uint64_t most = 1U << 20U;
  if (calls > most) return 1;
  ring_size = std::max(ring_size, static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(calls, 2))));
  return 0;
}

char told_end[101];  // "": no tool ends this process

void tell_end(const char* how) { std::strncpy(told_end, how, sizeof told_end - 1); }

void tell_deaths(const std::int32_t* pids, std::uint32_t count, std::uint32_t watched) {
  if (file.header() == nullptr || file.header()->deaths.count.load() != 0) return;
  page::DeathsSeen& deaths = file.header()->deaths;
  std::copy_n(pids, std::min(count, page::DeathsSeen::most), deaths.pids);
  deaths.watched = watched;
  deaths.count.store(count, std::memory_order_release);
}

}  // namespace

class Recorder {
 public:
  static constexpr std::string_view about =
      "service: the last calls of each thread, for readers outside; used by other tools";
  using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Frees, cairn::Ranks, cairn::ToolCalls>;
  using Offers = cairn::ServiceList<cairn::Recorder>;

  explicit Recorder(cairn::Self self)
      : self_(self),
        callers_(self.find<cairn::Callers>()),
        notes_(self),
        run_(self),
        will_(self),
        ranks_(&self.need<cairn::Ranks>()),
        amounts_(self.need<cairn::Datatypes>(), *ranks_),
        objects_(*ranks_, self.need<cairn::Datatypes>(), self.need<cairn::Frees>()) {
    static constexpr cairn::Recorder offer{
        keep_calls,
        [] { with_details = true; },
        [] { with_shares = true; },
        [](cairn::RecordReader* reader) { Recording::add_reader(*reader); },
        [](std::uint64_t region, std::int32_t layer) { only_one_->tell_region(region, layer); },
        []() -> const page::PageHeader* { return file.header(); },
        [] { return file.path().c_str(); },
        [](std::uint32_t i) -> const page::Thread* { return file.thread(i); },
        [](std::uint32_t i) -> const page::Object* { return file.objects().find(i); },
        [](std::uint32_t i) -> const page::Datatype* { return file.datatypes().find(i); },
        tell_deaths,
        tell_end};
    only_one_ = this;
    pthread_atfork(nullptr, nullptr, [] { is_child_ = true; });
    self.publish(offer);
  }

  /// Inline: it is all of the wrapper, whose frame is asked for.
  template <Function F>
  requires(is_recorded<F>()) [[gnu::always_inline]] int on(cairn::Call<F>& call) {
    Recording& mine = recordings_.mine();
    if (!mine.is_ready()) [[unlikely]]
      if (!prepare(mine)) return pass_unrecorded(call);
    const StackPlace stack{call.caller(), __builtin_dwarf_cfa(), *static_cast<void**>(__builtin_frame_address(0))};
    const CallFacts facts = facts_of(call);
    Details<F> details(with_details, call);
    note_requests(requests_, mine, call);  // first, so that reading the clock hides its latency
    UnderWay under_way;
    if constexpr (is_frequent<F>()) begin_here<may_be_in_vain<F>()>(mine, under_way, facts, stack);
    else begin_shared(mine, under_way, facts, stack);
    before(call);
    const int result = call.proceed();
    if (result == MPI_SUCCESS) [[likely]] {
      after(mine, under_way.begun, call, facts);
      if constexpr (may_be_in_vain<F>())
        under_way.begun = mine.end_test(under_way.begun, facts.function, end_of(under_way), is_in_vain(call));
      else if constexpr (is_frequent<F>()) mine.end(under_way.begun, facts.function, end_of(under_way), 0);
      else end_shared(mine, under_way, facts.function, 0);
      details.tell(with_details, mine, under_way.begun, call, requests_);
      if constexpr (tells_amounts<F>())
        if (with_details) [[unlikely]]
          amounts_.tell(mine, under_way.begun, call, with_shares);
    } else {
      if (facts.number != 0) objects_.at(facts.object).numbers_differ = 1;
      end_shared(mine, under_way, facts.function, page::failed);
      details.tell_failed(with_details, mine, under_way.begun, result);
    }
    if constexpr (F == Function::MPI_Finalize_ || cairn::finalizes_session<F>()) finished(result);
    return result;
  }

  template <Function F>
  requires(readies_datatype<F>()) int on(cairn::Call<F>& call) {
    constexpr Role role = cairn::has<F>(Role::new_datatype) ? Role::new_datatype : Role::datatype_inout;
    const int result = call.proceed();
    if (result == MPI_SUCCESS && file.header() != nullptr) keep([&] { objects_.add_datatype(*arg<role>(call)); });
    return result;
  }
  int on(cairn::Call<Function::MPI_Type_free_>& call) {
    const MPI_Datatype* const type = arg<Role::datatype_inout>(call);
    if (type != nullptr && file.header() != nullptr) objects_.forget_type(*type);
    return call.proceed();
  }
  template <Function F>
  requires(F == Function::MPI_Comm_set_name_ || F == Function::MPI_Win_set_name_) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (result != MPI_SUCCESS || file.header() == nullptr) return result;
    if constexpr (cairn::has<F>(Role::comm)) objects_.rename_communicator(arg<Role::comm>(call));
    else objects_.rename_window(arg<Role::win>(call));
    return result;
  }

  /// Calls that tools make for themselves are not the program's.
  template <Function F>
  requires(is_recorded<F>()) int on_tools_call(cairn::Call<F>& call) { return call.proceed(); }

 private:
  // -------------------------------------------------------- a call

  struct UnderWay {
    Recording::Begun begun;
    cairn::NotedCall noted;
    bool is_noted;
  };

  template <bool may_be_in_vain>
  [[gnu::always_inline]] void begin_here(Recording& mine, UnderWay& call, const CallFacts& facts,
                                         const StackPlace& stack) {
    CallPlace place{stack, 0, 0};
    call.is_noted = mine.has_notes();
    if (call.is_noted) [[unlikely]] {
      place.site = mine.enter_noted(notes_, call.noted, stack.caller, stack.frame, callers_);
      place.moment = call.noted.begin;
    } else {
      place.site = mine.site_of(stack.caller, stack.frame, callers_);
    }
    if constexpr (may_be_in_vain) call.begun = mine.begin_test(facts, place);
    else call.begun = mine.begin(facts, place);
  }
  [[gnu::noinline]] void begin_shared(Recording& mine, UnderWay& call, const CallFacts& facts,
                                      const StackPlace& stack) {
    begin_here<false>(mine, call, facts, stack);
  }

  std::uint64_t end_of(const UnderWay& call) const {
    if (call.is_noted) [[unlikely]]
      return notes_.leave(call.noted);
    return cairn::ticks_now();
  }
  [[gnu::noinline]] void end_shared(Recording& mine, const UnderWay& call, std::uint16_t function,
                                    std::uint16_t flags) {
    mine.end(call.begun, function, end_of(call), flags);
  }

  // -------------------------------------------------------- before the call

  /// Of a thread that has no room in the page: rank, start and end in it are the process's all the same, and so are objects
  /// and how many collective calls there were on each.
  template <Function F>
  int pass_unrecorded(cairn::Call<F>& call) {
    if (file.header() == nullptr) return call.proceed();
    CallFacts facts;
    number(facts, call);
    before(call);
    const int result = call.proceed();
    if (result == MPI_SUCCESS) {
      if constexpr (makes_object<F>()) add_made(call, origin_of(call, facts));
      if constexpr (cairn::starts_mpi<F>()) started();
    } else if (facts.number != 0) {
      objects_.at(facts.object).numbers_differ = 1;
    }
    if constexpr (F == Function::MPI_Finalize_ || cairn::finalizes_session<F>()) finished(result);
    return result;
  }

  /// The thread's first call; the process's first one creates the page.
  [[gnu::noinline, gnu::cold]] bool prepare(Recording& mine) {
    if (mine.is_new()) {
      const std::lock_guard lock(lock_);
      if (file.header() == nullptr && !create()) mine.leave_out();
      if (file.header() == nullptr) return false;
      add_block(mine);
    }
    mine.begin_notes(notes_);
    return mine.begin_thread(gettid());
  }

  void tell_region(std::uint64_t region, std::int32_t layer) {
    if (is_child_) return;  // it shares the page, which is the parent's
    Recording& mine = recordings_.mine();
    if (mine.is_ready() || prepare(mine)) mine.tell_region(region, layer);
  }

  void add_block(Recording& mine) {
    page::Thread* const block = file.add_thread();
    if (block != nullptr) mine.use(*block, file.header()->ring_size);
    else mine.leave_out();
    if (block != nullptr && (file.path().empty() || file.is_last_readable())) return;
    if (file.header()->left_out.fetch_add(1) != 0) return;  // for readers in other processes both are the same
    if (block == nullptr) self_.warn("the calls of some threads are not recorded: " + file.why_no_thread());
    else self_.warn("other processes cannot read the calls of some threads: no room in '" + page::folder() + "'");
  }

  bool create() {
    if (is_hopeless_) return false;
    file.create(ring_size);
    is_hopeless_ = file.header() == nullptr;
    if (!file.problem().empty()) self_.warn("other processes cannot read this job's calls: " + file.problem());
    if (is_hopeless_) return false;
    page::PageHeader& header = *file.header();
    write_functions(file.table<char>(header.functions), header.functions);
    put(header.program, self_.program());
    put(header.mpi, std::is_pointer_v<MPI_Comm> ? "openmpi" : "mpich");
    header.any_source = MPI_ANY_SOURCE;
    header.any_tag = MPI_ANY_TAG;
    header.proc_null = MPI_PROC_NULL;
    requests_.use(file.table<page::Request>(header.requests));
    objects_.use(file);
    mapped_.use(file.table<page::Mapped>(header.mapped), header.mapped.count, self_.program());
    return true;
  }

  template <Function F>
  [[gnu::always_inline]] void number(CallFacts& facts, const cairn::Call<F>& call) {
    if (const std::uint64_t handle = handle_of(call); handle != 0) facts.object = objects_.of(handle);
    if constexpr (is_collective<F>())
      if (facts.object != Objects::unknown) facts.number = objects_.next_collective(facts.object);
  }
  template <Function F>
  [[gnu::always_inline]] CallFacts facts_of(const cairn::Call<F>& call) {
    CallFacts facts;
    facts.function = static_cast<std::uint16_t>(F);
    number(facts, call);
    add_partner(facts, call);
    add_amount(facts, call, objects_);
    if constexpr (completes_requests<F>()) {
      const std::size_t count = request_count(call);
      if constexpr (kind_of<F>() == Kind::wait) facts.count = count;
      if (count != 0) facts.other = cairn::handle_bits(requests_of(call)[0]);
    } else if constexpr (F == Function::MPI_Cancel_) {
      if (request_count(call) != 0) facts.other = cairn::handle_bits(*requests_of(call));
    }
    return facts;
  }

  // -------------------------------------------------------- requests

  template <Function F>
  [[gnu::always_inline]] void settle_requests(Recording& mine, const cairn::Call<F>& call) {
    const MPI_Request* const requests = requests_of(call);
    const std::size_t count = request_count(call);
    const auto made_comm = [this](const page::Request& complete) { add_communicator_of(complete); };
    for_each_completed(call, [&](std::size_t i, std::size_t /*status*/) {
      settle(requests_, noted(mine, i, count), requests[i], made_comm);
    });
  }

  // -------------------------------------------------------- around the call

  /// A freed handle may come back for another object at once. Of communicators and windows we hear (Objects).
  template <Function F>
  void before(const cairn::Call<F>& call) {
    if constexpr (cairn::has<F>(Role::file_inout))
      if (const std::uint64_t handle = handle_of(call); handle != 0) objects_.forget(handle);
    if constexpr (F == Function::MPI_Cancel_) Cancelled::expect();
    if constexpr (F == Function::MPI_Request_free_)
      if (const MPI_Request* const request = arg<Role::request_inout>(call); request != nullptr)
        if (const std::uint16_t index = requests_.find(cairn::handle_bits(*request)); index != requests_.unknown)
          requests_.remove(index);
  }

  template <Function F>
  [[gnu::always_inline]] void after(Recording& mine, const Recording::Begun& begun, const cairn::Call<F>& call,
                                    const CallFacts& facts) {
    if constexpr (completes_requests<F>()) settle_requests(mine, call);
    if constexpr (always_has_datatype<F>())
      if (facts.type == Objects::unknown && facts.count != 0 && facts.peer != MPI_PROC_NULL) [[unlikely]]
        learn(*begun.record, datatype_of(call));
    if constexpr (cairn::has<F>(Role::new_request)) {
      if constexpr (cairn::has<F>(Role::new_comm)) {
        begun.record->count = cairn::handle_bits(*arg<Role::new_comm>(call));
        begun.record->flags |= page::makes_comm;
      }
      if (const MPI_Request made = *arg<Role::new_request>(call); made == MPI_REQUEST_NULL)
        begun.record->flags |= page::nonblocking;
      else
        add_request(requests_, *begun.record, cairn::handle_bits(made),
                    cairn::describes_transfer(call.category) ? page::Request::inactive : page::Request::active);
    }
    if constexpr (F == Function::MPI_Start_ || F == Function::MPI_Startall_)
      start_requests(requests_, requests_of(call), request_count(call));
    if constexpr (makes_object<F>()) add_made(call, origin_of(call, facts));
    if (with_details) [[unlikely]] {
      tell_made(mine, begun, call, objects_);
      tell_others(mine, begun, call, objects_, *ranks_);
    }
    if constexpr (cairn::has<F>(Role::comm))
      if (facts.object == Objects::unknown) [[unlikely]]
        keep([&] { objects_.add_communicator(arg<Role::comm>(call), {}); });
    if constexpr (cairn::starts_mpi<F>()) started();
  }

  // -------------------------------------------------------- objects, start and end

  template <class Work>
  static void keep(Work work) try {
    work();
  } catch (const std::bad_alloc&) {  // the object stays unknown
  }

  /// A datatype that was not seen when it was made.
  [[gnu::noinline, gnu::cold]] void learn(page::Record& record, MPI_Datatype type) {
    keep([&] { objects_.add_datatype(type, record.entry); });
    record.type = objects_.type_of(type);
  }

  template <Function F>
  static constexpr bool makes_object() {
    if (cairn::has<F>(Role::new_request)) return false;  // it must not be used yet (add_communicator_of)
    return cairn::has<F>(Role::new_comm) || cairn::has<F>(Role::new_win) || cairn::has<F>(Role::new_file);
  }
  template <Function F>
  void add_made(const cairn::Call<F>& call, Objects::Origin origin) {
    keep([&] {
      if constexpr (cairn::has<F>(Role::new_comm)) objects_.add_communicator(*arg<Role::new_comm>(call), origin);
      else if constexpr (cairn::has<F>(Role::new_win)) objects_.add_window(*arg<Role::new_win>(call), origin);
      else objects_.add_file(*arg<Role::new_file>(call), origin, arg<Role::file_name>(call));
    });
  }

  [[gnu::noinline, gnu::cold]] void add_communicator_of(const page::Request& complete) {
    keep([&] {
      objects_.add_communicator(cairn::handle_of_bits<MPI_Comm>(complete.count),
                                objects_.origin_of(complete.object, complete.number));
    });
  }

  template <Function F>
  Objects::Origin origin_of(const cairn::Call<F>& call, const CallFacts& facts) {
    if constexpr (is_collective<F>() && !cairn::has<F>(Role::other_comm))
      return objects_.origin_of(facts.object, facts.number);
    else if constexpr (cairn::has<F>(Role::tag)) return {cairn::identity::made_with(arg<Role::tag>(call)), true};
    else if constexpr (cairn::has<F>(Role::string_tag))
      return {std::hash<std::string_view>()(arg<Role::string_tag>(call)), true};
    else return {};
  }

  void started() {
    int level = MPI_THREAD_MULTIPLE;
    int has_world = 0;
    const cairn::OwnWork own;
    PMPI_Initialized(&has_world);
    if (has_world != 0) PMPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) requests_.one_thread_at_a_time();
    const std::lock_guard lock(lock_);
    if (++open_ != 1) return;
    page::PageHeader& header = *file.header();
    const cairn::JobPlace place = cairn::place_in_job(self_);
    header.rank = place.rank;
    header.size = place.size;
    put(header.folder, run_.folder());
    file.join(run_.text(), run_.nodes(), has_folder());
    keep([&] { objects_.add_predefined(); });
    if (with_details) cairn::StatusBytes::learn();
    mapped_.refresh();
    header.phase.store(page::Phase::running, std::memory_order_release);
    will_.begin([](const std::string& end) { file.end_as(page::Phase::ended, *told_end != '\0' ? told_end : end); },
                [] { file.header()->phase.store(page::Phase::running, std::memory_order_release); });
  }

  /// One that the user has chosen is made in MPI_Init, perhaps on another node, where it may not be seen yet.
  bool has_folder() const {
    return cairn::Self::all_ranks_have_folder() || access((run_.folder() + "/run.json").c_str(), F_OK) == 0;
  }

  void finished(int result) {
    const std::lock_guard lock(lock_);
    if (result != MPI_SUCCESS || --open_ != 0) return;
    will_.end();
    file.end_as(page::Phase::finalized, "");
    file.leave();
  }

  static inline Recorder* only_one_ = nullptr;
  static inline bool is_child_ = false;  // made by fork
  cairn::Self self_;
  const cairn::Callers* callers_;
  cairn::NotedCalls notes_;
  cairn::RunIdentity run_;
  cairn::LastWill will_;
  const cairn::Ranks* ranks_;
  Amounts amounts_;
  Objects objects_;
  OpenRequests requests_;
  MappedObjects mapped_;
  cairn::PerThread<Recording> recordings_;
  std::mutex lock_;
  bool is_hopeless_ = false;
  int open_ = 0;  // MPI_Init and sessions that are not finalized
};

}  // namespace recorder

CAIRN_TOOL(recorder::Recorder)
