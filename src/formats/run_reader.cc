// SPDX-License-Identifier: BSD-3-Clause
// run_reader.cc - reading run.json, in the command and in the process under study

#include <fstream>
#include <iterator>

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
  std::ifstream in(folder + "/run.json");
  return read_text(std::string{std::istreambuf_iterator<char>(in), {}});
}

}  // namespace cairn::formats
