// SPDX-License-Identifier: BSD-3-Clause
// will.hpp - a tool's part in the end of a process that does not come to MPI_Finalize
//
//   will_.begin([this](const std::string& end) { write_part(end); }, [this] { remove_part(); });   // after MPI_Init
//   will_.end();                                                                                    // in finish()
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "cairn/kit/self.hpp"
#include "cairn/services/will.hpp"

namespace cairn {

/// One per tool. services/will.hpp says when and on which thread the functions are called.
class LastWill {
 public:
  explicit LastWill(Self self) : self_(self), will_(self.find<Will>()) {}
  LastWill(const LastWill&) = delete;
  LastWill& operator=(const LastWill&) = delete;

  /// `write` gets how the process ends ("SIGTERM"); `withdraw` takes back what it has left.
  void begin(std::function<void(const std::string& end)> write, std::function<void()> withdraw) {
    if (will_ == nullptr) return;
    write_ = std::move(write);
    withdraw_ = std::move(withdraw);
    will_->begin(
        &self_.raw(), [](void* will, const char* end) { static_cast<LastWill*>(will)->write_(end); },
        [](void* will) { static_cast<LastWill*>(will)->withdraw_(); }, this);
  }
  /// The results are written: what a part said is withdrawn, and nothing is called from here on.
  void end() {
    if (will_ != nullptr) will_->end(&self_.raw());
  }

 private:
  Self self_;
  const Will* will_;
  std::function<void(const std::string&)> write_;
  std::function<void()> withdraw_;
};

}  // namespace cairn
