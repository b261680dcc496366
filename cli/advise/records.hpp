// SPDX-License-Identifier: BSD-3-Clause
// records.hpp - what tools have written of a run, as the records that findings are made of
//
// Each kind of record has fields with one meaning for every run; `fields()` is their only list. What a run does not
// tell is left out of a record, and no condition holds of it.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/message.hpp"
#include "policy/expression.hpp"

namespace cairn::advise {

/// Values by "kind.field".
using Record = std::map<std::string, policy::Value, std::less<>>;

/// What is not known is no number and no text.
const policy::Value& value_in(const Record& record, std::string_view name);

struct Field {
  std::string_view kind;  // "site"; of kind "run" there is one record, which all findings see
  std::string_view name;
  std::string_view meaning;  // with its unit
  std::string_view tool;     // that must have been in the run
};

std::span<const Field> fields();

/// The MPI library's control variables, asked for when a finding needs one.
class Library {
 public:
  /// `ask` is called at most once; what it throws means that nothing is known.
  explicit Library(std::function<nlohmann::ordered_json()> ask) : ask_(std::move(ask)) {}
  /// Its value; null: there is no such variable, or nobody can tell.
  const policy::Value* find(const std::string& name);

 private:
  std::function<nlohmann::ordered_json()> ask_;
  std::map<std::string, policy::Value> values_;
};

/// The library of a run, by "run.mpi", as it is installed here.
std::shared_ptr<Library> installed_library(const Record& run);
/// As `cairn vars --json` has written it. Throws Problem.
std::shared_ptr<Library> listed_library(const std::string& path);

struct Records {
  Record run;
  std::map<std::string, std::vector<Record>, std::less<>> by_kind;
  std::vector<std::string> tools;  // whose results were there
  std::string program;
  std::shared_ptr<Library> library{};
  /// As `waits` predicts it: seconds that the run would be shorter if the calls there took no time.
  std::map<std::tuple<std::string, int, std::string>, double> freed{};  // file, line, function
  /// Likewise by file and line, if its transfers went on during work, and if its messages were sent eagerly.
  struct Transfers {
    double overlapped_s = NAN;
    double eager_s = 0;
  };
  std::map<std::pair<std::string, int>, Transfers> transfers{};
  std::vector<Problem> warnings;  // of files that are left out, and of what is known in part
};

/// Of a run's folder. Throws Problem if there is nothing to go by.
Records read_records(const std::string& folder);

}  // namespace cairn::advise
