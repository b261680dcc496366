// SPDX-License-Identifier: BSD-3-Clause
// handles.hpp - MPI_T handles of our own variables, distinguished from the library's by their address alone.
//
// A handle of MPI_T is a pointer. Ours lie in one range of addresses, so one comparison tells them apart, and the
// library's handles cost no more than that. What was freed is known to be: a slot says what it holds.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace cairn::engine {

enum class Slot : std::uint32_t { free, control, performance, enumeration };

class Handles {
 public:
  static bool is_own(const void* handle) {
    return reinterpret_cast<std::uintptr_t>(handle) - begin_.load(std::memory_order_relaxed) < slots * slot_size;
  }

  /// The handle's object, or null if it is not (or no longer) one of that kind. For own handles only.
  template <class T>
  static T* get(const void* handle) {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(handle) - begin_.load(std::memory_order_relaxed);
    if (offset % slot_size != 0) return nullptr;
    Place& place = at(offset / slot_size);
    return place.holds.load(std::memory_order_acquire) == T::slot ? object<T>(place) : nullptr;
  }

  /// Null when there are no more. Not thread-safe, as all that follow.
  template <class T, class... Arguments>
  static T* make(Arguments&&... arguments) {
    static_assert(sizeof(T) <= slot_size - object_offset && alignof(T) <= object_offset);
    Place* const place = take();
    if (place == nullptr) return nullptr;
    T* const made = new (place->bytes.data()) T(std::forward<Arguments>(arguments)...);
    place->holds.store(T::slot, std::memory_order_release);
    return made;
  }

  template <class T>
  static void destroy(T& object) {
    Place& place = place_of(object);
    place.holds.store(Slot::free, std::memory_order_release);
    object.~T();
    place.next = free_;
    free_ = &place;
  }

  /// What a caller of MPI_T gets as its handle, from which get() leads back.
  template <class T>
  static void* handle(T& object) {
    return &place_of(object);
  }

  template <class T, class Visit>
  static void for_each(Visit visit) {
    for (std::size_t i = 0; i < used_; ++i)
      if (at(i).holds.load(std::memory_order_relaxed) == T::slot) visit(*object<T>(at(i)));
  }

 private:
  static constexpr std::size_t slot_size = 128;
  static constexpr std::size_t object_offset = 16;
  static constexpr std::size_t slots = 131072;
  struct alignas(object_offset) Place {
    std::atomic<Slot> holds;
    Place* next;  // while free
    alignas(object_offset) std::array<std::byte, slot_size - object_offset> bytes;
  };
  static_assert(sizeof(Place) == slot_size);

  static Place& at(std::size_t i) { return reinterpret_cast<Place*>(begin_.load(std::memory_order_relaxed))[i]; }
  template <class T>
  static T* object(Place& place) {
    return std::launder(reinterpret_cast<T*>(place.bytes.data()));
  }
  template <class T>
  static Place& place_of(T& object) {
    return *reinterpret_cast<Place*>(reinterpret_cast<std::byte*>(&object) - object_offset);
  }
  static Place* take();

  /// Until there are handles, a place where no address lies, and from which neither 0 nor -1 is near.
  static inline std::atomic<std::uintptr_t> begin_ = std::uintptr_t{1} << 63U;
  static inline std::size_t used_ = 0;
  static inline Place* free_ = nullptr;
};

}  // namespace cairn::engine
