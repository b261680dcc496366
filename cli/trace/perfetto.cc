// SPDX-License-Identifier: BSD-3-Clause
// perfetto.cc - a run's traces as JSON of Chrome's trace events, which Perfetto's viewer reads
//
// One event after the other, each process for itself: memory does not grow with the trace. Readers put them into the
// order of time.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/message.hpp"
#include "cli/output_file.hpp"
#include "cli/trace/call_text.hpp"
#include "cli/trace/views.hpp"
#include "formats/json_writer.hpp"
#include "trace/events.hpp"
#include "trace/flows.hpp"
#include "trace/open_regions.hpp"

namespace cairn::cli {

namespace {

std::string json_text(std::string_view text) {
  std::string out;
  formats::add_json_text(out, text);
  return out;
}

class EventFile {
 public:
  EventFile(const RunTraces& run, const std::string& path) : file_(path, "--perfetto " + path) {
    const trace::Process& first = run.processes.front()->file.process();
    file_.add(fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"program":{},"run":{},"MPI":{}}},"traceEvents":[)",
                          json_text(first.program), json_text(first.run), json_text(first.mpi)));
  }
  /// `rest`: members after those that all events have.
  void add(char phase, int rank, std::uint32_t thread, std::string_view rest) {
    text_.clear();
    fmt::format_to(std::back_inserter(text_), "{}{{\"ph\":\"{}\",\"pid\":{},\"tid\":{}{}}}", is_first_ ? "\n" : ",\n",
                   phase, rank + 1, thread + 1, rest);  // 0 is the system's idle process
    is_first_ = false;
    file_.add(text_);
  }
  void close() {
    file_.add("\n]}\n");
    file_.close();
  }

 private:
  OutputFile file_;
  std::string text_;
  bool is_first_ = true;
};

/// One process.
class EventWriter : public trace::EventSink {
 public:
  EventWriter(EventFile& out, const ProcessTrace& process, where::Places& places, std::int64_t first_ns)
      : out_(out),
        process_(process),
        places_(places),
        since_ns_(first_ns - process.shift_ns),
        flows_(process.file, [this](const trace::FlowEnd& end) { add_flow(end); }) {}

  void describe(std::uint32_t threads) {
    const trace::Process& its = process_.file.process();
    const auto name = [this](std::uint32_t thread, std::string_view what, const std::string& text) {
      out_.add('M', process_.rank(), thread,
               fmt::format(R"(,"name":"{}","args":{{"name":{}}})", what, json_text(text)));
    };
    name(0, "process_name", fmt::format("rank {} on {}", process_.rank(), its.host));
    out_.add('M', process_.rank(), 0,
             fmt::format(R"(,"name":"process_sort_index","args":{{"sort_index":{}}})", process_.rank()));
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      name(thread, "thread_name", "thread " + std::to_string(thread));
  }

  void write_values(const RunTraces& run) {
    for (const VariableValue& one : run.values_of(process_))
      out_.add('C', process_.rank(), 0,
               fmt::format(R"(,"ts":{},"name":{},"args":{{"value":{}}})", time(one.ns),
                           json_text(run.variables.all[one.variable].name), one.value));
  }

