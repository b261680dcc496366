// SPDX-License-Identifier: BSD-3-Clause
// layer_id.hpp - which layer, and where it lies: two different things.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

/// Which layer: 1, 2, … those that the user asked for, the outermost first; then, in no order, those that Cairn adds.
/// Tools know it as their level. Known before a layer is loaded, and the same whatever else is.
enum class LayerId : std::uint32_t { none = 0 };

constexpr std::uint32_t number(LayerId id) { return static_cast<std::uint32_t>(id); }

/// The layer that the user asked for in that place of the list, from 0 for the outermost.
constexpr LayerId asked_layer(std::size_t place) { return static_cast<LayerId>(place + 1); }
/// Back; past the end of the list for a layer that nobody asked for.
constexpr std::size_t place_asked(LayerId id) { return std::size_t{number(id)} - 1; }

/// Where a layer lies: 1 is next to the MPI library. Known when the layer is put on top, and never changes.
enum class Position : std::uint32_t { below_all = 0 };

}  // namespace cairn
