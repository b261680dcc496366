// SPDX-License-Identifier: BSD-3-Clause
// will.hpp - saves a tool's results when the process ends without MPI_Finalize
//
//   will_.begin([this](const std::string& end) { write_part(end); }, [this] { remove_part(); });   // MPI has started
//   will_.end();                                                                                    // in finish()
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "cairn/kit/out_of_memory.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/will.hpp"

namespace cairn {

/// One per tool. services/will.hpp tells when and on which thread the functions are called.
class LastWill {
 public:
  explicit LastWill(Self self) : self_(self), will_(self.find<Will>()) {}
  LastWill(const LastWill&) = delete;
  LastWill& operator=(const LastWill&) = delete;

  /// `write` gets how the process ends ("SIGTERM"); `withdraw` deletes what it has written.
  void begin(std::function<void(const std::string& end)> write, std::function<void()> withdraw) {
    if (will_ == nullptr) return;
    write_ = std::move(write);
    withdraw_ = std::move(withdraw);
    will_->begin(
        &self_.raw(),
        [](void* will, const char* end) {
          kit::do_if_memory_allows([&] { static_cast<LastWill*>(will)->write_(end); });
        },
        [](void* will) { static_cast<LastWill*>(will)->withdraw_(); }, this);
  }
  /// The results are complete: a part that was written is withdrawn, and no function is called any more.
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
