// SPDX-License-Identifier: BSD-3-Clause
// watcher.cc - around a call: its count, a sample if it is time, a reading if it may cost that

#include "watcher.hpp"

namespace vars {

int Watcher::start(bool several) {
  const cairn::OwnWork own;
  const int code = monitor_.start(several);
  if (code != MPI_SUCCESS) return code;
  active_.store(true);
  return code;
}

void Watcher::finish() {
  const cairn::OwnWork own;
  monitor_.finish();
}

void Watcher::sample() {
  const cairn::OwnWork own;
  monitor_.sample();
}

Watcher::Watched Watcher::enter(cairn::Function function, const Place& place) {
  if (cairn::is_tools_call()) return {nullptr, 0};
  const cairn::OwnWork own;
  Thread& mine = threads_.mine();
  const std::uint64_t calls = mine.count(function);
  if (samples_) monitor_.sample_if_due();
  Monitor::Ticket ticket = 0;
  if (attributes_ && monitor_.rate().is_due(mine.rate, calls)) ticket = monitor_.begin(mine.rate, mine.was_read, place);
  mine.was_read = ticket != 0;
  if (ticket != 0) mine.reading = &monitor_;
  return {&mine, ticket};
}

void Watcher::leave(const Watched& call, cairn::Function function, const void* caller) {
  if (call.ticket == 0) return;
  const cairn::OwnWork own;
  call.thread->reading = nullptr;
  monitor_.end(call.ticket, regions_.current(call.thread->regions), function, sites_ ? caller : nullptr);
}

void Watcher::add(Bound kind, const void* handle, std::size_t size, const char* file) {
  const cairn::OwnWork own;
  monitor_.add_object(kind, handle, size, file, frees_);
}

void Watcher::rename(Bound kind, const void* handle, std::size_t size) {
  const cairn::OwnWork own;
  monitor_.rename_object(kind, handle, size);
}

void Watcher::remove(Bound kind, const void* handle, std::size_t size) {
  const cairn::OwnWork own;
  monitor_.remove_object(kind, handle, size);
}

}  // namespace vars
