// SPDX-License-Identifier: BSD-3-Clause
// words.cc - what libcairn.so itself says, also at the end of a process in which the tools saw nothing.

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/job.hpp"
#include "base/tool_settings.hpp"
#include "preload/parts.hpp"

cairn::StandardError cairn_standard_error;

namespace {

/// `cairn run` names the process it became; when that one ends without an MPI call, no tool has seen anything. The same
/// holds for a program that was linked with us behind its MPI library. Many programs close standard error before they
/// end, so it is kept open until the first MPI call.
int late_stderr = -1;
pid_t named_process = 0;
bool is_linked_too_late = false;

__attribute__((constructor)) void keep_stderr() {
  if (cairn_is_bound()) return;  // a constructor of the program's has called MPI before
  if (cairn_requested_tools() != nullptr) cairn_standard_error = cairn::StandardError::now();
  const char* pid = std::getenv("CAIRN_PROGRAM_PID");
  const bool is_named = pid != nullptr && std::strtol(pid, nullptr, 10) == getpid();
  is_linked_too_late = !is_named && *cairn::users_tools() != '\0' && cairn_is_linked_too_late();
  if (!is_named && !is_linked_too_late) return;
  named_process = getpid();
  constexpr int out_of_the_way = 200;
  late_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, out_of_the_way);
}

/// Its children may have called MPI in its place.
bool had_children() {
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return children.ru_maxrss != 0;
}

void tell_what_was_not_seen() {
  const char* const program = program_invocation_name;
  const UnseenMpi unseen = cairn_unseen_mpi();
  if (unseen.where != nullptr)
    cairn_say(late_stderr,
              "cairn: warning: no tool was loaded: no tool can see the calls of '%s': its MPI library is %s\n"
              "cairn:   asked for by: %s\n"
              "cairn:   try: %s\n",
              program, unseen.where, cairn_asked_by(), unseen.remedy);
  else if (!had_children())
    cairn_say(late_stderr,
              "cairn: warning: no tool was loaded: '%s' made no MPI call\n"
              "cairn:   asked for by: %s\n"
              "cairn:   try: cairn check %s\n",
              program, cairn_asked_by(), program);
}

/// A `cairn run` inside of another takes its name from the environment: it is not the program.
bool is_program() { return is_linked_too_late || std::getenv("CAIRN_PROGRAM_PID") != nullptr; }

__attribute__((destructor)) void tell_if_unused() {
  if (late_stderr < 0 || cairn_is_bound() || named_process != getpid() || !is_program()) return;
  if (cairn::speaks_for_job()) tell_what_was_not_seen();
  cairn_release_stderr();
}

}  // namespace

void cairn_release_stderr() {
  if (late_stderr >= 0) close(late_stderr);
  late_stderr = -1;
}

void cairn_say(int descriptor, const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0) cairn::write_quietly(descriptor, text, std::strlen(text));
}

const char* cairn_requested_tools() {
  const char* const tools = cairn::requested_tools();
  return *tools == '\0' ? nullptr : tools;
}

bool cairn_is_sites() { return *cairn::sites_tools() != '\0'; }

const char* cairn_asked_by() {
  const char* const asked_by = cairn::environment("CAIRN_ASKED_BY");
  if (*asked_by != '\0') return asked_by;
  const char* const tools = cairn_requested_tools();
  return tools != nullptr ? tools : "cairn run";
}
