// SPDX-License-Identifier: BSD-3-Clause
// flows.hpp - which send and which receive are the two ends of one message, found in each process by itself
//
// MPI keeps messages of one sender to one receiver with the same tag and communicator in order. So each end counts
// them: the sender in the order of sending, the receiver in the order in which it asked for them, not in which they
// were complete. Both come to the same number without knowing of each other.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "trace/events.hpp"

namespace cairn::trace {

struct FlowEnd {
  std::uint64_t flow = 0;  // the same at both ends, and nowhere else
  bool is_sender = false;
  std::int32_t partner = 0;  // its rank in the world
  std::uint32_t thread = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;
  std::uint64_t mark = 0;  // as it was given
};

/// Of the `count`-th message with that tag on the communicator or window.
std::uint64_t flow_of(std::uint64_t identity, std::int32_t from, std::int32_t to, std::int32_t tag,
                      std::uint64_t count);

/// Of one process.
class Flows {
 public:
  Flows(const File& file, std::function<void(const FlowEnd&)> found) : file_(file), found_(std::move(found)) {}

  /// All messages, in the order in which a Player tells them. `mark`: what is to be known of this end later.
  void take(std::uint32_t thread, std::int64_t ns, const Message& message, std::uint64_t mark = 0);
  /// Some are not known: those after them cannot be counted.
  void lose() { is_lost_ = true; }

 private:
  using Key = std::tuple<std::uint64_t, std::int32_t, std::int32_t>;  // communicator, rank in it, tag
  struct Receive {
    Key key;  // with what was asked for, then with what came
    std::uint64_t request = 0;
    bool is_open = false;  // counted in `open` by what was asked for
    bool has_come = false;
    std::optional<FlowEnd> end;  // none: it was found, and is received later
  };
  struct Numbered {
    Key key;
    std::uint64_t count;
  };
  /// On a communicator, until their number is known.
  struct Receives {
    std::list<Receive> all;                            // in order
    std::unordered_map<std::uint64_t, unsigned> open;  // how many ask for that rank and tag
    bool is_lost = false;                              // what is asked for from now on cannot be counted
  };
  using Place = std::list<Receive>::iterator;

  const Object* known(std::uint32_t object) const;
  FlowEnd end_of(std::uint32_t thread, std::int64_t ns, const Message& message, std::uint64_t mark) const;
  bool is_possible(const Receive& earlier, const Key& key) const;
  void receive(std::uint64_t request, const Key& key, const FlowEnd& end);
  Place ask(Receives& asked, const Key& key, std::uint64_t request);
  void close(Receives& asked, Place receive) const;
  bool is_alone(const Receives& asked, const Key& key) const;
  void come(Place receive, const Key& key, std::optional<FlowEnd> end);
  bool settle(Receives& asked, Place receive);
  void settle_later(Receives& asked);
  std::uint64_t count(const Key& key, bool is_sender) { return ++counts_[{key, is_sender}]; }
  void tell(const Key& key, std::uint64_t count, FlowEnd end);

  const File& file_;
  std::function<void(const FlowEnd&)> found_;
  std::map<std::pair<Key, bool>, std::uint64_t> counts_;  // sent, received
  std::map<std::uint64_t, Receives> asked_;               // by communicator
  std::map<std::uint64_t, Place> by_request_;
  std::map<std::uint64_t, Numbered> numbered_;  // found and not received yet
  std::size_t waiting_ = 0;                     // come, but without a number
  bool is_lost_ = false;
};

}  // namespace cairn::trace
