// SPDX-License-Identifier: BSD-3-Clause
// connections.hpp - the clients that are connected: when there are many, the oldest has to go
//
// Clients that send or read slowly, or nothing at all, so keep nobody else out, however many there are.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <list>

namespace cairn::live_server {

/// On the server's thread alone.
class Connections {
 public:
  static constexpr std::size_t most = 96;
  using Place = std::list<int>::iterator;

  /// What is shut down here is taken out when the server has seen it.
  Place add(int socket) {
    if (sockets_.size() - shut_ >= most) shut_down_oldest();
    return sockets_.insert(sockets_.end(), socket);
  }
  void remove(Place place) {
    if (*place < 0) --shut_;
    sockets_.erase(place);
  }

 private:
  void shut_down_oldest() {
    for (int& socket : sockets_) {
      if (socket < 0) continue;
      shutdown(socket, SHUT_RDWR);
      socket = -1;
      ++shut_;
      return;
    }
  }

  std::list<int> sockets_;  // the oldest first; -1: shut down
  std::size_t shut_ = 0;
};

}  // namespace cairn::live_server
