// SPDX-License-Identifier: BSD-3-Clause
// advice_run.hpp - a run's folder whose results are written by tests, and what `cairn advise` finds in it
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/advise/advice.hpp"

namespace cairn {

using nlohmann::json;

class AdvisedRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("cairn-advice-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "comm");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& file, const json& content) { std::ofstream(folder_ / file) << content; }

  void write_run(const std::string& mpi, int cores, int ranks) {
    write("run.json",
          {{"format", "cairn-run 1"}, {"program", "/x/app"}, {"mpi", mpi}, {"cores", cores}, {"ranks_on_host", ranks}});
  }

  static json over(double total, double ranks) {
    return {{"total", total}, {"mean", total / ranks}, {"min", 0}, {"max", total / ranks}};
  }

  /// A run of 100 s on 4 ranks with one call site.
  static json profile(const std::string& function, double calls, double seconds, double bytes, const json& more = {}) {
    json entry = {{"calls", calls},
                  {"time_s", over(4 * seconds, 4)},
                  {"bytes_sent", bytes},
                  {"bytes_received", 0},
                  {"imbalance", 0}};
    if (!more.is_null()) entry.update(more);
    json name = entry;
    name["name"] = function;
    json site = entry;
    site.update(
        {{"function", function}, {"file", "a.c"}, {"line", 7}, {"caller", "f"}, {"object", "app"}, {"offset", 1}});
    return {{"format", "cairn-profile 1"},
            {"ranks", 4},
            {"threads", 1},
            {"run_time_s", over(400, 4)},
            {"mpi_time_s", over(200, 4)},
            {"own_time_s", over(200, 4)},
            {"functions", json::array({name})},
            {"callsites", json::array({site})}};
  }

  advise::Result find(const std::string& rules = "", std::size_t most = 10) {
    const policy::Policy all = policy::parse_policy(rules.empty() ? advise::built_in_rules() : rules, "r");
    advise::check_fields(all);
    records_ = advise::read_records(folder_);
    records_.library = std::make_shared<advise::Library>([this] {
      ++asked_;
      return library_;
    });
    return advise::find_advice(all, records_, most);
  }

  static std::vector<std::string> titles(const advise::Result& result) {
    std::vector<std::string> all;
    for (const auto& advice : result.advice) all.push_back(advice.title);
    return all;
  }
  using Titles = std::vector<std::string>;

  nlohmann::ordered_json library_ = {{"control_variables", json::array()}};  // what the MPI library has
  int asked_ = 0;
  std::filesystem::path folder_;
  advise::Records records_;
};

}  // namespace cairn
