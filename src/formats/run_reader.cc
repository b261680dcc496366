// SPDX-License-Identifier: BSD-3-Clause
// run_reader.cc - reading run.json, in the command and in the process under study

#include "base/file_bytes.hpp"
#include "base/text.hpp"
#include "formats/field_reader.hpp"
#include "formats/run.hpp"

namespace cairn::formats {

run::Summary read_run(const Json& json) { return FieldReader::file<run::Summary>(json); }

run::Summary run::read_text(std::string_view text) {
  try {
    return read_run(Json::parse(text, nullptr, false));
  } catch (const Damaged&) {
    return {};
  }
}

run::Summary run::of_folder(const std::string& folder) {
  return read_text(whole_file(folder + "/run.json").value_or(""));
}

void run::check_belongs(const std::string& file, const std::string& own, const std::string& run) {
  if (!is_of_another(own, run)) return;
  throw OtherRun("'" + file + "' belongs to another run (" + harmless(own) + ") than run.json: left out",
                 "a folder of its own for each run");
}

}  // namespace cairn::formats
