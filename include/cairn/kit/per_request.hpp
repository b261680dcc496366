// SPDX-License-Identifier: BSD-3-Clause
// per_request.hpp - data that a tool keeps for each request, from its creation to its completion
//
//   struct Latency {
//     struct Message { double begin; int bytes; };
//     using Needs = cairn::ServiceList<cairn::Requests>;
//     explicit Latency(cairn::Self self) : messages_(self, *this) {}
//
//     template <cairn::Function F>
//       requires(cairn::makes_request<F>())
//     int on(cairn::Call<F>& call) {
//       const int result = call.proceed();
//       if (result == MPI_SUCCESS) messages_.attach(call, {now(), 0});
//       return result;
//     }
//     void completed(Message& message, const MPI_Status* status) {…}   // on the thread that completes it
//     cairn::PerRequest<Message, Latency> messages_;
//   };
//
// The tool needs no handlers for MPI_Wait… and MPI_Test…: the service "cairn.requests" takes care of them. What it says
// about requests that share a handle applies here too: attach data to every request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "cairn/functions.hpp"
#include "cairn/kit/call.hpp"
#include "cairn/kit/pool.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/requests.hpp"

namespace cairn {

/// Whether the function creates one request.
template <Function F>
constexpr bool makes_request() {
  return has<F>(Role::new_request);
}

/// `Tool` has completed(Data&, const MPI_Status*) and may have started(Data&), for persistent requests. The
/// status is null if the program ignores it, unless the tool has `static constexpr bool wants_status = true`.
/// Data is trivially copyable; memory for it is allocated only when more requests are active than ever before.
/// Up to 32 bytes are fastest.
template <class Data, class Tool>
class PerRequest {
  static_assert(std::is_trivially_copyable_v<Data> && std::is_default_constructible_v<Data>,
                "what a tool keeps per request is plain data: trivially copyable, and constructible from nothing");

 public:
  /// For the tool's constructor.
  PerRequest(Self self, Tool& tool)
      : service_(self.need<Requests>()),
        tool_(tool),
        watcher_{.tool = this,
                 .completed = completed,
                 .started = nullptr,
                 .ended = is_small ? nullptr : ended,
                 .wants_status = 0} {
    if constexpr (requires(Data & data) { tool.started(data); }) watcher_.started = started;
    if constexpr (requires { requires Tool::wants_status; }) watcher_.wants_status = 1;
    number_ = service_.watch(&watcher_);
    if (number_ == 0) throw std::runtime_error("more tools follow requests than the service 'cairn.requests' allows");
  }
  PerRequest(const PerRequest&) = delete;
  PerRequest& operator=(const PerRequest&) = delete;

  /// After a successful call that creates a request. Does nothing when out of memory.
  template <Function F>
  void attach(const Call<F>& call, const Data& data) {
    static_assert(makes_request<F>(), "the call creates no request: see makes_request");
    attach(*argument<F, Role::new_request>(call.arguments()), data, describes_transfer(call.category));
  }
  /// `persistent`: the request has to be started first.
  void attach(MPI_Request request, const Data& data, bool persistent) {
    if constexpr (sizeof(Data) == Requests::data_size) {
      service_.attach_data(number_, request, &data, persistent ? 1 : 0);
    } else if constexpr (is_small) {
      std::array<std::byte, Requests::data_size> bytes;  // bytes beyond the data are unspecified
      std::memcpy(bytes.data(), &data, sizeof data);
      service_.attach_data(number_, request, bytes.data(), persistent ? 1 : 0);
    } else {
      Piece* const piece = request == MPI_REQUEST_NULL ? nullptr : pool_.take();
      if (piece == nullptr) return;
      piece->data = data;
      const auto value = reinterpret_cast<std::uintptr_t>(piece);
      if (service_.attach(number_, request, value, persistent ? 1 : 0) != 0) pool_.give_back(*piece);
    }
  }

 private:
  struct Piece : PoolPiece {
    Data data{};
  };
  /// The service stores it.
  static constexpr bool is_small = sizeof(Data) <= Requests::data_size && alignof(Data) <= alignof(std::uint64_t);

  static Data& data_of(std::uint64_t value) {
    if constexpr (is_small) return *std::launder(reinterpret_cast<Data*>(value));
    else return reinterpret_cast<Piece*>(value)->data;
  }
  static void completed(void* self, std::uint64_t value, const MPI_Status* status) {
    static_cast<PerRequest*>(self)->tool_.completed(data_of(value), status);
  }
  static void started(void* self, std::uint64_t value) {
    if constexpr (requires(Tool & tool, Data & data) { tool.started(data); })
      static_cast<PerRequest*>(self)->tool_.started(data_of(value));
  }
  static void ended(void* self, std::uint64_t value) {
    static_cast<PerRequest*>(self)->pool_.give_back(*reinterpret_cast<Piece*>(value));
  }

  const Requests& service_;
  Tool& tool_;
  RequestWatcher watcher_;
  std::uint32_t number_ = 0;
  Pool<Piece> pool_;
};

}  // namespace cairn
