// SPDX-License-Identifier: BSD-3-Clause
// collectives.cc - how often collective functions are called: gathered, shown, written, and saved where the run dies

#include <mpi.h>

#include <array>
#include <map>

#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/results.hpp"

using cairn::Function;
class Collectives {
 public:
  static constexpr std::string_view about = "how often collective functions are called";
  struct Options {
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("table", table, "whether the counts are shown: on or off");
    }
  };
  Collectives(cairn::Self self, const Options& options)
      : self_(self), options_(options), results_(self, "collectives") {}
  template <Function F>
  requires(cairn::facts(F).category == cairn::Category::collective) int on(cairn::Call<F>& call) {
    ++calls_.mine()[static_cast<std::size_t>(F)];
    return call.proceed();
  }
  template <Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (start_.is_first(result)) results_.begin([this](const auto&) { results_.write_part(json(own())); });
    return result;
  }

  void finish() {
    const cairn::World world(self_);
    Counts all = own();
    if (results_.gather(world, all, add)) {  // on rank 0
      std::string table = "collective calls of all ranks\n";
      for (const auto& [name, calls] : all) table += "  " + name + " " + std::to_string(calls) + "\n";
      results_.show(table, options_.table);
      results_.write(json(all));
    }
    results_.end();
  }

 private:
  using Counts = std::map<std::string, std::uint64_t>;
  static void add(Counts& into, const Counts& other) {
    for (const auto& [name, calls] : other) into[name] += calls;
  }
  Counts own() {
    Counts counts;
    calls_.for_each([&](const auto& of_thread) {
      for (std::size_t i = 0; i < of_thread.size(); ++i)
        if (of_thread[i] != 0) counts[cairn::facts(static_cast<Function>(i)).name] += of_thread[i];
    });
    return counts;
  }
  std::string json(const Counts& counts) const {
    std::string text = "{\"format\": \"collectives 1\", \"run\": \"" + results_.run() + "\", \"calls\": {";
    for (const auto& [name, calls] : counts)
      text += (text.back() == '{' ? "\"" : ", \"") + name + "\": " + std::to_string(calls);
    return text + "}}\n";
  }

  const cairn::Self self_;
  const Options options_;
  cairn::PerThread<std::array<std::uint64_t, cairn::function_count>> calls_;
  cairn::MpiStart start_;
  cairn::RunResults results_;
};

CAIRN_TOOL(Collectives)
