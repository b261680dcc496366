// SPDX-License-Identifier: BSD-3-Clause
// replay_calls.hpp - the calls of a rank's trace as statements of a C program that makes them again
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/trace/run_traces.hpp"

namespace cairn::cli {

/// What each process has given to collective calls, in bytes: what one of them records the others have to know.
class CollectiveShares {
 public:
  static constexpr std::uint64_t unknown = UINT64_MAX;

  explicit CollectiveShares(const RunTraces& run);
  /// By the ranks of the communicator: where each gives the same to all, or gets the same.
  std::vector<std::uint64_t> of(const trace::Object& comm, std::uint32_t number) const;
  /// Where each gives each another part: what the process gives, or gets. Empty: unknown.
  std::vector<std::uint64_t> given(const trace::Object& comm, std::uint32_t number) const;
  std::vector<std::uint64_t> got(const trace::Object& comm, std::uint32_t number) const;

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // identity and number
  struct Part {
    std::int32_t receiver;
    std::uint64_t bytes;
  };
  struct Given {
    std::int32_t sender;
    std::uint64_t all;
    std::vector<Part> parts;

    bool is_whole() const;
    std::uint64_t to(std::int32_t receiver) const;
  };

  void add(const trace::File& file, const trace::Record& call, std::vector<trace::Record> details);
  void keep_complete();
  const std::vector<Given>* complete(const trace::Object& comm, std::uint32_t number) const;

  std::map<Key, std::vector<std::uint64_t>> shares_;
  std::map<Key, std::vector<Given>> given_;  // by sender; only what is known of all of them
};

/// What the statements of all ranks name.
struct ReplayTables {
  std::vector<std::string> statements;                // each once
  std::vector<std::uint64_t> types;                   // sizes: t[0], t[1], … in the program
  std::map<std::vector<std::uint64_t>, int> amounts;  // lists of bytes by rank, with their numbers
  std::uint64_t most_out = 1;                         // bytes that one call sends
  std::uint64_t most_buffered = 1;                    // bytes for MPI_Bsend
  int requests = 1, comms = 2, messages = 1;          // how many there are at once
  std::uint64_t most_taken = 1;                       // requests in one call
  std::map<std::string, std::uint64_t> left_out;      // calls, by function
  std::uint64_t without_size = 0;                     // calls whose amount is unknown

  std::uint32_t number_of(std::string statement);
  std::string type(std::uint64_t size);
  int amounts_of(const std::vector<std::uint64_t>& bytes);

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

struct ReplayRank {
  std::vector<std::uint32_t> calls;    // statements, in their order
  std::vector<std::uint64_t> work_ns;  // before each
  std::uint64_t last_work_ns = 0;      // after them
  std::int64_t took_ns = 0;            // from the end of MPI_Init to the beginning of MPI_Finalize, or the last call
  std::string init;                    // the function that starts MPI
  bool is_finalized = false;
};

/// The calls of one process. Throws Problem where they cannot be made again.
class ReplayCalls {
 public:
  ReplayCalls(const ProcessTrace& process, const CollectiveShares& shares, ReplayTables& tables);
  ReplayRank read();

 private:
  struct Call {
    trace::Record record;
    std::string name;  // "MPI_Send", of MPI_Send_c too
    std::vector<trace::Record> details;
    bool is_last = false;
  };
  struct Request {
    int slot = -1;
    std::size_t statement = 0;  // its call's
    trace::Record record;
    bool is_persistent = false;
    std::string then;  // once it is complete
  };
  struct Matched {  // by MPI_Mprobe
    int slot = 0;
    std::size_t statement = 0;
    trace::Record record;
    std::string name;
    std::optional<std::uint64_t> handle;  // none: traces of earlier versions do not tell
  };
  using Handler = void (ReplayCalls::*)(const Call&);
  static const std::map<std::string_view, Handler>& handlers();

