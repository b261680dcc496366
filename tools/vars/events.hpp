// SPDX-License-Identifier: BSD-3-Clause
// events.hpp - how often an event of MPI_T has occurred (MPI-4.0 section 15.3.8), which is read like a counter
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "shared/mpi_t.hpp"

namespace vars {

#if MPI_VERSION >= 4

inline int count_events() {
  int count = 0;
  return MPI_T_event_get_num(&count) == MPI_SUCCESS ? count : 0;
}

/// The answer of MPI_T_event_get_info.
inline int describe_event(int index, mpi_t::Description& out) {
  mpi_t::Words name;
  mpi_t::Words text;
  int elements = 0;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  const int code = MPI_T_event_get_info(index, name.data(), &name.length, &out.verbosity, nullptr, nullptr, &elements,
                                        &enumeration, nullptr, text.data(), &text.length, &out.binding);
  out.name = name.text();
  out.text = text.text();
  return code;
}

class EventCounter {
 public:
  /// `object`: the address of what it is bound to. An error code of MPI_T.
  static int open(int index, void* object, EventCounter*& out) {
    auto made = std::make_unique<EventCounter>();
    int code = MPI_T_event_handle_alloc(index, object, MPI_INFO_NULL, &made->registration_);
    if (code != MPI_SUCCESS) return code;
    // Adding one is allowed wherever a library may call.
    for (const MPI_T_cb_safety safety : {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                         MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE})
      if (code == MPI_SUCCESS)
        code = MPI_T_event_register_callback(made->registration_, safety, MPI_INFO_NULL, made.get(), occurred);
    out = made.release();
    if (code != MPI_SUCCESS) out->close();
    return code;
  }

  /// It lives on until the library says that nobody is in the callback any more.
  void close() { MPI_T_event_handle_free(registration_, this, freed); }

  unsigned long count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static void occurred(MPI_T_event_instance /*instance*/, MPI_T_event_registration /*registration*/,
                       MPI_T_cb_safety /*safety*/, void* self) {
    static_cast<EventCounter*>(self)->count_.fetch_add(1, std::memory_order_relaxed);
  }
  static void freed(MPI_T_event_registration /*registration*/, MPI_T_cb_safety /*safety*/, void* self) {
    delete static_cast<EventCounter*>(self);
  }

  MPI_T_event_registration registration_{};
  std::atomic<unsigned long> count_{0};
};

#else

inline int count_events() { return 0; }
inline int describe_event(int /*index*/, mpi_t::Description& /*out*/) { return MPI_T_ERR_INVALID_INDEX; }

class EventCounter {
 public:
  static int open(int /*index*/, void* /*object*/, EventCounter*& /*out*/) { return MPI_T_ERR_INVALID_INDEX; }
  void close() {}
  unsigned long count() const { return 0; }
};

#endif

}  // namespace vars
