// SPDX-License-Identifier: BSD-3-Clause
// record_writer.hpp - values put into records, and the readers that do so
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/advise/records.hpp"
#include "cli/report/entries.hpp"
#include "formats/run.hpp"
#include "formats/text.hpp"

namespace cairn::advise {

/// Puts values under "kind.field".
class Writer {
 public:
  Writer(Record& record, std::string kind) : record_(record), kind_(std::move(kind)) {}
  void put(const char* field, double value) {
    if (std::isfinite(value)) record_[kind_ + "." + field] = policy::Value::number(value);
  }
  void put(const char* field, std::vector<double> values) {
    record_[kind_ + "." + field] = {false, std::move(values), {}};
  }
  void put(const char* field, const std::string& text) { record_[kind_ + "." + field] = policy::Value::words(text); }

 private:
  Record& record_;
  std::string kind_;
};

/// The place under these names, as far as it is known.
void put_place(const formats::SourcePosition& place, const char* file, const char* line, const char* caller,
               Writer& writer);

void read_profile(const report::Json& profile, Records& out);  // profile_records.cc
/// After read_profile, if there is one.
void read_waits(const report::Json& waits, Records& out);  // waits_records.cc
/// After all: what `waits` predicts of their places.
void add_predictions(Records& out);  // waits_records.cc
/// After both of them: what the library chooses, and how fast.
void add_choices(Records& out);  // library_records.cc
/// After both of them.
/// Of the file with this path, and the run that it belongs to.
void read_comm(const report::Json& file, const std::string& path, const formats::run::Summary& of,
               Records& out);  // comm_records.cc

}  // namespace cairn::advise