  Call next(trace::Records& records);
  void take(const Call& call);
  bool has(const trace::Record& record, page::Flag flag) const { return (record.flags & flag) != 0; }
  std::int64_t ns(std::uint64_t ticks) const { return process_.file.nanoseconds(ticks); }
  static constexpr const char* too_many = "has calls with more elements than an int can tell";
  [[noreturn]] void refuse(const std::string& why) const;

  // Statements.
  std::size_t add(const std::string& statement);
  void leave_out(const Call& call);
  void start(const Call& call);
  void finalize(const Call& call);
  void abort(const Call& call);
  void send(const Call& call);
  void begin_send(const Call& call);
  void receive(const Call& call);
  void begin_receive(const Call& call);
  void receive_matched(const Call& call);
  void begin_matched(const Call& call);
  void exchange(const Call& call);
  void probe(const Call& call);
  void ask(const Call& call);
  void wait(const Call& call);
  void test(const Call& call);
  void start_requests(const Call& call);
  void free_request(const Call& call);
  void cancel(const Call& call);
  void together(const Call& call);
  void make_comm(const Call& call);
  void free_comm(const Call& call);
  void buffer(const Call& call);

  // What they consist of.
  std::string amount(const trace::Record& record);
  std::string in(int slot, std::uint64_t bytes) const;
  std::string out(std::uint64_t bytes);
  std::string rank_text(std::int32_t rank) const;
  std::string source_text(std::int32_t asked, const trace::Record* found) const;
  std::string tag_text(std::int32_t asked, const trace::Record* found) const;
  std::string comm_text(const Call& call);
  std::string receive_text(const std::string& name, const trace::Record& record, int slot, const trace::Record* found,
                           const std::string& comm);
  std::string probe_text(const Matched& message, const trace::Record* found, const std::string& comm) const;
  std::string collective_arguments(const Call& call, std::string_view name, int slot);
  std::string share_arguments(const Call& call, std::string_view name, int slot);
  std::string part_arguments(const Call& call, int slot);
  std::string scatter_arguments(const Call& call, std::string_view name, const std::vector<std::uint64_t>& bytes,
                                int slot);
  std::uint64_t sum_of(const std::vector<std::uint64_t>& bytes) const;
  static bool has_sum(std::string_view type);
  std::string reduction(const trace::Record& record) const;
  const trace::Record* received(const Call& call) const;
  static const trace::Record* told(const Call& call, page::Detail what);

  // Requests, matched messages and communicators.
  std::string new_request(const Call& call, std::size_t statement, int& slot);
  int slot_of(const trace::Record& detail);
  int complete(const trace::Record& detail);
  void resolve_cancel(std::uint64_t handle, int slot, bool is_cancelled);
  std::vector<int> completed(const Call& call);
  std::string requests_text(std::uint64_t count, const std::vector<int>& slots, std::string& before,
                            std::string& after);
  Matched* matched(const Call& call, const trace::Record* found);
  void resolve_probe(const Matched& message, const trace::Record& found);
  const trace::Object* made_by(const Call& call);
  std::string name_of_comm(const trace::Object& comm) const;

  const ProcessTrace& process_;
  const CollectiveShares& shares_;
  ReplayTables& tables_;
  ReplayRank rank_;
  std::int64_t last_ns_ = 0;
  std::uint64_t work_ns_ = 0;  // since the last statement
  std::uint64_t buffered_ = 0;
  std::string then_;                                     // after the next statement
  std::map<std::uint64_t, std::deque<Request>> active_;  // by handle, as several may have one
  std::map<std::uint64_t, Request> persistent_;
  std::set<int> free_requests_, free_comms_, free_messages_;
  int requests_ = 0, comms_ = 2, messages_ = 0;
  std::vector<Matched> matched_;
  std::map<std::size_t, std::string> comm_of_;         // of statements that may still change: receives from anyone
  std::multimap<std::uint64_t, std::size_t> cancels_;  // statements by their request's handle, until it is complete
  std::map<std::uint64_t, int> comm_slots_;            // by identity
  std::map<std::uint64_t, std::uint64_t> repeats_;     // how often communicators were made in the same way
};

}  // namespace cairn::cli
