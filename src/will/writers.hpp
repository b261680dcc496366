// SPDX-License-Identifier: BSD-3-Clause
// writers.hpp - threads of our own on which tools write at a death, as the dying thread may hold any lock
//
// One waits from the start. Before it begins with a task it starts the next, so that there is one to go on with if the
// task crashes or hangs.
#pragma once

namespace cairn {

/// A piece of writing.
struct Task {
  void (*run)(void* data, const char* end);
  void* data;
  const char* end;
};

/// Starts the first thread, unless it is there. `calm` is called on one some time after expect_life(), if nothing has
/// been written since. False if the system gives no thread.
bool start_writers(void (*calm)());

/// False where all threads that the system gave have gone with their tasks.
bool has_writers();

/// Has the task run, and waits for it some seconds at most: it may crash or hang. In signal handlers too.
void run_on_writer(const Task& task);

/// The process may live on.
void expect_life();

/// On a thread of ours, whose task has crashed or wants to end the process: does not return, and the next goes on.
void leave_if_writer();

}  // namespace cairn
