// SPDX-License-Identifier: BSD-3-Clause
// plain_open.cc - the call of dlopen, from a function that no exception can pass.
//
// The file is compiled without unwinding information: an exception that leaves a library's constructor then ends in
// std::terminate, with the stack as it was, and is survived as the SIGABRT that this is (guarded_open.cc). With such
// information it would unwind the dynamic loader, which would keep its lock.

namespace cairn {

void* plain_open(void* (*open)(const char*, int), const char* path, int mode) {
  void* const handle = open(path, mode);
  asm volatile("" ::: "memory");  // no jump in place of the call
  return handle;
}

}  // namespace cairn
