// SPDX-License-Identifier: BSD-3-Clause
// call_groups.hpp - which tools have the clock in common (include/cairn/services/call_notes.hpp)
#pragma once

#include "cairn/services/call_notes.hpp"

namespace cairn {

/// While the stack is built, the innermost layer first; on one thread.
class CallGroups {
 public:
  /// `place`: of a thread's notes.
  explicit CallGroups(std::ptrdiff_t place) : service_{place, join, pass, &tools_} {}
  CallGroups(const CallGroups&) = delete;
  CallGroups& operator=(const CallGroups&) = delete;

  const CallNotes& service() const { return service_; }

  /// A tool that the user asked for starts: if it neither joins nor passes, those above are of another group than those
  /// below.
  void tool_starts() { is_member_ = false; }
  void tool_started() { group_ += is_member_ ? 0 : 1; }

 private:
  static int join(const cairn_tool_instance* self);
  static void pass(const cairn_tool_instance* self);

  int group_ = 1;
  bool is_member_ = false;
  std::atomic<int> tools_{0};
  const CallNotes service_;
};

}  // namespace cairn
