// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - the records of all ranks become waits.json
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cairn/services/symbols.hpp"
#include "formats/waits.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

/// Names the place of an address in an object, as far as it is known.
using Naming = std::function<formats::SourcePosition(const std::string& object, std::uint64_t offset)>;

/// By debug information, whose library may be missing (null): then nothing is known.
Naming naming_by(const Symbols* symbols);

/// All but the run's identity and the program.
formats::waits::Summary summarize(std::vector<RankRecords> records, const Naming& naming);

}  // namespace cairn::waits
