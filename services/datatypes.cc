// SPDX-License-Identifier: BSD-3-Clause
// datatypes.cc - sizes of datatypes, remembered until a datatype is freed
//
// A remembered size is one word: the part of the scrambled handle that does not follow from the word's place, and the
// size. So it is read at once, without a lock and without a look at anything of the thread's own.

#include <mpi.h>

#include <array>
#include <atomic>

#include "cairn/kit.hpp"
#include "cairn/kit/flat_table.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/services/datatypes.hpp"

namespace services {

class Datatypes {
 public:
  static constexpr std::string_view about = "service: sizes of datatypes; used by other tools";
  using Offers = cairn::ServiceList<cairn::Datatypes>;

  explicit Datatypes(cairn::Self self) {
    static constexpr cairn::Datatypes offer{size};
    self.publish(offer);
  }

  /// The handle may come back for another datatype as soon as the call has freed it, so the answer goes before.
  template <cairn::Function F>
  requires(cairn::has<F>(cairn::Role::datatype_inout)) int on(cairn::Call<F>& call) {
    if (const MPI_Datatype* type = call.template get<cairn::Role::datatype_inout>(); type != nullptr) forget(*type);
    return call.proceed();
  }

 private:
  // 45 bits of a handle (addresses of data are multiples of eight) are 12 of the place, 33 kept; 30 are left for the
  // size, one says whether the word holds one. What does not fit is asked for each time.
  static constexpr unsigned handle_bits = 45;
  static constexpr unsigned place_bits = 12;
  static constexpr unsigned kept_bits = handle_bits - place_bits;
  static constexpr unsigned size_bits = 30;
  static constexpr std::uint64_t is_known = 1;
  using Word = std::atomic<std::uint64_t>;

  struct Place {
    Word* word;
    std::uint64_t kept;
  };

  /// Multiplying by an odd number modulo a power of two can be undone, so no two handles share both place and rest.
  static Place place_of(MPI_Datatype type) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << handle_bits) - 1;
    const std::uint64_t bits =
        std::is_pointer_v<MPI_Datatype> ? cairn::handle_bits(type) >> 3U : cairn::handle_bits(type);
    const std::uint64_t mixed = cairn::spread(bits) & mask;
    return {&words_[mixed >> kept_bits], mixed & ((std::uint64_t{1} << kept_bits) - 1)};
  }

  static std::uint64_t size(MPI_Datatype type) {
    const Place place = place_of(type);
    const std::uint64_t word = place.word->load(std::memory_order_relaxed);
    if (((word >> (size_bits + 1)) == place.kept) && (word & is_known) != 0) [[likely]]
      return word >> 1U & ((std::uint64_t{1} << size_bits) - 1);
    return ask(type, place, word);
  }

  [[gnu::noinline, gnu::cold]] static std::uint64_t ask(MPI_Datatype type, Place place, std::uint64_t before) {
    const cairn::OwnWork own;
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
    const auto bytes = static_cast<std::uint64_t>(size);
    const std::uint64_t word = (place.kept << size_bits | bytes) << 1U | is_known;
    // Fails if anything was forgotten there since, maybe this very datatype.
    if (bytes >> size_bits == 0) place.word->compare_exchange_strong(before, word, std::memory_order_relaxed);
    return bytes;
  }

  /// Leaves a word that was never there before.
  static void forget(MPI_Datatype type) {
    static std::atomic<std::uint64_t> times{0};
    const Place place = place_of(type);
    const std::uint64_t word = place.word->load(std::memory_order_relaxed);
    if ((word & is_known) != 0 && (word >> (size_bits + 1)) != place.kept) return;
    place.word->store(times.fetch_add(1, std::memory_order_relaxed) << 1U, std::memory_order_relaxed);
  }

  static inline std::array<Word, std::size_t{1} << place_bits> words_{};
};

}  // namespace services

CAIRN_TOOL(services::Datatypes)
