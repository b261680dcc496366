// SPDX-License-Identifier: BSD-3-Clause
// datatypes.cc - sizes of datatypes, cached until a datatype is freed

#include <mpi.h>

#include <type_traits>

#include "cairn/kit.hpp"
#include "cairn/kit/flat_table.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/services/datatypes.hpp"
#include "size_table.hpp"

namespace services {

class Datatypes {
 public:
  static constexpr bool knows_handles = true;
  static constexpr std::string_view about = "service: sizes of datatypes; used by other tools";
  using Offers = cairn::ServiceList<cairn::Datatypes>;

  explicit Datatypes(cairn::Self self) {
    static constexpr cairn::Datatypes offer{size};
    self.publish(offer);
  }

  /// MPI may reuse the handle as soon as the call has freed it, so the cached answer is dropped before.
  template <cairn::Function F>
  requires(cairn::has<F>(cairn::Role::datatype_inout)) int on(cairn::Call<F>& call) {
    if (const MPI_Datatype* type = arg<cairn::Role::datatype_inout>(call); type != nullptr)
      sizes_.forget(bits_of(*type));
    return call.proceed();
  }

 private:
  static std::uint64_t bits_of(MPI_Datatype type) {
    return std::is_pointer_v<MPI_Datatype> ? cairn::handle_bits(type) >> 3U : cairn::handle_bits(type);
  }

  static std::uint64_t size(MPI_Datatype type) {
    if (const std::uint64_t size = sizes_.at(bits_of(type)).size(); size != SizeTable::unknown) [[likely]]
      return size;
    return ask(type);
  }

  [[gnu::noinline, gnu::cold]] static std::uint64_t ask(MPI_Datatype type) {
    const cairn::OwnWork own;
    SizeTable::Place place = sizes_.at(bits_of(type));
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
    place.remember(static_cast<std::uint64_t>(size));
    return static_cast<std::uint64_t>(size);
  }

  static inline constinit SizeTable sizes_;
};

}  // namespace services

CAIRN_TOOL(services::Datatypes)
