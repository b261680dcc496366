// SPDX-License-Identifier: BSD-3-Clause
// services.cc - a layer of the C++ kit that asks a service at each MPI_Isend; four kinds, chosen by a definition
//
//   CAIRN_ASKS_NOTHING  only hands the call on: what the others are held against
//   CAIRN_ASKS_SIZE     the size of the datatype
//   CAIRN_ASKS_RANK     the receiver's rank in MPI_COMM_WORLD
//   CAIRN_FOLLOWS       keeps 16 bytes with the request until it completes

#include <mpi.h>

#include "cairn/kit.hpp"
#include "cairn/kit/per_request.hpp"
#include "cairn/services/datatypes.hpp"
#include "cairn/services/ranks.hpp"

using cairn::Role;
using Isend = cairn::Call<cairn::Function::MPI_Isend_>;

#if defined(CAIRN_ASKS_SIZE)
struct Asked {
  using Needs = cairn::ServiceList<cairn::Datatypes>;
  explicit Asked(cairn::Self self) : datatypes(self.need<cairn::Datatypes>()) {}
  void before(Isend& call) { sum += datatypes.size(arg<Role::send_datatype>(call)); }
  void after(Isend& /*call*/) {}
  const cairn::Datatypes& datatypes;
  std::uint64_t sum = 0;
};
#elif defined(CAIRN_ASKS_RANK)
struct Asked {
  using Needs = cairn::ServiceList<cairn::Ranks>;
  explicit Asked(cairn::Self self) : ranks(self.need<cairn::Ranks>()) {}
  void before(Isend& call) { sum += ranks.world_rank(arg<Role::comm>(call), arg<Role::dest>(call)); }
  void after(Isend& /*call*/) {}
  const cairn::Ranks& ranks;
  long sum = 0;
};
#elif defined(CAIRN_FOLLOWS)
struct Asked {
  struct Message {
    long number;
    long count;
  };
  using Needs = cairn::ServiceList<cairn::Requests>;
  explicit Asked(cairn::Self self) : messages(self, *this) {}
  void before(Isend& /*call*/) {}
  void after(Isend& call) { messages.attach(call, {++sum, arg<Role::send_count>(call)}); }
  void completed(const Message& message, const MPI_Status* /*status*/) { sum += message.count; }
  cairn::PerRequest<Message, Asked> messages;
  long sum = 0;
};
#else
struct Asked {
  using Needs = cairn::ServiceList<>;
  explicit Asked(cairn::Self /*self*/) {}
  void before(Isend& /*call*/) {}
  void after(Isend& /*call*/) {}
};
#endif

class Asks : Asked {
 public:
  static constexpr std::string_view about = "asks a service for each message";
  using Asked::Needs;
  explicit Asks(cairn::Self self) : Asked(self) {}

  int on(Isend& call) {
    before(call);
    const int result = call.proceed();
    __asm__ volatile("");  // keeps the compiler from making a jump of the call, as in empty.c
    after(call);
    return result;
  }
};

CAIRN_TOOL(Asks)
