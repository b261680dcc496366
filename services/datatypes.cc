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
  // 45 bits of a handle (addresses of data are multiples of eight) are 12 of the place, and 33 kept at the word's top;
  // 30 are left for the size at its bottom, the one between says whether the word holds one. What does not fit is asked
  // for each time.
  static constexpr unsigned handle_bits = 45;
  static constexpr unsigned place_bits = 12;
  static constexpr unsigned size_bits = 30;
  static constexpr std::uint64_t is_known = std::uint64_t{1} << size_bits;
  using Word = std::atomic<std::uint64_t>;

  struct Place {
    Word* word;
    std::uint64_t mark;  // of a word that holds the size: all but the size
  };

  /// Multiplying by an odd number modulo a power of two can be undone, so no two handles share both place and rest.
  static Place place_of(MPI_Datatype type) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U << (64 - handle_bits);  // the product's low bits on top
    const std::uint64_t bits =
        std::is_pointer_v<MPI_Datatype> ? cairn::handle_bits(type) >> 3U : cairn::handle_bits(type);
    const std::uint64_t mixed = bits * factor;
    return {&words_[mixed >> (64 - place_bits)], mixed << place_bits | is_known};
  }

  static std::uint64_t size(MPI_Datatype type) {
    const Place place = place_of(type);
    const std::uint64_t word = place.word->load(std::memory_order_relaxed);
    if (const std::uint64_t size = word ^ place.mark; size >> size_bits == 0) [[likely]]
      return size;
    return ask(type, place, word);
  }

  [[gnu::noinline, gnu::cold]] static std::uint64_t ask(MPI_Datatype type, Place place, std::uint64_t before) {
    const cairn::OwnWork own;
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
    const auto bytes = static_cast<std::uint64_t>(size);
    // Fails if anything was forgotten there since, maybe this very datatype.
    if (bytes >> size_bits == 0)
      place.word->compare_exchange_strong(before, place.mark | bytes, std::memory_order_relaxed);
    return bytes;
  }

  /// Leaves a word that was never there before.
  static void forget(MPI_Datatype type) {
    static std::atomic<std::uint64_t> times{1};
    const Place place = place_of(type);
    const std::uint64_t word = place.word->load(std::memory_order_relaxed);
    if ((word & is_known) != 0 && (word ^ place.mark) >> size_bits != 0) return;
    const std::uint64_t time = times.fetch_add(1, std::memory_order_relaxed);
    place.word->store(time >> size_bits << (size_bits + 1) | (time & (is_known - 1)), std::memory_order_relaxed);
  }

  static inline std::array<Word, std::size_t{1} << place_bits> words_{};
};

}  // namespace services

CAIRN_TOOL(services::Datatypes)