  void enter(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override {
    regions_of(thread).enter_call();
    threads_[thread] = {.entered_ns = ns};
    std::string rest =
        fmt::format(R"(,"ts":{},"name":{},"cat":"MPI","args":{{)", time(ns), json_text(name_of(process_.file, call)));
    for (const CallArgument& one : arguments_of(process_.file, call))
      rest += fmt::format("{}:{},", json_text(one.name), one.is_number ? one.value : json_text(one.value));
    if (const std::string outcome = outcome_of(call); !outcome.empty())
      rest += R"("outcome":)" + json_text(outcome) + ",";
    out_.add('B', process_.rank(), thread, rest + place(call.site) + "}");
  }
  void leave(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override {
    std::string arguments = call.exit == 0 ? R"(,"outcome":"not over")" : "";
    if (!threads_[thread].received.empty()) arguments += R"(,"received":)" + json_text(threads_[thread].received);
    arguments += threads_[thread].more;
    if (!arguments.empty()) arguments = ",\"args\":{" + arguments.substr(1) + "}";
    out_.add('E', process_.rank(), thread, fmt::format(R"(,"ts":{}{})", time(ns), arguments));
    threads_[thread] = {};
    regions_of(thread).leave_call(ns, telling_regions(thread));
  }
  void region(std::uint32_t thread, std::int64_t ns, const trace::Record& detail) override {
    const std::string* const path = process_.file.region(detail);
    if (path != nullptr) regions_of(thread).come_to(*path, ns, telling_regions(thread));  // null: of another tool
  }
  /// No more events come.
  void close() {
    for (std::uint32_t thread = 0; thread < regions_.size(); ++thread) regions_[thread].close(telling_regions(thread));
  }
  void gap(std::uint32_t /*thread*/, std::int64_t /*ns*/, std::uint64_t /*count*/) override { flows_.lose(); }
  void message(std::uint32_t thread, std::int64_t ns, const trace::Message& message) override {
    Thread& its = threads_[thread];
    flows_.take(thread, std::max(its.entered_ns, ns - 1), message);  // within the call, also where it ends
    if (message.what != trace::Transfer::receive && message.what != trace::Transfer::end_receive) return;
    if (its.count < most_received)
      its.received += fmt::format("{}{} from {}, tag {}", its.count == 0 ? "" : "; ",
                                  formats::plural(message.bytes, "byte"), message.peer, message.tag);
    else if (its.count == most_received) its.received += "; …";
    ++its.count;
  }
  void moved(std::uint32_t thread, const trace::Record& /*call*/, trace::Moved bytes) override {
    threads_[thread].more += fmt::format(R"(,"sent_bytes":{},"received_bytes":{})", bytes.sent, bytes.received);
  }
  void access(std::uint32_t thread, std::int64_t /*ns*/, const trace::Access& access) override {
    if (access.bytes && access.request == 0)
      threads_[thread].more += fmt::format(R"(,"transferred_bytes":{})", *access.bytes);
  }

 private:
  static constexpr unsigned most_received = 16;
  struct Thread {
    std::int64_t entered_ns = 0;
    std::string received{};  // by the call that is open, as many as fit
    unsigned count = 0;
    std::string more{};  // of its arguments
  };

  trace::OpenRegions& regions_of(std::uint32_t thread) {
    if (regions_.size() <= thread) {
      regions_.resize(thread + 1);
      threads_.resize(thread + 1);
    }
    return regions_[thread];
  }
  trace::OpenRegions::Tell telling_regions(std::uint32_t thread) {
    return [this, thread](bool is_begin, const std::string& path, std::int64_t ns) {
      out_.add(is_begin ? 'B' : 'E', process_.rank(), thread,
               fmt::format(R"(,"ts":{},"name":{},"cat":"region","args":{{"path":{}}})", time(ns),
                           json_text(path.substr(path.rfind('/') + 1)), json_text(path)));
    };
  }
  std::string time(std::int64_t ns) const {
    return fmt::format("{:.3f}", 1e-3 * static_cast<double>(std::max<std::int64_t>(ns - since_ns_, 0)));
  }
  const std::string& place(std::uint64_t site) {
    const auto [known, is_new] = known_places_.try_emplace(site);
    if (is_new) known->second = "\"at\":" + json_text(formats::place_text(places_.of(process_.mapped, site)));
    return known->second;
  }
  void add_flow(const trace::FlowEnd& end) {
    out_.add(end.is_sender ? 's' : 'f', process_.rank(), end.thread,
             fmt::format(R"(,"ts":{},"name":"message","cat":"message","id":"{:#x}"{})", time(end.ns), end.flow,
                         end.is_sender ? "" : R"(,"bp":"e")"));
  }

  EventFile& out_;
  const ProcessTrace& process_;
  where::Places& places_;
  std::int64_t since_ns_;
  trace::Flows flows_;
  std::vector<Thread> threads_;
  std::vector<trace::OpenRegions> regions_;
  std::unordered_map<std::uint64_t, std::string> known_places_;
};

}  // namespace

void write_perfetto(const RunTraces& run, where::Places& places, const std::string& path) {
  EventFile out(run, path);
  const std::int64_t first_ns = run.first_ns();
  for (const auto& process : run.processes) {
    EventWriter writer(out, *process, places, first_ns);
    writer.describe(static_cast<std::uint32_t>(process->file.definitions().threads.size()));
    trace::Player(process->file, writer).play();
    writer.close();
    writer.write_values(run);
  }
  out.close();
}

}  // namespace cairn::cli
