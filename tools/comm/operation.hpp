// SPDX-License-Identifier: BSD-3-Clause
// operation.hpp - sorts of collective calls, by the names that they have in the file
#pragma once

#include "formats/comm_operation.hpp"

namespace comm {

using cairn::formats::comm::is_rooted;
using cairn::formats::comm::Operation;

}  // namespace comm
