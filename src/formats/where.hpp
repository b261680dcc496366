// SPDX-License-Identifier: BSD-3-Clause
// where.hpp - where.json (tools/where/README.md): what a job was doing, and what held it up; the keys of the file
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/tags.hpp"

namespace cairn::formats::where {

/// One sentence about what is wrong with a job.
struct Finding {
  std::string kind;        // "deadlock", "other tag": for programs
  std::string text;        // without its full stop
  std::vector<int> ranks;  // that it blames

  static void fields(auto& file, auto& finding) {
    file("kind", finding.kind);
    file("text", finding.text);
    file.ranks("ranks", finding.ranks);
  }
};

/// Ranks that do the same at the same place.
struct Group {
  std::vector<int> ranks;
  std::uint64_t threads = 0;         // of these, if they are more
  std::string state;                 // "waiting", "in MPI", "outside MPI", "ended"
  std::string doing;                 // "MPI_Recv on MPI_COMM_WORLD from 2, tag 7"
  std::string place;                 // "halo.c:88 exchange"; "" if unknown
  std::int64_t callers_of = -1;      // the rank whose callers follow
  std::vector<std::string> callers;  // from the caller of its call up
  std::string function;              // "MPI_Recv"; "": it has made no call yet
  double shortest = 0;               // seconds
  double longest = 0;

  static void fields(auto& file, auto& group) {
    file.ranks("ranks", group.ranks);
    file.optional("threads", group.threads, group.threads > group.ranks.size());
    file("state", group.state);
    file("doing", group.doing);
    file.optional("place", group.place, !group.place.empty());
    file.optional("callers_of", group.callers_of, !group.callers.empty());
    file.optional("callers", group.callers, !group.callers.empty());
    file.optional("function", group.function, !group.function.empty());
    file("shortest_s", group.shortest);
    file("longest_s", group.longest);
  }
};

struct Summary {
  std::string run;  // identity; "" if no process knew it
  std::string program;
  std::string state;      // "stuck", "waiting", "moving", "died", "over"
  double last_event = 0;  // seconds ago
  std::uint64_t ranks = 0;
  std::vector<int> unseen;
  std::vector<Finding> findings;
  std::vector<Group> groups;  // the largest first

  static void fields(auto& file, auto& job) {
    file.derived("format", where_tag.text());
    file.optional("run", job.run, !job.run.empty());
    file("program", job.program);
    file("state", job.state);
    file("last_event_s", job.last_event);
    file("ranks", job.ranks);
    file.ranks("unseen", job.unseen, !job.unseen.empty());
    file("findings", job.findings);
    file("groups", job.groups);
  }
};

std::string file_text(const Summary& job);

}  // namespace cairn::formats::where
