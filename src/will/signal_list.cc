// SPDX-License-Identifier: BSD-3-Clause
// signal_list.cc - names of signals as constants, since what the C library offers wants a buffer

#include "will/signal_list.hpp"

namespace cairn {

const char* name_of_signal(int signal) {
#define CAIRN_SIGNAL(name) \
  case name:               \
    return #name;
  switch (signal) {
    CAIRN_SIGNAL(SIGHUP)
    CAIRN_SIGNAL(SIGINT)
    CAIRN_SIGNAL(SIGQUIT)
    CAIRN_SIGNAL(SIGILL)
    CAIRN_SIGNAL(SIGTRAP)
    CAIRN_SIGNAL(SIGABRT)
    CAIRN_SIGNAL(SIGBUS)
    CAIRN_SIGNAL(SIGFPE)
    CAIRN_SIGNAL(SIGUSR1)
    CAIRN_SIGNAL(SIGSEGV)
    CAIRN_SIGNAL(SIGUSR2)
    CAIRN_SIGNAL(SIGPIPE)
    CAIRN_SIGNAL(SIGALRM)
    CAIRN_SIGNAL(SIGTERM)
    CAIRN_SIGNAL(SIGSTKFLT)
    CAIRN_SIGNAL(SIGXCPU)
    CAIRN_SIGNAL(SIGXFSZ)
    CAIRN_SIGNAL(SIGVTALRM)
    CAIRN_SIGNAL(SIGPROF)
    CAIRN_SIGNAL(SIGIO)
    CAIRN_SIGNAL(SIGPWR)
    CAIRN_SIGNAL(SIGSYS)
    default:
      return "a real-time signal";
  }
#undef CAIRN_SIGNAL
}

}  // namespace cairn
