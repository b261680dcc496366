// SPDX-License-Identifier: BSD-3-Clause
// watcher.cc - around a call: its count, a sample if it is time, a reading if it may cost that

#include "watcher.hpp"

namespace vars {

namespace {

/// While it lives, calls of the thread are none of the program's.
class Ours {
 public:
  explicit Ours(Thread& thread) : thread_(thread) { thread_.is_ours = true; }
  ~Ours() { thread_.is_ours = false; }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;

 private:
  Thread& thread_;
};

}  // namespace

int Watcher::start(bool several) {
  const Ours ours(threads_.mine());
  const int code = monitor_.start(several);
  if (code == MPI_SUCCESS) active_.store(true);
  return code;
}

void Watcher::finish() {
  const Ours ours(threads_.mine());
  monitor_.finish();
}

void Watcher::sample() {
  const Ours ours(threads_.mine());
  monitor_.sample();
}

Watcher::Watched Watcher::enter(cairn::Function function, const void* frame) {
  Thread& mine = threads_.mine();
  if (mine.is_ours) return {nullptr, 0};
  const Ours ours(mine);
  const std::uint64_t calls = mine.count(function);
  if (samples_) monitor_.sample_if_due();
  Monitor::Ticket ticket = 0;
  if (attributes_ && monitor_.rate().is_due(mine.rate, calls)) ticket = monitor_.begin(mine.rate, mine.was_read, frame);
  mine.was_read = ticket != 0;
  return {&mine, ticket};
}

void Watcher::leave(const Watched& call, cairn::Function function, const void* caller) {
  if (call.ticket == 0) return;
  const Ours ours(*call.thread);
  monitor_.end(call.ticket, regions_.current(call.thread->regions), function, sites_ ? caller : nullptr);
}

void Watcher::add(Bound kind, const void* handle, std::size_t size, const char* file) {
  const Ours ours(threads_.mine());
  monitor_.add_object(kind, handle, size, file);
}

void Watcher::rename(Bound kind, const void* handle, std::size_t size) {
  const Ours ours(threads_.mine());
  monitor_.rename_object(kind, handle, size);
}

void Watcher::remove(Bound kind, const void* handle, std::size_t size) {
  const Ours ours(threads_.mine());
  monitor_.remove_object(kind, handle, size);
}

}  // namespace vars
