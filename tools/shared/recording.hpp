// SPDX-License-Identifier: BSD-3-Clause
// recording.hpp - the recorder for a tool that reads what it keeps
#pragma once

#include <stdexcept>

#include "cairn/kit.hpp"
#include "cairn/services/call_notes.hpp"
#include "cairn/services/recorder.hpp"

namespace shared {

/// Keeps the last `calls` of each thread, and the calls' notes with them. In the tool's constructor; throws what the
/// user is told.
inline const cairn::Recorder& recording(cairn::Self& self, unsigned calls) {
  const auto& recorder = self.need<cairn::Recorder>();
  if (const auto* const notes = self.find<cairn::CallNotes>()) notes->pass(&self.raw());
  if (recorder.keep_calls(calls) != 0) throw std::runtime_error("calls: at most 1048576 can be kept");
  return recorder;
}

}  // namespace shared
