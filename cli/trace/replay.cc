// SPDX-License-Identifier: BSD-3-Clause
// replay.cc - a run's communication as a C program that runs alone

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "base/message.hpp"
#include "cli/output_file.hpp"
#include "cli/trace/last_records.hpp"
#include "cli/trace/replay_calls.hpp"
#include "cli/trace/replay_frame.hpp"
#include "cli/trace/views.hpp"
#include "formats/text.hpp"
#include "trace/loops.hpp"

namespace cairn::cli {

namespace {

using trace::Loops;

constexpr std::size_t most_statements = 1'000'000;
constexpr std::size_t function_size = 500;  // items of a function: compilers take long for large ones

/// What a trace must have, so that no rank waits for what is not there.
void check(const RunTraces& run) {
  constexpr const char* whole =
      "a run with 'trace' alone, without selecting calls, and with large enough 'calls' and 'limit'";
  const trace::Process& first = run.processes.front()->file.process();
  if (first.size != static_cast<int>(run.processes.size()))
    throw Problem(fmt::format("a replay needs the traces of all ranks: {} of {} are there", run.processes.size(),
                              std::max(first.size, 0)),
                  "without --ranks, the folder of a run that left all of them");
  for (const auto& process : run.processes) {
    const trace::End* const end = process->file.end();
    if (process->file.process().size != first.size)
      throw Problem(fmt::format("a replay needs the traces of one job: that of rank {} has another number of ranks",
                                process->rank()),
                    "the folder of one run, as 'cairn run' has left it");
    if (!process->file.process().choice.empty())
      throw Problem(fmt::format("a replay needs all calls: rank {} has only selected ones", process->rank()), whole);
    const std::uint64_t lost = end == nullptr ? missing_records(process->file) : end->lost + end->omitted;
    if (lost != 0)
      throw Problem(fmt::format("a replay needs all calls: {} of rank {} are lost", formats::plural(lost, "record"),
                                process->rank()),
                    whole);
  }
}

/// The functions of one rank.
class RankText {
 public:
  RankText(int number, const ReplayRank& rank, const ReplayTables& tables)
      : number_(number), rank_(rank), tables_(tables) {
    for (const std::uint32_t call : rank.calls) loops_.add(call);
  }

  std::size_t size() const { return size_of(loops_.items()); }

  std::string text() {
    std::string functions;
    for (std::size_t begin = 0; begin < loops_.items().size(); begin += function_size) {
      functions += fmt::format("static void rank_{}_{}(void) {{\n", number_, parts_++);
      const std::size_t end = std::min(begin + function_size, loops_.items().size());
      for (std::size_t i = begin; i < end; ++i) add(functions, loops_.items()[i], 0);
      functions += "}\n\n";
    }
    functions += fmt::format("static int rank_{}(void) {{\n", number_);
    if (!times_.empty()) functions += fmt::format("  next_time = times_{};\n", number_);
    for (int part = 0; part < parts_; ++part) functions += fmt::format("  rank_{}_{}();\n", number_, part);
    if (rank_.last_work_ns != 0) functions += fmt::format("  work({});\n", rank_.last_work_ns);
    functions += fmt::format("  return {};\n}}\n\n", rank_.is_finalized ? 1 : 0);
    if (times_.empty()) return functions;
    return fmt::format(
               "/* ns of work before calls in loops, in the order of time */\nstatic const long long times_{}[] = "
               "{{{}}};\n\n",
               number_, times_) +
           functions;
  }

 private:
  std::size_t size_of(const Loops::Body& body) const {
    std::size_t size = body.size();
    for (const Loops::Item& item : body)
      if (item.times != 0) size += size_of(loops_.body(item));
    return size;
  }

  void add(std::string& out, const Loops::Item& item, unsigned depth) {
    const std::string indent(2 * depth + 2, ' ');
    if (item.times != 0) {
      const Loops::Body& body = loops_.body(item);
      out += fmt::format("{}for (int i{} = 0; i{} < {}; ++i{}) {{\n", indent, depth, depth, item.times, depth);
      for (const Loops::Item& inner : body) add(out, inner, depth + 1);
      out += indent + "}\n";
      if (depth == 0) keep_times(calls_in(item));
      return;
    }
    if (depth != 0) {
      out += indent + "work(next());\n";
    } else {
      if (rank_.work_ns[at_] != 0) out += fmt::format("{}work({});\n", indent, rank_.work_ns[at_]);
      ++at_;
    }
    out += indent + tables_.statements[item.what] + ";\n";
  }
  std::size_t calls_in(const Loops::Item& item) const {
    if (item.times == 0) return 1;
    std::size_t calls = 0;
    for (const Loops::Item& inner : loops_.body(item)) calls += calls_in(inner);
    return calls * item.times;
  }
  void keep_times(std::size_t calls) {
    for (const std::size_t end = at_ + calls; at_ < end; ++at_) {
      if (times_in_line_++ % 16 == 0) times_ += "\n  ";
      fmt::format_to(std::back_inserter(times_), "{},", rank_.work_ns[at_]);
    }
  }

  int number_;
  const ReplayRank& rank_;
  const ReplayTables& tables_;
  Loops loops_;
  std::size_t at_ = 0;  // the next call
  int parts_ = 0;
  std::string times_;
  std::uint64_t times_in_line_ = 0;
};

std::string definitions(const ReplayTables& tables) {
  std::string text;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::uint64_t>>{
           {"COMMS", static_cast<std::uint64_t>(tables.comms)},
           {"REQUESTS", static_cast<std::uint64_t>(tables.requests)},
           {"MESSAGES", static_cast<std::uint64_t>(tables.messages)},
           {"TAKEN", tables.most_taken},
           {"TYPES", std::max<std::uint64_t>(tables.types.size(), 1)},
           {"OUT", tables.most_out},
           {"BUFFERED", tables.most_buffered}})
    text += fmt::format("#define {} {}\n", name, value);
  return text;
}

/// Lists of counts and where they begin.
std::string amounts(const ReplayTables& tables) {
  std::string text;
  for (const auto& [bytes, number] : tables.amounts) {
    std::vector<std::uint64_t> places;
    std::uint64_t sum = 0;
    for (const std::uint64_t one : bytes) {
      places.push_back(sum);
      sum += one;
    }
    text += fmt::format("int n{}[] = {{{}}}, at{}[] = {{{}}};\n", number, fmt::join(bytes, ", "), number,
                        fmt::join(places, ", "));
  }
  return text + (text.empty() ? "" : "\n");
}

std::string about(const RunTraces& run) {
  const trace::Process& first = run.processes.front()->file.process();
  const auto in_comment = [](std::string text) {
    std::erase(text, '*');  // which could end it
    return text;
  };
  return fmt::format(
      "/* What {} did on {} (run {}, {}): the same calls in the same order, with the same partners,\n"
      "   tags, communicators and sizes, and keeps the processor busy in place of its work. Made by 'cairn trace "
      "--replay'.\n"
      "   Compile it with any MPI's mpicc, and start as many ranks. Its argument is the part of the work\n"
      "   that it repeats, such as 0.5; without: all. */\n"
      "#define _POSIX_C_SOURCE 199309L\n",
      in_comment(std::string(formats::file_of(first.program))), formats::plural(run.processes.size(), "rank"),
      in_comment(first.run), in_comment(first.mpi));
}

std::string ending(const std::vector<ReplayRank>& ranks, const ReplayTables& tables) {
  std::string text = fmt::format("#define RANKS {}\n#define SIZES {}\n#define TOOK {:.9f}\n", ranks.size(),
                                 tables.types.empty() ? "0" : fmt::format("{}", fmt::join(tables.types, ", ")),
                                 1e-9 * static_cast<double>(std::max<std::int64_t>(ranks[0].took_ns, 0)));
  text += ranks[0].init == "MPI_Init_thread" ? "#define INIT MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &given)\n"
                                             : "#define INIT MPI_Init(&argc, &argv)\n";
  text += "static int (*const ranks[])(void) = {";
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) text += fmt::format("{}rank_{}", rank == 0 ? "" : ", ", rank);
  return text + "};\n" + replay_end;
}

void tell_what_is_missing(const ReplayTables& tables) {
  std::string text;
  for (const auto& [name, calls] : tables.left_out)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, calls);
  if (!text.empty()) tell(Severity::warning, "not in the replay: " + text);
  if (tables.without_size != 0)
    tell(Severity::warning, "the trace does not have the sizes of " + formats::plural(tables.without_size, "call") +
                                ": they are 0 in the replay");
}

}  // namespace

void write_replay(const RunTraces& run, const std::string& path) {
  check(run);
  const CollectiveShares shares(run);
  ReplayTables tables;
  std::vector<ReplayRank> ranks;
  for (const auto& process : run.processes) ranks.push_back(ReplayCalls(*process, shares, tables).read());
  std::deque<RankText> texts;
  std::size_t size = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    size += texts.emplace_back(static_cast<int>(rank), ranks[rank], tables).size();
  if (size > most_statements)
    throw Problem(fmt::format("the replay would have more than {} statements", most_statements),
                  "a run of fewer ranks or steps", "--replay " + path);
  OutputFile file(path, "--replay " + path);
  file.add(about(run) + replay_includes + definitions(tables) + replay_beginning + amounts(tables));
  for (RankText& text : texts) file.add(text.text());
  file.add(ending(ranks, tables));
  file.close();
  tell_what_is_missing(tables);
}

}  // namespace cairn::cli
